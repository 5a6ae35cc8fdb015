#!/usr/bin/env python3
"""adze budgets and adze explain budget as a user runs them (DIS-777, DIS-764)."""
import json
import unittest

from program import ProgramTest

NOW = """apiVersion: adze/v1
kind: SnapshotContext
metadata: {name: context}
spec: {time: "%s"}
---
"""
POOL = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %s}
spec:
  template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}}
  disruption: {budgets: %s}
---
"""
NODE = """apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: claim-%(name)s, uid: c-%(name)s, labels: {karpenter.sh/nodepool: %(pool)s, node.kubernetes.io/instance-type: m5.large}}
spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}
status: {providerID: 'p:%(name)s'}
---
apiVersion: v1
kind: Node
metadata: {name: %(name)s, uid: n-%(name)s, labels: {karpenter.sh/nodepool: %(pool)s, node.kubernetes.io/instance-type: m5.large,
  karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}
spec: {providerID: 'p:%(name)s'}
status: {conditions: [{type: Ready, status: '%(ready)s'}]}
---
"""
MONDAY_NOON = NOW % "2026-01-05T12:00:00Z"
WORKING_HOURS = "[{nodes: '50%'}, {nodes: '0', reasons: [Drifted], schedule: 0 9 * * mon-fri, duration: 8h}]"


def nodes(pool, count, ready="True"):
    return "".join(NODE % {"name": "%s-%s-%d" % (pool, ready.lower(), i), "pool": pool, "ready": ready} for i in range(count))


class Budgets(ProgramTest):
    def budgets(self, *arguments, documents, **environment):
        return self.adze("budgets", "-f", "-", *arguments, stdin="".join(documents), **environment)

    def budgets_json(self, *arguments, documents):
        status, out, err = self.budgets("-o", "json", *arguments, documents=documents)
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)

    def test_what_is_allowed_and_when_that_changes(self):
        documents = MONDAY_NOON, POOL % ("default", WORKING_HOURS), nodes("default", 4)
        status, out, err = self.budgets("--next", "1d", documents=documents, TZ="UTC-1")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("NodePool default: 4 nodes\n", out)
        self.assertRegex(out, r"(?m)^now +Mon 05 Jan 2026 13:00 UTC +2 +0 +2$")
        self.assertRegex(out, r"(?m)^2026-01-05T17:00:00Z +Mon 05 Jan 2026 18:00 UTC +2 +2 +2$")
        self.assertRegex(out, r"(?m)^2026-01-06T09:00:00Z +Tue 06 Jan 2026 10:00 UTC +2 +0 +2$")
        self.assertNotIn("2026-01-06T17", out)

    def test_json(self):
        documents = MONDAY_NOON, POOL % ("default", WORKING_HOURS), nodes("default", 3), nodes("default", 1, "False")
        answer = self.budgets_json("--next", "36h", documents=documents)
        self.assertEqual((answer["kind"], answer["time"], answer["until"]),
                         ("DisruptionBudgets", "2026-01-05T12:00:00Z", "2026-01-07T00:00:00Z"))
        pool, = answer["nodePools"]
        self.assertEqual((pool["nodePool"], pool["nodes"], pool["disrupting"]), ("default", 4, 1))
        self.assertEqual(pool["allowed"], {"Empty": 2, "Drifted": 0, "Underutilized": 2})
        self.assertEqual([(change["time"], change["allowed"]["Drifted"]) for change in pool["changes"]],
                         [("2026-01-05T17:00:00Z", 2), ("2026-01-06T09:00:00Z", 0), ("2026-01-06T17:00:00Z", 2)])
        self.assertEqual(pool["oddities"], [])

    def test_left_now_is_less_than_allowed(self):
        _, out, _ = self.budgets(documents=(MONDAY_NOON, POOL % ("default", "[{nodes: '3'}]"), nodes("default", 3),
                                            nodes("default", 1, "False")))
        self.assertIn("4 nodes, 1 of them being disrupted or not ready", out)
        self.assertRegex(out, r"(?m)^left now +2 +2 +2$")

    def test_no_limit(self):
        pool, = self.budgets_json(documents=(MONDAY_NOON, POOL % ("default", "[]")))["nodePools"]
        self.assertEqual(pool["allowed"], {"Empty": None, "Drifted": None, "Underutilized": None})
        self.assertRegex(self.budgets(documents=(MONDAY_NOON, POOL % ("default", "[]")))[1], r"(?m)^now .* any +any +any$")

    def test_oddities_are_named(self):
        cases = (("{nodes: '0', schedule: 0 0 31 2 *, duration: 1h}", "W-cron-never", "counts at all times"),
                 ("{nodes: '0', schedule: 0 0 0 * * *, duration: 1h}", "W-cron", "it blocks every disruption of the pool"),
                 ("{nodes: '0', schedule: 'TZ=UTC 0 0 * * *', duration: 1h}", "W-cron", "no schedule"),
                 ("{nodes: '0', schedule: '@dailyfoo', duration: 1h}", "W-cron", "no schedule"),
                 ("{nodes: '0', schedule: '@daily', duration: 0h}", "W-budget-never", "never counts"),
                 ("{nodes: '0', reasons: []}", "W-budget-no-reason", "names no reason"),
                 ("{nodes: '4294967296', schedule: '@daily', duration: 1h}", "W-budget-nodes",
                  "next: 2026-01-06T00:00:00Z to 2026-01-06T01:00:00Z"),
                 ("{nodes: 10%}", "W-budget-one-node", "the whole pool may be disrupted at once"))
        for budget, code, text in cases:
            documents = MONDAY_NOON, POOL % ("default", "[{nodes: '9'}, %s]" % budget), nodes("default", 1)
            oddity, = self.budgets_json(documents=documents)["nodePools"][0]["oddities"]
            self.assertEqual((oddity["budget"], oddity["code"]), (1, code))
            self.assertIn(text, oddity["message"])
            self.assertIn("budgets[1].%s: " % oddity["field"], self.budgets(documents=documents)[1])

    def test_one_bad_budget_closes_the_pool_DIS_121(self):
        documents = (MONDAY_NOON, POOL % ("bad", "[{nodes: '9'}, {nodes: '1', reasons: [Drifted], schedule: x y z, duration: 1h}]"),
                     POOL % ("good", "[{nodes: '9'}]"))
        bad, good = self.budgets_json(documents=documents)["nodePools"]
        self.assertEqual(bad["allowed"], {"Empty": 0, "Drifted": 0, "Underutilized": 0})
        self.assertEqual(good["allowed"]["Empty"], 9)

    def test_some_pools(self):
        documents = MONDAY_NOON, POOL % ("a", "[]"), POOL % ("b", "[]")
        self.assertEqual([pool["nodePool"] for pool in self.budgets_json("b", documents=documents)["nodePools"]], ["b"])
        self.assert_refused(self.budgets("c", documents=documents), 2, "there is no NodePool c")

    def test_many_changes_are_cut(self):
        documents = MONDAY_NOON, POOL % ("a", "[{nodes: '1', schedule: '*/2 * * * *', duration: 1m}]")
        pool, = self.budgets_json("--next", "30d", documents=documents)["nodePools"]
        self.assertEqual((len(pool["changes"]), pool["cut"]), (999, True))
        self.assertIn("and more changes later", self.budgets("--next", "30d", documents=documents)[1])

    def test_bad_usage(self):
        for period in ("", "x", "0d", "-1h", "7 d", "9999d"):
            self.assert_refused(self.budgets("--next", period, documents=(POOL % ("a", "[]"),)), 2, "--next takes a period")
        self.assert_refused(self.adze("budgets", "--later"), 2, "--later")
        self.assert_refused(self.adze("budgets", "-f", "missing.yaml"), 2, "missing.yaml")


class ExplainBudget(ProgramTest):
    def explain(self, name, *documents, arguments=(), **environment):
        return self.adze("explain", "budget", name, "-f", "-", *arguments, stdin="".join(documents), **environment)

    def test_the_next_windows(self):
        documents = MONDAY_NOON, POOL % ("default", WORKING_HOURS), nodes("default", 4)
        status, out, err = self.explain("default", *documents, TZ="UTC+3")
        self.assertEqual((status, err), (0, ""))
        self.assertIn('budgets[0]: nodes "50%"\n  counts at all times: allows 2 of 4 nodes\n', out)
        self.assertIn('budgets[1]: nodes "0" for Drifted, schedule "0 9 * * mon-fri" for 8h\n  allows 0 of 4 nodes while it counts:', out)
        self.assertRegex(out, r"(?m)^now  2026-01-05T09:00:00Z  2026-01-05T17:00:00Z  Mon 05 Jan 06:00 to 14:00 UTC$")
        self.assertEqual(out.count("2026-01-"), 20)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_json(self):
        status, out, _ = self.explain("default", MONDAY_NOON, POOL % ("default", WORKING_HOURS), arguments=("-o", "json"), TZ="UTC-1")
        answer = json.loads(out)
        self.assertEqual((status, answer["kind"], answer["nodePool"]), (0, "BudgetExplanation", "default"))
        always, hours = answer["budgets"]
        self.assertEqual((always["always"], always["active"], always["windows"]), (True, True, []))
        self.assertEqual((hours["always"], hours["active"], hours["allows"], hours["reasons"]), (False, True, 0, ["Drifted"]))
        self.assertEqual(hours["windows"][0], {"start": "2026-01-05T09:00:00Z", "localStart": "2026-01-05T10:00:00+0100",
                                               "end": "2026-01-05T17:00:00Z", "localEnd": "2026-01-05T18:00:00+0100"})
        self.assertEqual(len(hours["windows"]), 10)

    def test_budgets_that_never_or_always_count(self):
        cases = (("{nodes: '0', schedule: '@daily', duration: 0h}", "never counts"),
                 ("{nodes: '0', reasons: []}", "never counts: it names no reason"),
                 ("{nodes: '0', schedule: 0 0 31 2 *, duration: 1h}", "counts at all times"),
                 ("{nodes: '0', schedule: a b c d e, duration: 1h}", "cannot be read: nothing may be disrupted"),
                 ("{nodes: '0', schedule: '@daily', duration: 24h}", "without end"))
        for budget, expected in cases:
            status, out, _ = self.explain("default", MONDAY_NOON, POOL % ("default", "[%s]" % budget))
            self.assertEqual(status, 0)
            self.assertIn(expected, out)
        self.assertIn("there are no budgets", self.explain("default", POOL % ("default", "[]"))[1])

    def test_bad_usage(self):
        self.assert_refused(self.explain("other", POOL % ("default", "[]")), 2, "there is no NodePool other")
        self.assert_refused(self.adze("explain", "budget"), 2, "budget takes one name: NODEPOOL")


if __name__ == "__main__":
    unittest.main()
