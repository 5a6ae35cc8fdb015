#!/usr/bin/env python3
"""The queries of the chart's dashboards and alerts: each asks for families, with labels, that the controller serves by default
(docs/metrics.md, which a test compares with the controller), and by functions that fit their types. The dashboards are
up to date, load without a data source of their own, and their panels do not overlap."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "charts/adze/files"
TARGET_LABELS = {"instance", "job", "namespace", "pod"}  # that Prometheus adds
WORDS = {"by", "without", "on", "ignoring", "and", "or", "unless", "bool", "group_left", "group_right", "offset"}
COUNTERS_ONLY = {"rate", "increase", "irate"}
FUNCTIONS = COUNTERS_ONLY | {"sum", "max", "min", "avg", "count", "topk", "absent", "histogram_quantile", "vector"}
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[A-Za-z_:][\w:]*|\$\w+|\d[\w.]*|=~|!~|!=|==|>=|<=|\S')


def families(page):
    """{series: (type, labels)} of those that are served in the default profile."""
    found = {}
    for name, kind, labels, marks in re.findall(r"^\| `(\w+)` \| (\w+) \| (.*?) \| (.*?) \| .*\|$",
                                                page.split("## All families")[1], re.M):
        if "full" in marks:
            continue
        labels = set(re.findall(r"`(\w+)`", labels))
        if kind == "histogram":
            found.update({name + "_bucket": ("counter", labels | {"le"}), name + "_sum": ("counter", labels),
                          name + "_count": ("counter", labels)})
        elif kind == "summary":
            found.update({name: ("gauge", labels | {"quantile"}), name + "_sum": ("counter", labels),
                          name + "_count": ("counter", labels)})
        else:
            found[name] = (kind, labels)
    return found


def problems(expression, known):
    """What is wrong with a query, as a list of texts."""
    tokens = TOKEN.findall(re.sub(r"\[[^\]]*\]", " [] ", expression))
    found, labels, used, at, function = [], set(TARGET_LABELS), [], 0, None
    if any(tokens.count(a) != tokens.count(b) for a, b in ("()", "{}")):
        return ["brackets do not match"]
    while at < len(tokens):
        token, following = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        at += 1
        if token in WORDS:
            if token in ("by", "without", "on", "ignoring"):
                end = tokens.index(")", at)
                used += [name for name in tokens[at + 1:end] if name != ","]
                at = end + 1
        elif re.match(r"[A-Za-z_]", token) and (following in ("(", "by", "without")):
            function = token
            if token not in FUNCTIONS:
                found.append("no function " + token)
        elif re.match(r"[A-Za-z_]", token) or token == "{":
            names, matchers = [token], []
            if token == "{" or following == "{":
                begin = at if token == "{" else at + 1
                at = tokens.index("}", begin) + 1
                matchers = [(name, operator, text.strip('"')) for name, operator, text
                            in zip(tokens[begin:at - 1:4], tokens[begin + 1:at - 1:4], tokens[begin + 2:at - 1:4])]
                names = [text.split("|") for name, _, text in matchers if name == "__name__"][0] if token == "{" else names
            ranged = at < len(tokens) and tokens[at] == "["
            for name in names:
                if name not in known:
                    found.append("no family " + name)
                    continue
                kind, own = known[name]
                labels |= own
                found += ["%s has no label %s" % (name, label) for label, _, _ in matchers
                          if label not in own | TARGET_LABELS | {"__name__"}]
                if ranged != (kind == "counter") or (ranged and function not in COUNTERS_ONLY):
                    found.append("%s is a %s%s" % (name, kind, ", without a range" if not ranged else ""))
    return found + ["no label " + name for name in used if name not in labels]


def rules():
    return [rule for group in yaml.safe_load((FILES / "alerts.yaml").read_text())["groups"] for rule in group["rules"]]


def dashboards():
    return [json.loads(path.read_text()) for path in sorted((FILES / "dashboards").glob("*.json"))]


def anchors(page):
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", page.read_text(), re.M)}


class Monitoring(unittest.TestCase):
    known = families((ROOT / "docs/metrics.md").read_text())

    def test_the_check_itself(self):
        known = {"a_total": ("counter", {"x"}), "b": ("gauge", {"x", "y"})}
        for fine in ('sum by (x) (rate(a_total{x="1"}[5m])) > 0', "max(b)", 'b{y=~"$z"} / ignoring (y) b{y="2"} - 1',
                     'sum by (x) ({__name__=~"b",x="1"})', "sum by (instance) (rate(a_total[$__rate_interval]))"):
            self.assertEqual(problems(fine, known), [], fine)
        for wrong in ("c", "sum(a_total)", "rate(b[5m])", 'b{z="1"}', "sum by (z) (b)", "max(b", "maximum(b)",
                      'sum({__name__=~"b|c"})', "max(a_total[5m])"):
            self.assertNotEqual(problems(wrong, known), [], wrong)
        self.assertGreater(len(self.known), 100)
        self.assertNotIn("karpenter_pods_state", self.known)

    def test_dashboards_ask_for_what_is_served(self):
        count = 0
        for dashboard in dashboards():
            for panel in dashboard["panels"]:
                for target in panel.get("targets", []):
                    count += 1
                    self.assertEqual(problems(target["expr"], self.known), [], (dashboard["title"], panel["title"]))
        self.assertGreater(count, 60)

    def test_dashboards_load_anywhere(self):
        self.assertEqual(len(dashboards()), 4)
        for dashboard in dashboards():
            self.assertNotIn("id", dashboard)
            self.assertEqual({variable["name"] for variable in dashboard["templating"]["list"]}, {"datasource", "nodepool"})
            taken = set()
            for panel in dashboard["panels"]:
                place = panel["gridPos"]
                cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                         for y in range(place["y"], place["y"] + place["h"])}
                self.assertFalse(cells & taken or place["x"] + place["w"] > 24, panel["title"])
                taken |= cells
                if panel["type"] != "row":
                    self.assertEqual({t["datasource"]["uid"] for t in [panel, *panel["targets"]]}, {"${datasource}"})
        self.assertEqual(len({d["uid"] for d in dashboards()}), 4)

    def test_dashboards_are_up_to_date(self):
        done = subprocess.run([sys.executable, ROOT / "tools/dashboards", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_alerts_ask_for_what_is_served_and_say_what_to_do(self):
        self.assertGreater(len(rules()), 20)
        self.assertEqual(len({rule["alert"] for rule in rules()}), len(rules()))
        pages = {"docs/troubleshooting.md": anchors(ROOT / "docs/troubleshooting.md")}
        for rule in rules():
            with self.subTest(rule["alert"]):
                self.assertEqual(problems(rule["expr"], self.known), [])
                self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))
                self.assertTrue(rule["annotations"]["summary"])
                page, _, anchor = rule["annotations"]["description"].split()[-1].partition("#")
                self.assertIn(page, pages)
                self.assertTrue(anchor == "" or anchor in pages[page], anchor)


if __name__ == "__main__":
    unittest.main()
