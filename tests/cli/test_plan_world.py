#!/usr/bin/env python3
"""adze plan in the real world: what is refused, what is missing, and whose fault it is (SCH-520, GUI-13)."""
import json
import unittest

from program import ProgramTest

ZONE, TYPE = "topology.kubernetes.io/zone", "node.kubernetes.io/instance-type"
AWS = "karpenter.k8s.aws/"
EC2 = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
KWOK = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
UPSTREAM = {"apiVersion": "adze/v1", "kind": "SnapshotContext", "metadata": {"name": "c"},
            "spec": {"settings": {"COMPATIBILITY": "upstream"}}}
FILTERED = "skipping, nodepool requirements filtered out all instance types"


def pool(name="default", reference=EC2, labels=None, spec=None, uid=None, **requirements):
    keys = {"zone": ZONE, "type": TYPE, "family": AWS + "instance-family", "category": AWS + "instance-category",
            "arch": "kubernetes.io/arch", "capacity": "karpenter.sh/capacity-type", "region": "topology.kubernetes.io/region"}
    listed = [{"key": keys[key], "operator": "In", "values": values} for key, values in requirements.items()]
    template = {"metadata": {"labels": labels or {}}, "spec": {"nodeClassRef": reference, "requirements": listed}}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": dict({"name": name}, **({"uid": uid} if uid else {})),
            "spec": dict({"template": template}, **(spec or {}))}


def pod(name="a", cpu="1", gpus=0, selector=None):
    resources = {"requests": {"cpu": cpu, "memory": "1Gi"}}
    if gpus:
        resources["limits"] = {"nvidia.com/gpu": str(gpus)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}],
                     "nodeSelector": selector or {}}}


def node(name, of, zone="us-east-1a", **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": dict(
        {"karpenter.sh/nodepool": of, ZONE: zone, "kubernetes.io/hostname": name}, **labels)},
        "spec": {"providerID": "p:" + name}, "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}}}


class WorldTest(ProgramTest):
    def plan(self, *objects, options=(), **environment):
        path = self.write("world.yaml", "---\n".join(json.dumps(item) + "\n" for item in objects))
        return self.adze("plan", "-f", path, *options, **environment)

    def table(self, *objects, options=(), status=None, **environment):
        """The table with its line breaks as blanks."""
        code, out, err = self.plan(*objects, options=options, **environment)
        self.assertEqual(err, "")
        self.assertIn(code, (0, 3) if status is None else (status,))
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        return " ".join(out.split())

    def reason(self, *objects, options=()):
        """Code and detail of the only pod's only reason, and the pod's message."""
        code, out, err = self.plan(*objects, options=("-o", "json", *options))
        self.assertEqual((code, err), (3, ""))
        entry, = json.loads(out)["unschedulable"]
        reason, = entry["reasons"]
        return reason["code"], reason["detail"], entry["message"]


