#!/usr/bin/env python3
"""adze convert of Cluster Autoscaler: flags, Auto Scaling groups, launch templates, node groups, workloads."""
import base64
import json
import unittest

from program import ProgramTest

CA = "k8s.io/cluster-autoscaler/"
FLAGS = """--cloud-provider=aws --expander=least-waste --scale-down-unneeded-time=15m --max-drain-parallelism=2 --max-scale-down-parallelism=10
--skip-nodes-with-local-storage=false --skip-nodes-with-system-pods=false --skip-nodes-with-custom-controller-pods=false
--node-group-auto-discovery=asg:tag=k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/c1 --v=4"""
SCRIPT = "#!/bin/bash\n/etc/eks/bootstrap.sh c1 --kubelet-extra-args '--max-pods=58 --node-labels=team=web'\n"


def tag(key, value, propagate=False):
    return {"Key": key, "Value": value, "PropagateAtLaunch": propagate}


def group(name="Workers", **fields):
    return {"AutoScalingGroupName": name, "MinSize": 2, "MaxSize": 40, "DesiredCapacity": 6, "AvailabilityZones": ["eu-west-1b", "eu-west-1a"],
            "VPCZoneIdentifier": "subnet-b,subnet-a", "LaunchTemplate": {"LaunchTemplateId": "lt-1", "Version": "$Latest"},
            "Tags": [tag(CA + "enabled", "true"), tag(CA + "c1", "owned"), tag("kubernetes.io/cluster/c1", "owned", True)], **fields}


def template(script=SCRIPT, **fields):
    data = {"ImageId": "ami-0abc", "IamInstanceProfile": {"Arn": "arn:aws:iam::111122223333:instance-profile/x/workers-profile"},
            "SecurityGroupIds": ["sg-0workers"], "InstanceType": "m5.large",
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 80, "VolumeType": "gp3", "Encrypted": True}}],
            "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2}, **fields}
    if script:
        data["UserData"] = base64.b64encode(script.encode()).decode()
    return json.dumps({"LaunchTemplateVersions": [{"LaunchTemplateId": "lt-1", "LaunchTemplateName": "t", "VersionNumber": 3, "DefaultVersion": True,
                                                   "LaunchTemplateData": data}]})


