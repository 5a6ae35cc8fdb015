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


class Hcl:
    """A strict reader of the part of HCL that resources need, written from its specification: blocks with quoted labels,
    attributes with quoted strings or heredocs, one a line. Templates (${, %{) are refused: nothing here means one."""
    TOKEN = re.compile(r'[ \t]*(?:(?P<heredoc><<-?(?P<name>[A-Z]+)\n(?P<body>.*?)\n[ \t]*(?P=name)(?=\n))|(?P<string>"(?:[^"\\\n]|\\["\\nrt])*")'
                       r'|(?P<word>[A-Za-z_][A-Za-z0-9_-]*)|(?P<sign>[{}=])|(?P<line>\n))', re.S)

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            found = self.TOKEN.match(text, at)
            if found is None: raise ValueError("no token at %r" % text[at:at + 40])
            kind = found.lastgroup if found.lastgroup != "body" and found.lastgroup != "name" else "heredoc"
            value = self.dedented(found) if kind == "heredoc" else found.group(kind)
            self.tokens.append((kind, value))
            at = found.end()
        self.tokens.append(("end", ""))
        self.at = 0

    @staticmethod
    def dedented(found):
        lines = found.group("body").split("\n")
        if not found.group("heredoc").startswith("<<-"): return "\n".join(lines)
        margin = min(len(line) - len(line.lstrip(" ")) for line in lines if line.strip())
        return "\n".join(line[margin:] for line in lines)

    def take(self, kind, value=None):
        found = self.tokens[self.at]
        if found[0] != kind or value not in (None, found[1]): raise ValueError("%s %s expected, not %s" % (kind, value, found))
        self.at += 1
        if kind in ("string", "heredoc"):
            if "${" in found[1] or "%{" in found[1]: raise ValueError("a template: %s" % found[1][:60])
            if kind == "string": return json.loads(found[1])
        return found[1]

    def body(self, end):
        """{attribute: text} and [(type, labels, body)] up to the end."""
        attributes, blocks = {}, []
        while self.tokens[self.at][0] != end[0] or (end[1] and self.tokens[self.at][1] != end[1]):
            if self.tokens[self.at][0] == "line":
                self.at += 1
                continue
            name, labels = self.take("word"), []
            if self.tokens[self.at] == ("sign", "="):
                self.at += 1
                if name in attributes: raise ValueError("%s twice" % name)
                attributes[name] = self.take(self.tokens[self.at][0] if self.tokens[self.at][0] == "heredoc" else "string")
            else:
                while self.tokens[self.at][0] == "string": labels.append(self.take("string"))
                self.take("sign", "{")
                self.take("line")
                blocks.append((name, labels, self.body(("sign", "}"))))
                self.take("sign", "}")
            self.take("line")
        return attributes, blocks


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def hcl(text):
    return Hcl(text).body(("end", ""))


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

    def test_terraform_is_hcl(self):
        for more in ([], ["--queue", "a"], ["--own-instance-profiles", "--ssm-parameter", "/own/*"],
                     ["--node-role", "one,two"], ["--upstream"]):
            out = adze(*BASE, *more, "-o", "terraform")[1]
            attributes, blocks = hcl(out)
            self.assertEqual((attributes, len(blocks)), ({}, 1))
            kind, labels, (attributes, inner) = blocks[0]
            self.assertEqual((kind, labels, inner), ("resource", ["aws_iam_policy", "karpenter_controller"], []))
            self.assertEqual(set(attributes), {"name", "policy"})
            self.assertEqual(attributes["name"], "KarpenterControllerPolicy-prod")
            self.assertRegex(attributes["name"], r"^[\w+=,.@-]{1,128}$")
            self.assertEqual(json.loads(attributes["policy"]), json.loads(adze(*BASE, *more)[1]))
            self.assertLessEqual(len(compact(json.loads(attributes["policy"]))), 6144)
            try:
                import hcl2 # python3-hcl2, an independent parser, where it is there
            except ImportError:
                continue
            resource = hcl2.loads(out)["resource"][0]["aws_iam_policy"]["karpenter_controller"]
            self.assertEqual(resource["name"], attributes["name"])

    def test_large_policies_are_several(self):
        everything = BASE[2:] + ["--cluster", "c" * 100, "--queue", "a,b", "--zonal-shift", "--doctor"]
        status, out, note = adze(*everything)
        self.assertEqual(status, 0)
        self.assertIn("larger than the 6144 characters of a managed policy", note)
        whole = json.loads(out)
        resources = json.loads(adze(*everything, "-o", "cloudformation")[1])["Resources"]
        blocks = hcl(adze(*everything, "-o", "terraform")[1])[1]
        self.assertEqual(list(resources), ["KarpenterControllerPolicy", "KarpenterControllerPolicy2"])
        self.assertEqual([labels[1] for _, labels, _ in blocks], ["karpenter_controller", "karpenter_controller_2"])
        for parts in ([r["Properties"]["PolicyDocument"] for r in resources.values()],
                      [json.loads(body[0]["policy"]) for _, _, body in blocks]):
            self.assertEqual([s for part in parts for s in part["Statement"]], whole["Statement"])
            for part in parts: self.assertLessEqual(len(compact(part)), 6144)
        for name in [r["Properties"]["ManagedPolicyName"] for r in resources.values()] + [body[0]["name"] for _, _, body in blocks]:
            self.assertRegex(name, r"^[\w+=,.@-]{1,128}$")

    def test_the_reader_of_hcl_is_strict(self):
        good = 'resource "a" "b" {\n  name = "c"\n  policy = <<-POLICY\n{"d": 1}\n  POLICY\n}\n'
        self.assertEqual(hcl(good)[1][0][2][0], {"name": "c", "policy": '{"d": 1}'})
        for old, new in (('"c"', "c"), ('"c"', '"c'), ("}\n", "\n"), ('"c"\n', '"c" '), ("  POLICY", "  POLICYX"),
                         ('"c"', '"${c}"'), ('{"d": 1}', "%{if d}"), ('"b" {', '"b" {{'), ("policy =", "name ="), ('"c"', '"\\x"')):
            with self.assertRaises(ValueError, msg=new): hcl(good[:-2].replace(old, new, 1) + (good[-2:] if old != "}\n" else ""))

    def test_bad_usage(self):
        for arguments in ([], BASE + ["-o", "yaml"], BASE + ["--queue", 'a"b'], BASE + ["--account", "1"],
                          BASE + ["more"], BASE + ["--nope"], BASE + ["--cluster", "*"], BASE + ["--region", "*"],
                          BASE + ["--cluster", "a/b"], BASE + ["--cluster", "x" * 101], BASE + ["--partition", "aws:iam"],
                          BASE + ["--node-role", "${role}"]):
            status, out, error = adze(*arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertTrue(error.startswith("adze iam: "), error)


unittest.main()