class Reasons(WorldTest):
    def test_a_requirement_that_no_type_meets_is_named_SCH_520(self):
        for objects, code, detail in (
                ((pool(reference=KWOK, type=["m5.larg"]), pod()), "RequirementMismatch",
                 "instance-type In [m5.larg] leaves out every instance type of region us-east-1; did you mean m5.large?"),
                ((pool(reference=KWOK, family=["zz9"]), pod()), "RequirementMismatch",
                 "instance-family In [zz9] leaves out every instance type of region us-east-1"),
                ((pool(family=["m5"], arch=["arm64"], capacity=["on-demand"]), pod()), "RequirementMismatch",
                 "arch In [arm64] and instance-family In [m5] together leave out every instance type of region us-east-1"),
                ((pool(capacity=["reserved"]), pod()), "RequirementMismatch",
                 "capacity type reserved is in no offering of region us-east-1")):
            found = self.reason(*objects)
            self.assertEqual(found[:2], (code, detail))
            self.assertEqual(found[2], "nodepool requirements filtered out all available instance types")  # SCH-46

    def test_requirements_that_leave_out_what_the_pod_needs_are_named_SCH_520(self):
        for objects, code, detail in (
                ((pool(category=["c", "m", "r"]), pod(gpus=1)), "InsufficientResources",
                 "instance-category In [c, m, r] leaves out every type with a GPU (nvidia.com/gpu)"),
                ((pool(category=["c", "m", "r"]), pod(gpus=8)), "InsufficientResources",
                 "instance-category In [c, m, r] leaves out every type with 8 nvidia.com/gpu"),
                ((pool(family=["t3", "t3a"]), pod(cpu="64")), "InsufficientResources",
                 "instance-family In [t3, t3a] leaves out every type with 64 cpu"),
                ((pool(category=["c", "m"]), pod(selector={AWS + "instance-gpu-name": "t4"})), "RequirementMismatch",
                 "instance-category In [c, m] leaves out every type that the pod's instance-gpu-name In [t4] allows"),
                ((pool(), pod(selector={ZONE: "mars-1a"})), "RequirementMismatch",
                 "the pod's zone mars-1a is in no offering of region us-east-1")):
            found = self.reason(*objects)
            self.assertEqual(found[:2], (code, detail))
            self.assertNotEqual(found[2], detail)

    def test_labels_that_pod_and_nodepool_do_not_share_are_named_SCH_520(self):
        for objects, code, detail in (
                ((pool(arch=["arm64"]), pod(selector={"kubernetes.io/arch": "amd64"})), "RequirementMismatch",
                 "the pod's arch In [amd64] contradicts the NodePool's arch In [arm64]"),
                ((pool(labels={"intent": "jobs"}), pod(selector={"intent": "apps", "team": "a"})), "UnknownLabel",
                 "the pod's intent In [apps] contradicts the NodePool's intent In [jobs], and the pod asks for team In [a], "
                 "a label that the NodePool does not have"),
                ((pool(), pod(selector={"intent": "apps"})), "UnknownLabel",
                 "the pod asks for intent In [apps], a label that the NodePool does not have"),
                ((pool(), pod(selector={"karpenter.sh/nodepool": "other"})), "RequirementMismatch",
                 "the pod asks for nodepool In [other]")):
            found = self.reason(*objects)
            self.assertEqual(sorted(found[1].split(", and ")), sorted(detail.split(", and ")))
            self.assertEqual(found[0], code)
            self.assertTrue(found[2].startswith("incompatible requirements, "))
            self.assertTrue(self.reason(UPSTREAM, *objects)[1].startswith("incompatible requirements, "))

    def test_pods_without_any_nodepool_are_told_so_SCH_530(self):
        self.assertEqual(self.reason(pod()), ("NoPool", "there is no NodePool", "no dynamic nodepools found"))
        code, out, _ = self.plan(pool(spec={"replicas": 2}), pod(), options=("-o", "json"))
        entry, = json.loads(out)["unschedulable"]
        self.assertEqual([(reason["code"], reason.get("nodePool"), reason["detail"]) for reason in entry["reasons"]], [
            ("NoPool", None, "no NodePool launches nodes for pending pods"),
            ("NoPool", "default", "the NodePool keeps a fixed number of nodes (spec.replicas), whatever is pending")])

    def test_nothing_is_blamed_without_fault(self):
        self.assertTrue(self.reason(pool(), pod(cpu="1000"))[1].startswith("no instance type has enough resources, "))
        limited = self.reason(pool(spec={"limits": {"cpu": "1"}}), pod())
        self.assertEqual(limited[:2], ("LimitExceeded", "the limit of 1 cpu (0 cpu in use) leaves out every type that is large enough"))

    def test_upstream_names_no_requirement_FMT_18(self):
        self.assertEqual(self.reason(UPSTREAM, pool(reference=KWOK, family=["zz9"]), pod())[1], FILTERED)
        self.assertTrue(self.reason(UPSTREAM, pool(category=["c"]), pod(gpus=1))[1].startswith(
            "no instance type has enough resources, "))

    def test_explain_names_them_too(self):
        text = self.table(pool(reference=KWOK, family=["zz9"]), pod(), options=("--explain",), status=3)
        self.assertEqual(text.count("instance-family In [zz9] leaves out every instance type of region us-east-1"), 2)
        self.assertNotIn("filtered out", text)


