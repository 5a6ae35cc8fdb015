"""What mkdocs.yml needs beside mkdocs itself: pages link to files outside of docs/ (examples, the changelog), as they must
on a code host. Here these files become part of the site, and the links lead to the copies."""
import json
import os
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")


def repository_path(src_uri):
    """Where a page of the site stands in the repository."""
    return "docs/" + src_uri if os.path.exists(os.path.join(ROOT, "docs", src_uri)) else src_uri


def targets(src_uri, markdown):
    """The files of the repository that a page links to, by the text of the link."""
    folder = os.path.dirname(repository_path(src_uri))
    for match in LINK.finditer(markdown):
        path = os.path.normpath(os.path.join(folder, match.group(2)))
        if os.path.isdir(os.path.join(ROOT, path)):
            path += "/README.md"
        yield match.group(2), path


def on_files(files, config):
    """Adds the files outside of docs/ that pages, and pages added here, link to."""
    seen = {file.src_uri for file in files}
    waiting = [file for file in files if file.src_uri.endswith(".md")]
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        waiting.append(add(files, seen, name, config))
    while waiting:
        file = waiting.pop()
        with open(file.abs_src_path, encoding="utf-8") as source:
            markdown = source.read()
        for _, path in targets(file.src_uri, markdown):
            outside = not path.startswith("docs/") and path not in seen
            if outside and os.path.isfile(os.path.join(ROOT, path)):
                added = add(files, seen, path, config)
                if path.endswith(".md"):
                    waiting.append(added)
    return files


def add(files, seen, path, config):
    file = File(path, ROOT, config["site_dir"], config["use_directory_urls"])
    files.append(file)
    seen.add(path)
    return file


def on_page_markdown(markdown, page, config, files):
    places = dict(targets(page.file.src_uri, markdown))
    here = os.path.dirname(page.file.src_uri)

    def rewrite(match):
        path = places[match.group(2)].removeprefix("docs/")
        return match.group(1) + os.path.relpath(path, here or ".") + (match.group(3) or "") + match.group(4)

    markdown = LINK.sub(rewrite, markdown)
    return deeper_lists(markdown) if page.file.src_uri.startswith("rules/") else markdown


def deeper_lists(markdown):
    """The rules indent lists in lists by two, as code hosts take it; Python's Markdown wants four."""
    lines, fenced = [], False
    for line in markdown.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        indent = len(line) - len(line.lstrip(" "))
        lines.append(line if fenced else " " * indent + line)
    return "\n".join(lines)


def on_post_build(config):
    leave_rules_out_of_the_search(os.path.join(config["site_dir"], "search", "search_index.json"))
    check_files(config)


def leave_rules_out_of_the_search(path):
    """The book of rules is longer than all other pages together, and would come before them whatever one looks for."""
    with open(path, encoding="utf-8") as file:
        index = json.load(file)
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("rules/")]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(index, file, separators=(",", ":"))


def check_files(config):
    """Scripts, styles and pictures are there: mkdocs looks at links between pages only."""
    missing = set()
    for folder, _, names in os.walk(config["site_dir"]):
        for name in names:
            if not name.endswith(".html") or name == "404.html":  # whose paths begin at the server's root
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as page:
                for path in re.findall(r'(?:href|src)="([^"#?:]+)[#?"]', page.read()):
                    if not os.path.exists(os.path.join(folder, path)):
                        missing.add(path)
    if missing:
        raise PluginError("pages ask for files that are not there: " + ", ".join(sorted(missing)))
