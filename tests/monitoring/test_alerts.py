#!/usr/bin/env python3
"""The chart's alerts in Prometheus' own hands (promtool, of Debian's package prometheus; skipped without it): the rule file is valid;
each alert fires in the failure that it names, and none in a healthy cluster at rest."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "charts/adze/files/alerts.yaml"
PROMTOOL = shutil.which("promtool")
LEADS = {'karpenter_build_info{version="1",instance="a"}': "1x420",
         'leader_election_master_status{name="l",instance="a"}': "1x420",
         'leader_election_master_status{name="l",instance="b"}': "0x420"}
# A cluster at rest: what a controller serves after a day, counters that no longer move.
REST = {**LEADS,
        "karpenter_cluster_state_unsynced_time_seconds": "0x420",
        'controller_runtime_reconcile_errors_total{controller="provisioner"}': "7x420",
        'workqueue_longest_running_processor_seconds{name="provisioner",controller="provisioner"}': "0x420",
        'adze_scheduler_unfinished_work_seconds{controller="provisioner"}': "0x420",
        'client_go_request_total{code="200",method="GET"}': "0+60x420",
        'client_go_request_total{code="409",method="PATCH"}': "0+1x420",
        'client_go_request_total{code="500",method="GET"}': "3x420",
        'client_go_request_total{code="403",method="GET"}': "1x420",
        'adze_waiting_pods{stage="no_place"}': "0x420", 'adze_waiting_pods{stage="node"}': "0x420",
        'adze_waiting_pods_oldest_seconds{stage="no_place"}': "0x420",
        'adze_waiting_pods_oldest_seconds{stage="decision"}': "0x420",
        'adze_waiting_pods_oldest_seconds{stage="node"}': "0x420",
        'operator_nodepool_status_condition_count{name="p",type="Ready",status="True",reason="Ready"}': "1x420",
        'karpenter_nodeclaims_disrupted_total{nodepool="p",reason="underutilized"}': "0+1x420",
        'karpenter_nodeclaims_disrupted_total{nodepool="p",reason="insufficient_capacity"}': "40x420",
        'karpenter_nodeclaims_disrupted_total{nodepool="p",reason="registration_timeout"}': "2x420",
        'adze_nodeclaims_oldest_seconds{nodepool="p",phase="initialized"}': "90000+60x420",
        'karpenter_nodepools_usage{nodepool="p",resource_type="cpu"}': "100x420",
        'karpenter_nodepools_limit{nodepool="p",resource_type="cpu"}': "100x420",
        'karpenter_cloudprovider_errors_total{method="Get",error="NodeClaimNotFoundError"}': "0+60x420",
        'aws_sdk_go_request_attempt_total{service="EC2",action="RunInstances",status_code="412"}': "0+1x420",
        'aws_sdk_go_request_attempt_total{service="EC2",action="CreateFleet",status_code="503"}': "9x420",
        'karpenter_interruption_message_queue_duration_seconds_bucket{le="1"}': "0+9x420",
        'karpenter_interruption_message_queue_duration_seconds_bucket{le="120"}': "0+10x420",
        'karpenter_interruption_message_queue_duration_seconds_bucket{le="+Inf"}': "0+10x420",
        'karpenter_voluntary_disruption_queue_failures_total{reason="drifted"}': "5x420",
        'adze_consolidation_loops_total{nodepool="p"}': "4x420",
        'adze_repack_price_dollars_per_hour{kind="now"}': "1.2x420",
        'adze_repack_price_dollars_per_hour{kind="target"}': "1x420"}
# The failure that each alert names: the series that differ, and its labels; it fires within `minutes` (30).
FAILURES = {
    "AdzeDown": ({'karpenter_build_info{version="1",instance="a"}': None}, {}, 10),
    "AdzeNoLeader": ({'leader_election_master_status{name="l",instance="a"}': "0x420"}, {}, 10),
    "AdzeStateNotSynced": ({"karpenter_cluster_state_unsynced_time_seconds": "0+60x420"}, {}, 10),
    "AdzeReconcileErrors": ({'controller_runtime_reconcile_errors_total{controller="provisioner"}': "0+20x420"},
                            {"controller": "provisioner"}, 30),
    "AdzeReconcileStuck": ({'workqueue_longest_running_processor_seconds{name="provisioner",controller="provisioner"}': "0+60x420"},
                           {"name": "provisioner"}, 30),
    "AdzePlanningSlow": ({'adze_scheduler_unfinished_work_seconds{controller="provisioner"}': "0+60x420"}, {}, 10),
    "AdzeApiForbidden": ({'client_go_request_total{code="403",method="GET"}': "0+1x420"}, {"method": "GET"}, 30),
    "AdzeApiErrors": ({'client_go_request_total{code="500",method="GET"}': "0+10x420"}, {}, 30),
    "AdzeCrdsDoNotFit": ({'adze_incompatible_crds{crd="nodepools.karpenter.sh"}': "1x420"},
                         {"crd": "nodepools.karpenter.sh"}, 10),
    "AdzePodsWithoutPlace": ({'adze_waiting_pods{stage="no_place"}': "3x420",
                              'adze_waiting_pods_oldest_seconds{stage="no_place"}': "0+60x420"}, {}, 30),
    "AdzeDecisionsLate": ({'adze_waiting_pods_oldest_seconds{stage="decision"}': "0+60x420"}, {}, 10),
    "AdzePodsWaitForNode": ({'adze_waiting_pods_oldest_seconds{stage="node"}': "0+60x420"}, {}, 30),
    "AdzeNodePoolNotReady": ({'operator_nodepool_status_condition_count{name="p",type="Ready",status="False",reason="x"}': "1x420"},
                             {"name": "p"}, 20),
    "AdzeMachinesDoNotJoin": ({'karpenter_nodeclaims_disrupted_total{nodepool="p",reason="registration_timeout"}': "_x10 1 1x8 2 2x8 3 3x420"},
                              {"nodepool": "p"}, 40),
    "AdzeNodesDoNotInitialize": ({'adze_nodeclaims_oldest_seconds{nodepool="p",phase="initializing"}': "0+60x420"},
                                 {"nodepool": "p"}, 30),
    "AdzeInsufficientCapacity": ({'karpenter_nodeclaims_disrupted_total{nodepool="p",reason="insufficient_capacity"}': "0+1x420"},
                                 {"nodepool": "p"}, 30),
    "AdzeLimitReached": ({'adze_waiting_pods{stage="no_place"}': "3x420"}, {"nodepool": "p", "resource_type": "cpu"}, 20),
    "AdzeCloudErrors": ({'karpenter_cloudprovider_errors_total{method="Create",error=""}': "0+6x420"}, {"method": "Create"}, 60),
    "AdzeAwsDenied": ({'aws_sdk_go_request_attempt_total{service="EC2",action="CreateFleet",status_code="403"}': "0+1x420"},
                      {"service": "EC2", "action": "CreateFleet"}, 20),
    "AdzeAwsThrottled": ({'aws_sdk_go_request_attempt_total{service="EC2",action="CreateFleet",status_code="503"}': "0+20x420"},
                         {"service": "EC2", "action": "CreateFleet"}, 30),
    "AdzeInterruptionsLate": ({'karpenter_interruption_message_queue_duration_seconds_bucket{le="1"}': "0+2x420"}, {}, 30),
    "AdzeDrainStuck": ({'adze_nodeclaims_oldest_seconds{nodepool="p",phase="terminating"}': "0+60x420"}, {"nodepool": "p"}, 80),
    "AdzeDisruptionFails": ({'karpenter_voluntary_disruption_queue_failures_total{reason="drifted"}': "0+1x420"},
                            {"reason": "drifted"}, 30),
    "AdzeConsolidationLoops": ({'adze_consolidation_loops_total{nodepool="p"}': "0x30 1x30 2x30 3x30 4x420"}, {"nodepool": "p"}, 150),
    "AdzePriceAboveTarget": ({'adze_repack_price_dollars_per_hour{kind="now"}': "2x420"}, {}, 400)}


def rules():
    return {rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]}


def promtool(*arguments):
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def fires(name, at, labels):
    """promtool compares annotations as well; {{ }} is filled in by Prometheus, so that they are left out of the rules here."""
    expected = [{"exp_labels": {**labels, "severity": rules()[name]["labels"]["severity"]}}] if labels is not None else []
    return {"eval_time": f"{at}m", "alertname": name, "exp_alerts": expected}


def tests():
    def series(change):
        return [{"series": name, "values": values} for name, values in {**REST, **change}.items() if values]

    at_rest = [fires(name, at, None) for name in rules() for at in (60, 410)]
    yield {"interval": "1m", "input_series": series({}), "alert_rule_test": at_rest}
    for name, (change, labels, minutes) in FAILURES.items():
        yield {"interval": "1m", "input_series": series(change), "alert_rule_test": [fires(name, minutes, labels)]}


class Alerts(unittest.TestCase):
    def test_each_alert_has_a_failure(self):
        self.assertEqual(set(FAILURES), set(rules()))

    def test_the_file_is_valid(self):
        code, out = promtool("check", "rules", str(RULES))
        self.assertEqual(code, 0, out)

    def test_they_fire_in_the_failure_and_not_at_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            document = yaml.safe_load(RULES.read_text())
            for group in document["groups"]:
                for rule in group["rules"]:
                    del rule["annotations"]
            (pathlib.Path(folder) / "rules.yaml").write_text(yaml.safe_dump(document))
            path = pathlib.Path(folder) / "tests.yaml"
            path.write_text(yaml.safe_dump({"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": list(tests())},
                                           sort_keys=False))
            code, out = promtool("test", "rules", str(path))
        self.assertEqual(code, 0, out)


if __name__ == "__main__":
    if PROMTOOL is None:
        print("skipped: there is no promtool (tools/install-dependencies --monitoring)")
        sys.exit(77)
    unittest.main()