class Groups(ProgramTest):
    def convert(self, *texts, options=(), status=3, valid=True):
        files = [self.write(f"{i}.json", text if isinstance(text, str) else json.dumps(text)) for i, text in enumerate(texts)]
        code, out, err = self.adze("convert", "-o", "json", *options, *files)
        self.assertEqual(code, status, err)
        self.notes = json.loads(err[err.index("["):])
        self.codes = {n["code"] for n in self.notes}
        if valid:
            code, findings, _ = self.adze("validate", "-o", "json", "-", stdin=out)
            self.assertEqual((code, [e for o in json.loads(findings)["objects"] for e in o["errors"]]), (0, []))
        return {f"{i['kind']}/{i['metadata']['name']}": i for i in json.loads(out)["items"]}

    def asg(self, *groups, options=(), status=3, **parts):
        return self.convert({"AutoScalingGroups": list(groups)}, template(**parts), options=options, status=status)

    def requirements(self, pool):
        return {r["key"] + (" " + r["operator"] if r["operator"] != "In" else ""): r.get("values") for r in pool["spec"]["template"]["spec"]["requirements"]}

    def test_placeholders_become_a_buffer_MIG_92(self):
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "room", "namespace": "kube-system"}, "spec": {
            "replicas": 3, "selector": {"matchLabels": {"run": "room"}}, "template": {"metadata": {"labels": {"run": "room"}}, "spec": {
                "priorityClassName": "low", "terminationGracePeriodSeconds": 0,
                "containers": [{"name": "reserve", "image": "registry.k8s.io/pause:3.9", "resources": {"requests": {"cpu": "2"}}}]}}}}
        low = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "low"}, "value": -10}
        objects = self.convert(deployment, low, options=["--buffers"], status=0)
        self.assertEqual(objects["CapacityBuffer/room"]["spec"], {"podTemplateRef": {"name": "room"}, "replicas": 3})
        self.assertEqual(objects["CapacityBuffer/room"]["metadata"], {"name": "room", "namespace": "kube-system"})
        self.assertEqual(objects["PodTemplate/room"]["template"], {"metadata": {"labels": {"run": "room"}}, "spec": {
            "containers": deployment["spec"]["template"]["spec"]["containers"]}})
        self.assertNotIn("Deployment/room", objects)
        self.assertEqual(self.codes, {"M-placeholder"})
        objects = self.convert(deployment, low, status=0)
        self.assertEqual((objects["Deployment/room"], self.codes), (deployment, {"M-placeholder"}))
        self.convert(deployment, {**low, "value": 10}, status=0)
        self.assertEqual(self.codes, set())

    def test_types_are_widened_if_asked_MIG_81(self):
        mixed = {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateId": "lt-1"},
                                    "Overrides": [{"InstanceType": t} for t in ("m5.large", "m5a.xlarge", "m6i.large")]}}
        pool = self.asg(group(MixedInstancesPolicy=mixed), options=["--widen"])["NodePool/workers"]
        self.assertEqual({k: v for k, v in self.requirements(pool).items() if "instance-" in k},
                         {"karpenter.k8s.aws/instance-family": ["m5", "m5a", "m6i"], "karpenter.k8s.aws/instance-size": ["large", "xlarge"]})
        self.assertIn("M-widen", self.codes)
        pool = self.asg(group(), options=["--widen"])["NodePool/workers"]
        self.assertEqual(self.requirements(pool)["node.kubernetes.io/instance-type"], ["m5.large"])

    def test_wildcards_are_expanded_with_a_catalogue_MIG_10_82(self):
        requirements = {"VCpuCount": {"Min": 2}, "MemoryMiB": {"Min": 4096}, "AllowedInstanceTypes": ["m5*.large", "c6g.*"]}
        catalog = self.write("types.json", json.dumps({"InstanceTypes": [{"InstanceType": t} for t in
                                                                         ("m5.large", "m5d.large", "m5.xlarge", "c6g.medium", "c6g.large", "r5.large")]}))
        mixed = {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateId": "lt-1"}, "Overrides": [{"InstanceRequirements": requirements}]}}
        pool = self.asg(group(MixedInstancesPolicy=mixed), options=["--catalog", catalog])["NodePool/workers"]
        self.assertEqual(self.requirements(pool)["node.kubernetes.io/instance-type"], ["c6g.large", "c6g.medium", "m5.large", "m5d.large"])
        lost = {n["text"] for n in self.notes if n["class"] == "lost"}
        self.asg(group(MixedInstancesPolicy=mixed))
        self.assertGreater(len({n["text"] for n in self.notes if n["class"] == "lost"}), len(lost))
        self.assert_refused(self.adze("convert", "--catalog", self.write("none.json", "{}"), self.write("x.json", "{}")), 2, "no instance types")

    def test_flags_group_and_template_MIG_70_89_91_145_146_147(self):
        mixed = {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateId": "lt-1", "Version": "3"},
                                    "Overrides": [{"InstanceType": "m5a.xlarge"}, {"InstanceType": "m5.xlarge"}]},
                 "InstancesDistribution": {"OnDemandBaseCapacity": 2, "OnDemandPercentageAboveBaseCapacity": 20}}
        tags = [*group()["Tags"], tag("cost-center", "7", True), tag(CA + "node-template/label/team", "web"), tag(CA + "node-template/taint/dedicated", "web:NoSchedule"),
                tag(CA + "node-template/taint/startup-taint.cluster-autoscaler.kubernetes.io/cni", "true:NoSchedule")]
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "ca"}, "spec": {"template": {"spec": {"containers": [
            {"image": "registry.k8s.io/autoscaling/cluster-autoscaler:v1.30.0", "command": ["./cluster-autoscaler", *FLAGS.split()]}]}}}}
        objects = self.convert(deployment, {"AutoScalingGroups": [group(MixedInstancesPolicy=mixed, Tags=tags), group("other", Tags=[])]}, template(KeyName="ops"))
        self.assertEqual(list(objects), ["NodePool/workers", "EC2NodeClass/workers", "ConfigMap/adze-settings"])
        pool = objects["NodePool/workers"]["spec"]
        self.assertEqual(pool["disruption"], {"budgets": [{"nodes": "10", "reasons": ["Empty"]}, {"nodes": "2", "reasons": ["Drifted", "Underutilized"]}],
                                              "consolidateAfter": "15m", "consolidationPolicy": "WhenEmptyOrUnderutilized"})
        self.assertEqual((pool["limits"], pool["template"]["metadata"]), ({"nodes": 40}, {"labels": {"team": "web"}}))
        self.assertEqual(pool["template"]["spec"], {
            "expireAfter": "Never", "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "workers"},
            "requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand", "spot"]},
                             {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["m5.xlarge", "m5a.xlarge"]},
                             {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eu-west-1a", "eu-west-1b"]}],
            "startupTaints": [{"effect": "NoSchedule", "key": "startup-taint.cluster-autoscaler.kubernetes.io/cni", "value": "true"}],
            "taints": [{"effect": "NoSchedule", "key": "dedicated", "value": "web"}]})
        self.assertEqual(objects["EC2NodeClass/workers"]["spec"], {
            "amiFamily": "AL2", "amiSelectorTerms": [{"id": "ami-0abc"}],
            "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"encrypted": True, "volumeSize": "80Gi", "volumeType": "gp3"}}],
            "instanceProfile": "workers-profile", "kubelet": {"maxPods": 58},
            "metadataOptions": {"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled", "httpPutResponseHopLimit": 2, "httpTokens": "required"},
            "securityGroupSelectorTerms": [{"id": "sg-0workers"}], "subnetSelectorTerms": [{"id": "subnet-a"}, {"id": "subnet-b"}], "tags": {"cost-center": "7"}})
        self.assertEqual(objects["ConfigMap/adze-settings"]["data"], {"CLUSTER_NAME": "c1", "LOG_LEVEL": "debug"})
        self.assertLessEqual({"M-min-size", "M-ratio", "M-KeyName", "M-parallelism"}, self.codes)

    def test_node_group_priorities_and_workloads_MIG_76_87_88_90_148(self):
        arm = {"nodegroupName": "arm", "amiType": "AL2023_ARM_64_STANDARD", "releaseVersion": "1.33.0-20250519", "capacityType": "SPOT", "instanceTypes": ["m7g.large"],
               "diskSize": 50, "subnets": ["subnet-a"], "nodeRole": "arn:aws:iam::111122223333:role/ng", "labels": {"tier": "x"},
               "taints": [{"key": "arm", "value": "yes", "effect": "NO_SCHEDULE"}], "scalingConfig": {"minSize": 0, "maxSize": 5}, "updateConfig": {"maxUnavailable": 1}}
        x86 = {**arm, "nodegroupName": "x86", "amiType": "AL2023_x86_64_STANDARD", "capacityType": "ON_DEMAND", "instanceTypes": ["m7i.large"], "taints": []}
        priorities = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-autoscaler-priority-expander", "namespace": "kube-system"},
                      "data": {"priorities": "10:\n  - x86\n50:\n  - .*arm.*\n"}}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}},
               "spec": {"nodeSelector": {"eks.amazonaws.com/nodegroup": "arm"}, "containers": [{"name": "a", "image": "a"}]}}
        objects = self.convert({"nodegroup": arm}, {"nodegroup": x86}, priorities, pod, options=["--ami", "pinned"], valid=False)
        pool = objects["NodePool/arm"]["spec"]
        self.assertEqual((pool["weight"], pool["limits"]), (20, {"nodes": 5}))
        self.assertEqual(pool["disruption"], {"budgets": [{"nodes": "1", "reasons": ["Drifted"]}], "consolidateAfter": "10m", "consolidationPolicy": "WhenEmptyOrUnderutilized"})
        self.assertEqual(pool["template"]["metadata"], {"labels": {"tier": "x"}})
        self.assertEqual(self.requirements(objects["NodePool/arm"]), {"karpenter.sh/capacity-type": ["spot"], "kubernetes.io/arch": ["arm64"], "kubernetes.io/os": ["linux"],
                                                                      "node.kubernetes.io/instance-type": ["m7g.large"]})
        self.assertEqual(pool["template"]["spec"]["taints"], [{"effect": "NoSchedule", "key": "arm", "value": "yes"}])
        node_class = objects["EC2NodeClass/arm"]["spec"]
        self.assertEqual((node_class["amiSelectorTerms"], node_class["role"]), ([{"alias": "al2023@v20250519"}], "ng"))
        self.assertEqual(node_class["blockDeviceMappings"], [{"deviceName": "/dev/xvda", "ebs": {"encrypted": True, "volumeSize": "50Gi", "volumeType": "gp3"}}])
        self.assertIn("ADZE-TODO-SECURITY-GROUPS", json.dumps(node_class["securityGroupSelectorTerms"]))
        self.assertIn("M-security-groups", self.codes)
        self.assertEqual(objects["NodePool/x86"]["spec"]["weight"], 10)
        self.assertNotIn("EC2NodeClass/x86", objects)  # the same class (MIG-75)
        self.assertEqual(objects["NodePool/x86"]["spec"]["template"]["spec"]["nodeClassRef"]["name"], "arm")
        self.assertEqual(objects["Pod/p"]["metadata"]["annotations"], {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true"})
        self.assertEqual(objects["Pod/p"]["spec"]["nodeSelector"], {"karpenter.sh/nodepool": "arm"})

    def test_sizes_purchase_and_merging_MIG_75_78_80_84_85(self):
        a, b = group("web-1a", AvailabilityZones=["eu-west-1a"], VPCZoneIdentifier="subnet-a"), group("web-1b", AvailabilityZones=["eu-west-1b"], VPCZoneIdentifier="subnet-b")
        objects = self.asg(a, b)
        self.assertEqual([n for n in objects if n.startswith("NodePool")], ["NodePool/web"])
        self.assertEqual(objects["NodePool/web"]["spec"]["limits"], {"nodes": 80})
        self.assertEqual(self.requirements(objects["NodePool/web"]), {"karpenter.sh/capacity-type": ["on-demand"], "node.kubernetes.io/instance-type": ["m5.large"],
                                                                      "topology.kubernetes.io/zone": ["eu-west-1a", "eu-west-1b"]})
        self.assertIn("M-merged", self.codes)
        self.assertEqual(len([n for n in self.asg(a, b, options=["--no-merge"]) if n.startswith("NodePool")]), 2)
        objects = self.asg(group(), options=["--static-min", "--grace"], status=0)
        self.assertEqual((objects["NodePool/workers-min"]["spec"]["replicas"], objects["NodePool/workers-min"]["spec"]["limits"]), (2, {"nodes": 2}))
        self.assertEqual(objects["NodePool/workers"]["spec"]["template"]["spec"]["terminationGracePeriod"], "10m")
        for distribution, types in (({"OnDemandPercentageAboveBaseCapacity": 0}, ["spot"]), ({}, ["on-demand"]), ({"OnDemandBaseCapacity": 1, "OnDemandPercentageAboveBaseCapacity": 0}, ["on-demand", "spot"])):
            mixed = {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateName": "t", "Version": "$Default"}}, "InstancesDistribution": distribution}
            self.assertEqual(self.requirements(self.asg(group(MixedInstancesPolicy=mixed))["NodePool/workers"])["karpenter.sh/capacity-type"], types)
        objects = self.asg(group(MaxInstanceLifetime=604800, TargetGroupARNs=["arn:x"], Tags=[tag(CA + "node-template/autoscaling-options/scaledownunneededtime", "1m0s"),
                                 tag(CA + "node-template/label/topology.kubernetes.io/zone", "eu-west-1a"), tag(CA + "node-template/resources/nvidia.com/gpu", "1")]))
        self.assertEqual(objects["NodePool/workers"]["spec"]["template"]["spec"]["expireAfter"], "168h")
        self.assertEqual(objects["NodePool/workers"]["spec"]["disruption"]["consolidateAfter"], "1m")
        self.assertEqual(objects["NodeOverlay/workers"]["spec"]["capacity"], {"nvidia.com/gpu": "1"})
        self.assertIn("M-lb", self.codes)

    def test_instance_requirements_MIG_82(self):
        attributes = {"VCpuCount": {"Min": 4, "Max": 16}, "MemoryMiB": {"Min": 8192}, "CpuManufacturers": ["intel", "amazon-web-services"], "InstanceGenerations": ["current"],
                      "AcceleratorCount": {"Max": 0}, "ExcludedInstanceTypes": ["m5.*", "c5.large"], "NetworkBandwidthGbps": {"Min": 1.5}, "MemoryGiBPerVCpu": {"Min": 2}}
        mixed = {"LaunchTemplate": {"LaunchTemplateSpecification": {"LaunchTemplateId": "lt-1"}, "Overrides": [{"InstanceRequirements": attributes}]}}
        k = "karpenter.k8s.aws/instance-"
        found = self.requirements(self.asg(group(MixedInstancesPolicy=mixed))["NodePool/workers"])
        self.assertEqual({key: value for key, value in found.items() if key.startswith(k)}, {
            k + "accelerator-count DoesNotExist": None, k + "gpu-count DoesNotExist": None, k + "category NotIn": ["t"], k + "cpu Gte": ["4"], k + "cpu Lte": ["16"],
            k + "cpu-manufacturer": ["aws", "intel"], k + "family NotIn": ["m5"], k + "generation Gt": ["2"], k + "hypervisor": ["nitro", "xen"], k + "memory Gte": ["8192"],
            k + "network-bandwidth Gte": ["1500"]})
        self.assertIn("M-attribute", self.codes)

    def test_user_data_MIG_91(self):
        def spec(script):
            return self.asg(group(), script=script)["EC2NodeClass/workers"]["spec"]
        part = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\nContent-Type: %s\n\n%s\n--B--\n'
        found = spec(part % ("application/node.eks.aws", "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster: {name: c}\n  kubelet:\n    config: {maxPods: 20}\n"
                             "    flags: [\"--node-labels=a=b\"]\n  instance: {localStorage: {strategy: RAID0}}\n"))
        self.assertEqual((found["amiFamily"], found["kubelet"], found["instanceStorePolicy"]), ("AL2023", {"maxPods": 20}, "RAID0"))
        self.assertNotIn("userData", found)
        found = spec('[settings.kubernetes]\ncluster-name = "c"\napi-server = "x"\nmax-pods = 30\n[settings.kubernetes.node-labels]\n"a" = "b"\n[settings.kubernetes.node-taints]\n'
                     'dedicated = ["x:NoSchedule"]\n[settings.host-containers.admin]\nenabled = true\n')
        self.assertEqual((found["amiFamily"], found["kubelet"]), ("Bottlerocket", {"maxPods": 30}))
        self.assertEqual(found["userData"].split(), ["[settings]", "[settings.host-containers]", "[settings.host-containers.admin]", "enabled", "=", "true"])
        found = spec(SCRIPT + "yum install -y thing\n")
        self.assertEqual(found["userData"], "#!/bin/bash\nyum install -y thing\n")
        self.assertIn("bootstrap.sh", spec(SCRIPT.replace("58", "$PODS"))["userData"])
        self.assertIn("M-userdata", self.codes)
        self.assertEqual((spec("#!/bin/sh\nown\n")["amiFamily"], "M-unregistered-taint" in self.codes), ("Custom", True))

    def test_flags_alone_MIG_71_72_73(self):
        self.write("flags.txt", "--scale-down-enabled=false\n--cores-total=0:100\n--max-nodes-total 20\n--nonsense=1\n--scale-down-delay-after-add=30m\n")
        objects = self.convert(options=["--flags", "flags.txt"], valid=False)
        pool = objects["NodePool/default"]["spec"]
        self.assertEqual(pool["disruption"], {"budgets": [{"nodes": "0", "reasons": ["Empty", "Underutilized"]}], "consolidateAfter": "30m",
                                              "consolidationPolicy": "WhenEmptyOrUnderutilized"})
        self.assertEqual(pool["limits"], {"cpu": 100, "nodes": 20})
        self.assertLessEqual({"M-no-groups", "M-ca-unknown", "M-local-storage", "M-system-pods", "M-custom-controllers", "M-delay"}, self.codes)
        values = "autoDiscovery: {clusterName: c9}\nextraArgs: {scale-down-utilization-threshold: 0, skip-nodes-with-local-storage: false}\n"
        objects = self.convert(values, valid=False)
        self.assertEqual(objects["NodePool/default"]["spec"]["disruption"]["consolidationPolicy"], "WhenEmpty")
        self.assertEqual(objects["ConfigMap/adze-settings"]["data"], {"CLUSTER_NAME": "c9"})
        self.assertNotIn("M-local-storage", self.codes)

    def test_eksctl(self):
        objects = self.convert("""apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: shop, region: eu-west-1}
managedNodeGroups:
- {name: spot-ng, instanceTypes: [m5.large, m5a.large], spot: true, minSize: 1, maxSize: 9, volumeSize: 100, labels: {role: web}, amiFamily: Bottlerocket,
   taints: [{key: a, value: b, effect: NoSchedule}], availabilityZones: [eu-west-1a], ssh: {allow: true}, iam: {instanceRoleARN: "arn:aws:iam::111122223333:role/ng"}}
""")
        self.assertEqual(self.requirements(objects["NodePool/spot-ng"]), {"karpenter.sh/capacity-type": ["spot"], "node.kubernetes.io/instance-type": ["m5.large", "m5a.large"],
                                                                          "topology.kubernetes.io/zone": ["eu-west-1a"]})
        spec = objects["EC2NodeClass/spot-ng"]["spec"]
        self.assertEqual((spec["role"], spec["amiSelectorTerms"], spec["blockDeviceMappings"][0]["deviceName"]), ("ng", [{"alias": "bottlerocket@latest"}], "/dev/xvdb"))
        self.assertEqual(spec["securityGroupSelectorTerms"], [{"tags": {"kubernetes.io/cluster/shop": "owned"}}])
        self.assertIn("M-eksctl-ssh", self.codes)

    def test_workloads_of_older_versions_MIG_60_61_90(self):
        text = json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": {
            "metadata": {"annotations": {"karpenter.sh/do-not-evict": "true", "cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}},
            "spec": {"nodeSelector": {"karpenter.sh/provisioner-name": "default", "beta.kubernetes.io/arch": "amd64"},
                     "tolerations": [{"key": "ToBeDeletedByClusterAutoscaler", "operator": "Exists"}, {"key": "karpenter.sh/disruption", "value": "disrupting"}],
                     "topologySpreadConstraints": [{"topologyKey": "karpenter.sh/provisioner-name"}],
                     "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
                         {"key": "karpenter.sh/provisioner-name", "operator": "DoesNotExist"}]}]}}}, "containers": []}}}})
        template_ = self.convert(text, status=0)["Deployment/d"]["spec"]["template"]
        self.assertEqual(template_["metadata"]["annotations"], {"karpenter.sh/do-not-disrupt": "true"})
        spec = template_["spec"]
        self.assertEqual(spec["nodeSelector"], {"karpenter.sh/nodepool": "default", "beta.kubernetes.io/arch": "amd64"})
        self.assertEqual(spec["tolerations"], [{"key": "karpenter.sh/disrupted", "operator": "Exists"}])
        self.assertEqual(spec["topologySpreadConstraints"], [{"topologyKey": "karpenter.sh/nodepool"}])
        self.assertEqual(spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"][0]["matchExpressions"][0]["key"], "karpenter.sh/nodepool")
        plain = "apiVersion: v1\nkind: Pod   # as it is\nmetadata: {name: p}\nspec: {containers: []}\n"
        self.assertEqual(self.adze("convert", "-", stdin=plain)[:2], (0, plain))


if __name__ == "__main__":
    unittest.main()
