#!/usr/bin/env python3
"""adze iam as a user runs it: the least policy of AWN-620 and 621, by features and forms."""
import json
import re
import subprocess
import sys
import unittest

ADZE = sys.argv.pop(1)
BASE = ["--cluster", "prod", "--region", "us-west-2", "--account", "111122223333"]

# AWN-620: statement -> actions.
STATEMENTS = {
    "AllowScopedEC2InstanceAccessActions": {"ec2:RunInstances", "ec2:CreateFleet"},
    "AllowScopedEC2LaunchTemplateAccessActions": {"ec2:RunInstances", "ec2:CreateFleet"},
    "AllowScopedEC2InstanceActionsWithTags": {"ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"},
    "AllowScopedResourceCreationTagging": {"ec2:CreateTags"},
    "AllowScopedResourceTagging": {"ec2:CreateTags"},
    "AllowScopedDeletion": {"ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"},
    "AllowRegionalReadActions": {"ec2:Describe" + name for name in (
        "CapacityReservations", "Images", "Instances", "InstanceStatus", "InstanceTypeOfferings", "InstanceTypes",
        "LaunchTemplates", "PlacementGroups", "SecurityGroups", "SpotPriceHistory", "Subnets")},
    "AllowSSMReadActions": {"ssm:GetParameter"},
    "AllowPricingReadActions": {"pricing:GetProducts"},
    "AllowPassingInstanceRole": {"iam:PassRole"},
    "AllowScopedInstanceProfileCreationActions": {"iam:CreateInstanceProfile"},
    "AllowScopedInstanceProfileTagActions": {"iam:TagInstanceProfile"},
    "AllowScopedInstanceProfileActions": {"iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile",
                                          "iam:DeleteInstanceProfile"},
    "AllowInstanceProfileReadActions": {"iam:GetInstanceProfile"},
    "AllowUnscopedInstanceProfileListAction": {"iam:ListInstanceProfiles"},
    "AllowAPIServerEndpointDiscovery": {"eks:DescribeCluster"},
    "AllowInterruptionQueueActions": {"sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"},
    "AllowZonalShiftStatusReadOnly": {"arc-zonal-shift:GetManagedResource"},
}
OPTIONAL = {"AllowInterruptionQueueActions", "AllowZonalShiftStatusReadOnly"}


def adze(*arguments):
    run = subprocess.run([ADZE, "iam", *arguments], capture_output=True, text=True, timeout=60)
    return run.returncode, run.stdout, run.stderr


def policy(*arguments):
    status, out, _ = adze(*BASE, *arguments)
    assert status == 0
    return {statement["Sid"]: statement for statement in json.loads(out)["Statement"]}


class Iam(unittest.TestCase):
    def test_statements_AWN_620(self):
        found = policy("--upstream", "--queue", "prod", "--zonal-shift")
        self.assertEqual({sid: set(statement["Action"]) for sid, statement in found.items()}, STATEMENTS)
        self.assertEqual(set(policy("--upstream")), set(STATEMENTS) - OPTIONAL)

    def test_scopes_AWN_620(self):
        found = policy("--queue", "prod", "--node-role", "nodes")
        self.assertEqual(found["AllowScopedDeletion"]["Condition"], {
            "StringEquals": {"aws:ResourceTag/kubernetes.io/cluster/prod": "owned"},
            "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"}})
        self.assertEqual(found["AllowPassingInstanceRole"]["Resource"], ["arn:aws:iam::111122223333:role/nodes"])
        self.assertEqual(found["AllowInterruptionQueueActions"]["Resource"],
                         ["arn:aws:sqs:us-west-2:111122223333:prod"])
        self.assertEqual(found["AllowAPIServerEndpointDiscovery"]["Resource"],
                         ["arn:aws:eks:us-west-2:111122223333:cluster/prod"])
        for statement in found.values():
            self.assertNotIn("%", json.dumps(statement))

    def test_own_instance_profiles_AWN_621(self):
        missing = set(policy()) - set(policy("--own-instance-profiles"))
        self.assertEqual(missing, {"AllowScopedInstanceProfileCreationActions", "AllowScopedInstanceProfileTagActions",
                                   "AllowScopedInstanceProfileActions"})

    def test_forms(self):
        plain = json.loads(adze(*BASE)[1])
        resources = json.loads(adze(*BASE, "-o", "cloudformation")[1])["Resources"]
        self.assertEqual(resources["KarpenterControllerPolicy"]["Properties"]["PolicyDocument"], plain)
        out = adze(*BASE, "-o", "terraform")[1]
        self.assertEqual(json.loads(re.search(r"POLICY\n(.*?)\n  POLICY", out, re.S).group(1)), plain)
        status, out, _ = adze("--cluster", "c", "--region", "cn-north-1", "--account", "111122223333")
        self.assertEqual(status, 0)
        self.assertNotIn("arn:aws:", out)

    def test_bad_usage(self):
        for arguments in ([], BASE + ["-o", "yaml"], BASE + ["--queue", 'a"b'], BASE + ["--account", "1"],
                          BASE + ["more"], BASE + ["--nope"]):
            status, out, error = adze(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertTrue(error.startswith("adze iam: "), error)


unittest.main()