REGIONS = {  # a type's list price, and the price of spot on the day of the lists
    "us-east-1": ("m5.large", 0.096), "us-east-2": ("m5.large", 0.096), "us-west-1": ("m5.large", 0.112), "us-west-2": ("m5.large", 0.096),
    "eu-west-1": ("m5.large", 0.107), "eu-central-1": ("m5.large", 0.115), "eu-north-1": ("m5.large", 0.102),
    "ap-northeast-1": ("m5.large", 0.124), "ap-southeast-2": ("m5.large", 0.12), "sa-east-1": ("m5.large", 0.153),
    "af-south-1": ("c5.large", 0.114), "ap-south-1": ("m5.large", 0.101)}


class Regions(WorldTest):
    def first(self, *objects, options=(), **environment):
        code, out, err = self.plan(*objects, options=("-o", "json", *options), **environment)
        self.assertEqual((code, err), (0, ""))
        plan = json.loads(out)
        return plan, plan["newNodeClaims"][0]

    def test_prices_are_those_of_the_region(self):
        for region, (name, price) in REGIONS.items():
            world = pool(type=[name], capacity=["on-demand"]), pod()
            plan, claim = self.first(*world, options=("--region", region))
            self.assertEqual((plan["region"], claim["price"]), (region, price))
            self.assertNotIn("priceEstimated", claim)
            plan, claim = self.first(pool(type=[name], capacity=["on-demand"], zone=[region + "a"]), pod())
            self.assertEqual((plan["region"], claim["price"]), (region, price))

    def test_newer_types_are_estimated_and_marked(self):
        world = pool(type=["m8i.large"], capacity=["on-demand"]), pod()
        plan, claim = self.first(*world, options=("--region", "eu-west-1"))
        self.assertTrue(claim["priceEstimated"])
        self.assertIn("[price_estimated]", self.table(*world, options=("--region", "eu-west-1")))
        self.assertNotIn("priceEstimated", self.first(*world, options=("--region", "us-east-1"))[1])
        self.assertNotIn("region", self.first(*world)[0])

    def test_spot_prices_are_those_of_the_lists_or_marked(self):
        for name, options, price, interrupted in (("m5.large", (), 0.03168, True), ("m5.large", ("--region", "eu-west-1"), 0.04708, True),
                                                  ("m8i.large", (), None, False)):
            _, claim = self.first(pool(type=[name], capacity=["spot"]), pod(), options=options)
            self.assertEqual("priceEstimated" in claim, price is None)
            self.assertEqual("interruptions" in claim["costs"], interrupted)
            self.assertEqual(claim["price"], price or claim["price"])

    def test_spot_prices_at_the_floor_are_marked(self):
        for name, marked in (("m8gd.4xlarge", True), ("m7gd.4xlarge", False)): # 11 and 40 % of their list prices
            _, claim = self.first(pool(type=[name], capacity=["spot"]), pod())
            self.assertEqual("priceEstimated" in claim, marked, (name, claim["price"]))
        self.assertNotIn("priceEstimated", self.first(pool(type=["m8gd.4xlarge"], capacity=["on-demand"]), pod())[1])

    def test_what_the_region_lacks_is_not_offered(self):
        code, detail, _ = self.reason(pool(type=["c7g.large"]), pod(), options=("--region", "af-south-1"))
        self.assertEqual((code, detail.split(";")[0]), (
            "RequirementMismatch", "instance-type In [c7g.large] leaves out every instance type of region af-south-1"))
        code, detail, _ = self.reason(pool(zone=["eu-west-1a"]), pod(), options=("--region", "us-east-1"))
        self.assertEqual((code, detail), ("RequirementMismatch", "zone eu-west-1a is in no offering of region us-east-1"))

    def test_the_region_is_found_and_its_source_is_told(self):
        status = {"subnets": [{"id": "subnet-1", "zone": "ap-south-1b", "zoneID": "aps1-az3"}]}
        node_class = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default"}, "spec": {
            "role": "r", "amiSelectorTerms": [{"alias": "al2023@latest"}], "subnetSelectorTerms": [{"id": "subnet-1"}],
            "securityGroupSelectorTerms": [{"id": "sg-1"}]}, "status": status}
        any_type = pool(type=["m5.large"])
        for objects, environment, source in (
                ((pool(zone=["eu-west-1a"]), pod()), {}, "region eu-west-1: by zone eu-west-1a of NodePool default"),
                ((pool(region=["eu-west-2"]), pod()), {}, "region eu-west-2: by region eu-west-2 of NodePool default"),
                ((pool(labels={ZONE: "eu-west-3a"}), pod()), {}, "region eu-west-3: by zone eu-west-3a of NodePool default"),
                ((pool(zone=["us-west-2-lax-1a"], type=["c5.2xlarge"]), pod()), {}, "region us-west-2: by zone us-west-2-lax-1a of NodePool"),
                ((any_type, node_class, pod()), {}, "region ap-south-1: by zone ap-south-1b of EC2NodeClass default"),
                ((any_type, node("n", "default", zone="ca-central-1d"), pod()), {}, "region ca-central-1: by zone ca-central-1d of Node n"),
                ((any_type, pod()), {"AWS_REGION": "eu-north-1"}, "region eu-north-1: by AWS_REGION of the environment"),
                ((any_type, pod()), {"AWS_DEFAULT_REGION": "eu-south-1"}, "region eu-south-1: by AWS_DEFAULT_REGION of the environment"),
                ((any_type, pod()), {"AWS_REGION": "moon"}, "AWS_REGION names region moon, which is not known region us-east-1 is taken"),
                ((pool(reference=KWOK, zone=["eu-west-1a"]), pod()), {"AWS_REGION": "eu-north-1"}, "region eu-west-1: by zone eu-west-1a"),
                ((any_type, pod()), {}, "region us-east-1 is taken: nothing names one (--region does)")):
            self.assertIn(source, self.table(*objects, status=0, **environment))

    def test_contradictions_are_told(self):
        text = self.table(pool(zone=["eu-west-1a", "eu-west-1b"]), pool("b", zone=["us-west-2a"]), pod())
        self.assertIn("region eu-west-1: by zone eu-west-1a of NodePool default zone us-west-2a of NodePool b is not in region "
                      "eu-west-1: it contradicts", text)
        text = self.table(pool(zone=["eu-west-1a"]), pod(), options=("--region", "us-east-1"))
        self.assertIn("zone eu-west-1a of NodePool default is not in region us-east-1: it contradicts", text)

    def test_regions_that_do_not_exist_are_refused(self):
        for zone in ("us-west-2-lax-1", "us-west-2b"):
            self.assert_refused(self.plan(pool(), pod(), options=("--region", zone)), 2, "a zone of region us-west-2")
        self.assert_refused(self.plan(pool(), pod(), options=("--region", "eu-wst-1")), 2, "there is no such region",
                            "did you mean eu-west-1")
        self.assert_refused(self.plan(pool(), pod(), options=("--region", "eu-west-1", "--provider", "kwok")), 2, "know no regions")

    def test_names_that_exist_nowhere_are_refused_by_plan_and_validate_GUI_13(self):
        for found, complaint, hint in (
                (pool(zone=["eu-west-1z"]), "zone eu-west-1z does not exist", "did you mean eu-west-1a"),
                (pool(zone=["eu-wst-1a"]), "zone eu-wst-1a does not exist", "did you mean eu-west-1a"),
                (pool(labels={ZONE: "us-east-1x"}), "zone us-east-1x does not exist", "did you mean us-east-1a"),
                (pool(region=["us-est-1"]), "region us-est-1 does not exist", "did you mean us-east-1"),
                (pool(family=["t9"]), "instance family t9 does not exist", "did you mean t1 or t2 or t3?"),
                (pool(type=["m5.large", "m5.larg"]), "instance type m5.larg does not exist", "did you mean m5.large?")):
            self.assert_refused(self.plan(found, pod()), 2, complaint, hint, "NodePool default is refused")
            code, out, _ = self.adze("validate", "world.yaml")
            self.assertEqual(code, 2)
            self.assertIn("rejected: NodePool/default", out)
            self.assertIn(complaint, out)
            self.assertIn(hint, out)
            self.assertIn(complaint, self.table(found, pod(), options=("--force",)))

    def test_names_that_exist_are_fine(self):
        for found in (pool(zone=["eu-west-1a"]), pool(zone=["us-west-2-lax-1a"]), pool(type=["p3.2xlarge"]), pool(family=["m8i"]),
                      pool(reference=KWOK, zone=["test-zone-a"])):
            self.plan(found)
            code, out, _ = self.adze("validate", "world.yaml")
            self.assertEqual((code, "0 errors" in out), (0, True), out)
        harmless = pool()
        harmless["spec"]["template"]["spec"]["requirements"] = [{"key": AWS + "instance-family", "operator": "NotIn", "values": ["t9"]}]
        self.assertEqual(self.plan(harmless, pod())[0], 0)
        self.assertIn(" 0 errors, 0 warnings", self.adze("validate", "world.yaml")[1])


