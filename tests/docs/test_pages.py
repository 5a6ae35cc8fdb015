#!/usr/bin/env python3
"""The pages of README.md and docs/ hang together: links and anchors lead somewhere, the site's navigation has every page,
and what is written renders alike on a code host and on the site (mkdocs.yml). Needs neither mkdocs nor the program."""
import functools
import os
import re
import unittest

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUTSIDE_OF_DOCS = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "bench/README.md"]
LINK = re.compile(r"!?\[(?:[^\[\]`]|`[^`]*`)*\]\(([^)\s]+)\)")
CITED = re.compile(r"(?<![\w./-])(?:docs|examples|charts|tools)/[\w/-]+(?:\.\w+)+(?<!\.)")


class NoTags(yaml.CSafeLoader):
    """mkdocs.yml names a function of Python, which is not looked at here."""


NoTags.add_multi_constructor("", lambda loader, tag, node: None)


def pages():
    found = [name for name in OUTSIDE_OF_DOCS if os.path.exists(os.path.join(ROOT, name))]
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(found)


@functools.cache
def lines(page):
    """Numbered lines of a page, those of fenced blocks as None."""
    result, fenced = [], False
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        for line in file.read().split("\n"):
            fence = line.lstrip().startswith("```")
            result.append(None if fenced or fence else line)
            fenced ^= fence
    return result


def anchor(heading):
    """As code hosts make it; links in headings count by their text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


@functools.cache
def anchors(page):
    found = set()
    for line in lines(page):
        match = re.match(r"#{1,6} (.*)", line or "")
        if match:
            name, number = anchor(match.group(1)), 1
            while name in found:  # the second of a name gets -1
                name, number = f"{anchor(match.group(1))}-{number}", number + 1
            found.add(name)
    return found


def links(page):
    for number, line in enumerate(lines(page), 1):
        for match in LINK.finditer(re.sub(r"(?<!\[)`[^`]*`(?!\])", "", line or "")):
            if not re.match(r"[a-z]+:", match.group(1)):
                yield number, match.group(1)


def broken(page, link):
    """Why a link leads nowhere; None: it leads somewhere."""
    path, _, fragment = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(os.path.join(ROOT, target)):
        return f"there is no {target}"
    if os.path.isdir(os.path.join(ROOT, target)):
        return f"{target} is a folder, which the site has no page of: link to a file"
    if fragment and fragment not in anchors(target):
        return f"{target} has no heading #{fragment}"
    return None


def navigation(entries):
    for entry in entries:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        yield from navigation(value) if isinstance(value, list) else [value]


class Pages(unittest.TestCase):
    def test_the_check_finds_what_is_wrong(self):
        self.assertEqual(anchor("plan: what would be launched, and `what` it_costs"), "plan-what-would-be-launched-and-what-it_costs")
        self.assertIsNone(broken("README.md", "docs/settings.md#adzes-own"))
        self.assertIn("no heading", broken("docs/aws.md", "settings.md#nothing"))
        self.assertIn("there is no", broken("docs/aws.md", "nothing.md"))
        self.assertIn("folder", broken("docs/aws.md", "rules"))

    def test_links_lead_somewhere(self):
        found = [(page, number, link) for page in pages() for number, link in links(page)]
        self.assertGreater(len(found), 100)
        wrong = [f"{page}:{number}: {broken(page, link)}" for page, number, link in found if broken(page, link)]
        self.assertEqual(wrong, [])

    def test_the_navigation_has_every_page_once(self):
        with open(os.path.join(ROOT, "mkdocs.yml"), encoding="utf-8") as file:
            named = list(navigation(yaml.load(file, NoTags)["nav"]))
        there = [page.removeprefix("docs/") for page in pages() if page.startswith("docs/")]
        self.assertEqual(sorted(name for name in named if name not in OUTSIDE_OF_DOCS), sorted(there))
        for name in named:
            self.assertTrue(name in OUTSIDE_OF_DOCS or name in there, name)

    def test_pages_begin_with_their_title(self):
        for page in pages():
            self.assertTrue(lines(page)[0].startswith("# "), page)
            self.assertEqual(sum((line or "").startswith("# ") for line in lines(page)), 1, page)

    def test_what_is_written_renders_on_the_site(self):
        """Lists and tables need an empty line before them there, and what belongs to an item is indented by four."""
        wrong = [found for page in pages() if page.startswith("docs/") and "/rules/" not in page for found in misread(page)]
        self.assertEqual(wrong, [])

    def test_files_that_sources_cite_exist(self):
        """Comments and messages name pages, examples and tools."""
        for folder, name in sources():
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                text = file.read()
            for path in set(CITED.findall(text)) if "docs/" in text else ():
                if path.startswith("docs/"):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{folder}/{name}: {path}")


def misread(page):
    """Places that the site would show otherwise than a code host."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        raw = file.read().split("\n")
    inside = None  # the block that the line above belongs to: a list, a table, text
    for number, (line, text) in enumerate(zip(lines(page), raw), 1):
        if line is None:
            if (len(text) - len(text.lstrip())) % 4 and text.lstrip().startswith("```"):
                yield f"{page}:{number}: a block in a list is indented by four"
            inside = "block" if text.startswith(" ") else None  # of an item: the next one needs an empty line
            continue
        block = "list" if re.match(r" *(?:[-*]|\d+\.) ", line) else "table" if line.startswith("|") else "text"
        if block != "text" and inside not in (None, block):
            yield f"{page}:{number}: an empty line is missing before a {block}"
        if not line.strip() or line.startswith(("#", "<!--")):
            inside = None
        elif not (inside == "list" and block == "text"):
            inside = block


def sources():
    for top in ("src", "tools", "charts", "packaging"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            yield from ((folder, name) for name in names if not name.endswith((".pyc", ".json")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