class Admission(WorldTest):
    def test_objects_that_an_api_server_refuses_are_refused(self):
        heavy = pool(spec={"weight": 1000})
        self.assert_refused(self.plan(heavy, pod()), 2, "world.yaml:1:", "spec.weight: 1000 is more than 100",
                            "NodePool default is refused", "--force goes on all the same")
        text = self.table(heavy, pod(), options=("--force",), status=0)
        self.assertIn("NodePool default would be refused: spec.weight: 1000 is more than 100", text)
        overlay = {"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay", "metadata": {"name": "o"},
                   "spec": {"price": "x", "requirements": []}}
        self.assert_refused(self.plan(pool(), overlay, pod()), 2, "NodeOverlay o is refused")

    def test_all_that_validate_refuses_is_counted(self):
        bad = pool(spec={"weight": 1000})
        bad["spec"]["template"]["spec"]["requirements"].append({"key": "karpenter.sh/nodepool", "operator": "Exists"})
        self.assert_refused(self.plan(bad, pod()), 2, "also for 1 other reason")
        self.assertEqual(self.adze("validate", "world.yaml")[0], 2)

    def test_objects_of_a_cluster_are_admitted_already(self):
        self.assertIn("would be refused: spec.weight", self.table(pool(spec={"weight": 1000}, uid="u-1"), pod(), status=0))

    def test_missing_objects_are_named(self):
        node_class = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "other"}, "spec": {
            "role": "r", "amiSelectorTerms": [{"alias": "al2023@latest"}], "subnetSelectorTerms": [{"id": "subnet-1"}],
            "securityGroupSelectorTerms": [{"id": "sg-1"}]}}
        for more in ((), (node_class,)):
            self.assertIn("EC2NodeClass default of NodePool default is not in the input (taken: one for AL2023)",
                          self.table(pool(), pod(), *more))
        auto = {"group": "eks.amazonaws.com", "kind": "NodeClass", "name": "default"}
        self.assertIn("NodeClass default of NodePool default is of a group (eks.amazonaws.com) that is not known here", self.table(pool(reference=auto), pod(), options=("--force",)))
        code, out, err = self.plan(pool(reference=auto), pod())
        self.assertEqual((code, out), (2, ""))
        self.assertIn("NodePool default: NodeClass default is of group eks.amazonaws.com, EKS Auto Mode, which is planned as an EC2NodeClass: `adze convert", err)
        azure = {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "default"}
        self.assertIn("whose machines and prices are not known here (--catalog FILE", self.plan(pool(reference=azure), pod())[2])
        self.assertEqual(self.plan(pool(reference=azure, uid="u"), pod())[0], 0)  # a cluster has admitted it
        text = self.table(pool(), node("n1", "gone"), node("n2", "gone"), node("n3", "lost"), node("n4", "default"), pod())
        self.assertIn("NodePool gone, to which 2 nodes belong, is not in the input", text)
        self.assertIn("NodePool lost, to which 1 node belongs, is not in the input", text)
        self.assertNotIn("NodePool default, to which", text)


if __name__ == "__main__":
    unittest.main()
