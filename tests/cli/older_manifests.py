"""Manifests as public repositories have them, shortened and written anew: (source, text, facts that must come out).

A fact is "KIND/NAME path=JSON" with a dotted path; "codes=M-x,M-y" names notes. Variables are filled in by the test."""

A5 = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\n"
TEMPLATE = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\n"
B1 = "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\n"
BC = "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\n"
V1 = "apiVersion: karpenter.sh/v1\nkind: NodePool\n"
VC = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\n"
DISCOVERY = "subnetSelector: {karpenter.sh/discovery: shop}, securityGroupSelector: {karpenter.sh/discovery: shop}"
TERMS = "subnetSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}], securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]"
REF = "nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: default}"
SPOT = "{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}"
CA = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: cluster-autoscaler, namespace: kube-system}\nspec: {template: {spec: {containers: [{name: cluster-autoscaler, %s}]}}}\n"
IN = "template.spec."

CASES = [
    # --- v1alpha5 ---
    ("JacobGabrielson/karpond apply-provisioner.sh", "#!/bin/bash\n. ./common.sh\ncat <<EOF | kubectl apply -f -\n" + A5 + "metadata:\n  name: default\nspec:\n  provider:\n"
     "    instanceProfile: KarpenterNodeInstanceProfile-${CLUSTER_NAME}\n  ttlSecondsAfterEmpty: 30\nEOF\n",
     ['EC2NodeClass/default instanceProfile="KarpenterNodeInstanceProfile-shop"', 'NodePool/default disruption.consolidateAfter="30s"', "codes=M-subnets,M-security-groups"]),
    ("aws-samples/terraform-eks-code 01-provisioner.sh", "cat <<EOF | kubectl apply -f -\n" + A5 + "metadata:\n  name: default\nspec:\n  requirements:\n    - key: karpenter.sh/capacity-type\n      operator: In\n"
     "      values:  [\"spot\", \"on-demand\"]\n  limits:\n    resources:\n      cpu: 128\n  provider:\n    subnetSelector:\n      karpenter.sh/discovery: ${CLUSTER_NAME}\n    securityGroupSelector:\n"
     "      karpenter.sh/discovery: ${CLUSTER_NAME}\n  ttlSecondsAfterEmpty: 30\n  ttlSecondsUntilExpired: 2592000 # 30 Days = 60 * 60 * 24 * 30 Seconds;\nEOF",
     ["NodePool/default limits.cpu=128", 'NodePool/default template.spec.expireAfter="720h"', 'EC2NodeClass/default subnetSelectorTerms=[{"tags": {"karpenter.sh/discovery": "shop"}}]']),
    ("aws/karpenter-provider-aws step11-create-provisioner.sh", "cat <<EOF | kubectl apply -f -\n" + A5 + "metadata: {name: default}\nspec:\n  requirements:\n  # If requirements are left empty, defaults follow.\n"
     "    - key: karpenter.k8s.aws/instance-category\n      operator: In\n      values: [c, m, r]\n    - key: karpenter.k8s.aws/instance-generation\n      operator: Gt\n      values: [\"2\"]\n"
     "  ttlSecondsAfterEmpty: 30\n  providerRef:\n    name: default\n---\n" + TEMPLATE + "metadata: {name: default}\nspec:\n  subnetSelector:\n    karpenter.sh/discovery: \"${CLUSTER_NAME}\"\n"
     "  securityGroupSelector:\n    karpenter.sh/discovery: \"${CLUSTER_NAME}\"\n  instanceProfile: MyInstanceProfile # optional\nEOF\n",
     ['EC2NodeClass/default instanceProfile="MyInstanceProfile"', 'EC2NodeClass/default metadataOptions.httpPutResponseHopLimit=2']),
    ("gersontpc/aws_eks provisioner.yml.tpl, rendered", A5 + "metadata: {name: shop}\nspec: {requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [c5, m5]}, {key: karpenter.k8s.aws/instance-size, operator: In, "
     "values: [large]}, {key: \"topology.kubernetes.io/zone\", operator: In, values: [us-east-1a]}], limits: {resources: {cpu: 100, memory: 400Gi}}, providerRef: {name: shop}, ttlSecondsAfterEmpty: 30}\n",
     ['NodePool/shop limits={"cpu": 100, "memory": "400Gi"}', 'NodePool/shop template.spec.nodeClassRef.name="shop"']),
    ("guide of v0.16 on Terraform (yaml_body)", 'resource "kubectl_manifest" "provisioner" {\n  yaml_body = <<-YAML\n  apiVersion: karpenter.sh/v1alpha5\n  kind: Provisioner\n  metadata:\n    name: default\n  spec:\n'
     "    requirements:\n      - key: karpenter.sh/capacity-type\n        operator: In\n        values: [\"spot\"]\n    limits:\n      resources:\n        cpu: 1000\n    provider:\n      subnetSelector:\n        Name: \"*private*\"\n"
     "      securityGroupSelector:\n        karpenter.sh/discovery/${module.eks.cluster_name}: ${module.eks.cluster_name}\n      tags:\n        karpenter.sh/discovery/${module.eks.cluster_name}: ${module.eks.cluster_name}\n"
     "    ttlSecondsAfterEmpty: 30\n  YAML\n\n  depends_on = [\n    helm_release.karpenter\n  ]\n}\n",
     ['EC2NodeClass/default subnetSelectorTerms=[{"tags": {"Name": "*private*"}}]', 'EC2NodeClass/default tags={"karpenter.sh/discovery/shop": "shop"}']),
    ("a README with v0.16.2 (provider left empty, a namespace)", A5 + "metadata: {name: default, namespace: karpenter}\nspec:\n  requirements: [" + SPOT + "]\n  limits: {resources: {cpu: 1000m, memory: 2Gi}}\n  provider:\n",
     ['NodePool/default limits={"cpu": "1000m", "memory": "2Gi"}', "codes=M-no-nodeclass"]),
    ("example that puts the TTLs into the provider", A5 + "metadata: {name: default}\nspec:\n  provider:\n    ttlSecondsUntilExpired: 604800\n    ttlSecondsAfterEmpty: 60\n    securityGroupSelector: {karpenter.sh/discovery: \"CLUSTER_NAME\"}\n"
     "    subnetSelector: {karpenter.sh/discovery: \"CLUSTER_NAME\"}\n", ['NodePool/default template.spec.expireAfter="168h"', 'NodePool/default disruption.consolidateAfter="1m"', "codes=M-level"]),
    ("docs of v0.4 (v1alpha3: the cluster in the Provisioner)", A5.replace("alpha5", "alpha3") + "metadata: {name: default}\nspec: {cluster: {name: shop, endpoint: https://x}, ttlSecondsUntilExpired: 2592000, taints: [{key: example.com/special-taint, effect: NoSchedule}]}\n",
     ['NodePool/default template.spec.taints=[{"effect": "NoSchedule", "key": "example.com/special-taint"}]', 'ConfigMap/adze-settings data.CLUSTER_NAME="shop"']),
    ("docs: consolidation beside weight and kubelet", A5 + "metadata: {name: default}\nspec: {consolidation: {enabled: true}, weight: 50, kubeletConfiguration: {clusterDNS: [10.0.1.100], systemReserved: {cpu: 100m, memory: 100Mi}, evictionHard: "
     "{memory.available: 5%}, evictionSoft: {memory.available: 10%}, evictionSoftGracePeriod: {memory.available: 1m}, maxPods: 20, podsPerCore: 2, containerRuntime: dockerd}, providerRef: {name: default}}\n---\n" + TEMPLATE + "metadata: {name: default}\nspec: {" + DISCOVERY + "}\n",
     ['EC2NodeClass/default kubelet.podsPerCore=2', 'EC2NodeClass/default kubelet.evictionHard={"memory.available": "5%"}', 'NodePool/default weight=50', "codes=M-runtime"]),
    ("gpu pool with an inline provider beside an AWSNodeTemplate", TEMPLATE + "metadata: {name: default}\nspec: {" + DISCOVERY + "}\n---\n" + A5 + "metadata: {name: gpu}\nspec: {provider: {instanceProfile: p-${CLUSTER_NAME}, " + DISCOVERY + "}, consolidation: "
     "{enabled: true}, taints: [{key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}], requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [g4dn.xlarge]}]}\n",
     ['EC2NodeClass/gpu instanceProfile="p-shop"', 'NodePool/gpu template.spec.nodeClassRef.name="gpu"']),
    ("arm64 pool by t4g types", A5 + "metadata: {name: core-arm-ondemand}\nspec: {providerRef: {name: arm}, requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}, {key: node.kubernetes.io/instance-type, operator: In, values: [t4g.medium]}]}\n",
     ['NodePool/core-arm-ondemand template.spec.requirements.0.values=["arm64"]', 'NodePool/core-arm-ondemand disruption.consolidateAfter="Never"']),
    ("zones and NotIn sizes", A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}, requirements: [{key: karpenter.k8s.aws/instance-size, operator: NotIn, values: [nano, micro, small]}, {key: topology.kubernetes.io/zone, operator: In, values: [eu-west-1a]}], "
     "ttlSecondsAfterEmpty: 120}\n", ['NodePool/default disruption.consolidateAfter="2m"']),
    ("dots in old label names", A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}, requirements: [{key: karpenter.k8s.aws/instance.size, operator: In, values: [large]}, {key: beta.kubernetes.io/arch, operator: In, values: [amd64]}]}\n",
     ['NodePool/default template.spec.requirements.0.key="karpenter.k8s.aws/instance-size"', 'NodePool/default template.spec.requirements.1.key="kubernetes.io/arch"']),
    ("capacity type of the oldest versions", A5.replace("alpha5", "alpha4") + "metadata: {name: default}\nspec: {providerRef: {name: default}, requirements: [{key: node.k8s.aws/capacity-type, operator: In, values: [spot]}]}\n",
     ['NodePool/default template.spec.requirements.0.key="karpenter.sh/capacity-type"']),
    ("startup taint of Cilium", A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}, startupTaints: [{key: node.cilium.io/agent-not-ready, value: \"true\", effect: NoExecute}]}\n",
     ['NodePool/default template.spec.startupTaints=[{"effect": "NoExecute", "key": "node.cilium.io/agent-not-ready", "value": "true"}]']),
    ("labels with a boolean", A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}, labels: {dedicated: true, team: web}}\n", ['NodePool/default template.metadata.labels={"dedicated": "true", "team": "web"}']),
    ("a reserved label", A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}, labels: {karpenter.sh/provisioner-name: default, a: b}}\n", ['NodePool/default template.metadata.labels={"a": "b"}', "codes=M-label"]),
    ("kubectl get -o yaml of a Provisioner", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: karpenter.sh/v1alpha5\n  kind: Provisioner\n  metadata: {name: default, uid: x, generation: 3, managedFields: [], annotations: {kubectl.kubernetes.io/last-applied-configuration: '{}', "
     "karpenter.sh/provisioner-hash: '1'}}\n  spec: {providerRef: {name: default}}\n  status: {resources: {cpu: 4}}\n", ["NodePool/default metadata={\"name\": \"default\"}"]),
    ("very short expiry", A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}, ttlSecondsUntilExpired: 300}\n", ['NodePool/default template.spec.expireAfter="5m"', "codes=M-expire-forceful"]),
    ("the ConfigMap of settings of v0.27 beside its objects", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: karpenter-global-settings, namespace: karpenter}\ndata: {aws.clusterName: shop, aws.defaultInstanceProfile: nodes, aws.interruptionQueueName: q, "
     "batchMaxDuration: 10s, aws.tags: '{\"team\":\"web\"}', featureGates.driftEnabled: \"false\", aws.assumeRoleARN: x, aws.enablePodENI: \"true\"}\n---\n" + A5 + "metadata: {name: default}\nspec: {providerRef: {name: default}}\n---\n" + TEMPLATE + "metadata: {name: default}\nspec: {" + DISCOVERY + "}\n",
     ['EC2NodeClass/default instanceProfile="nodes"', 'EC2NodeClass/default tags={"team": "web"}', 'NodePool/default disruption.budgets.1={"nodes": "0", "reasons": ["Drifted"]}',
      'ConfigMap/adze-settings data={"BATCH_MAX_DURATION": "10s", "CLUSTER_NAME": "shop", "INTERRUPTION_QUEUE": "q"}', "codes=M-setting"]),
    # --- AWSNodeTemplate ---
    ("Bottlerocket template with settings in TOML", TEMPLATE + "metadata: {name: default}\nspec:\n  amiFamily: Bottlerocket\n  amiSelector: {aws::ids: \"ami-123,ami-456\", aws::owners: \"self,amazon\", aws::name: \"test name\", MyTag: '*'}\n  " + DISCOVERY.replace(", sec", "\n  sec") +
     "\n  blockDeviceMappings:\n    - deviceName: /dev/xvdb\n      ebs: {volumeSize: 100Gi, volumeType: gp3, deleteOnTermination: true}\n  tags: {MyTag: \"1234\", MyBackupTag: \"yes\"}\n  userData:  |\n    [settings.kubernetes]\n    kube-api-qps = 30\n",
     ['EC2NodeClass/default amiSelectorTerms=[{"id": "ami-123"}, {"id": "ami-456"}]', 'EC2NodeClass/default amiFamily="Bottlerocket"', "codes=M-ami-id,M-ami-tags"]),
    ("Bottlerocket with both devices and metadata options", TEMPLATE + "metadata: {name: bottlerocket}\nspec: {amiFamily: Bottlerocket, blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 4Gi, volumeType: gp3, encrypted: true}}, {deviceName: /dev/xvdb, ebs: "
     "{volumeSize: 20Gi}}], metadataOptions: {httpEndpoint: enabled, httpProtocolIPv6: disabled, httpPutResponseHopLimit: 2, httpTokens: required}, securityGroupSelector: {kubernetes.io/cluster/eks-main: owned}, subnetSelector: {kubernetes.io/role/internal-elb: '1'}}\n",
     ['EC2NodeClass/bottlerocket amiSelectorTerms=[{"alias": "bottlerocket@latest"}]', 'EC2NodeClass/bottlerocket securityGroupSelectorTerms=[{"tags": {"kubernetes.io/cluster/eks-main": "owned"}}]']),
    ("AL2 with MIME user data", TEMPLATE + "metadata: {name: default}\nspec:\n  amiFamily: AL2\n  " + DISCOVERY.replace(", sec", "\n  sec") + "\n  userData: |\n    MIME-Version: 1.0\n    Content-Type: multipart/mixed; boundary=\"BOUNDARY\"\n\n    --BOUNDARY\n"
     "    Content-Type: text/x-shellscript; charset=\"us-ascii\"\n\n    #!/bin/bash\n    echo ${HOSTNAME}\n    --BOUNDARY--\n", ['EC2NodeClass/default amiSelectorTerms=[{"alias": "al2@latest"}]']),
    ("Custom family with an AMI of the account", TEMPLATE + "metadata: {name: default}\nspec: {amiFamily: Custom, amiSelector: {aws-ids: ami-1}, instanceProfile: p, " + DISCOVERY + ", userData: \"#!/bin/bash\\njoin\\n\"}\n", ['EC2NodeClass/default amiFamily="Custom"', "codes=M-unregistered-taint"]),
    ("Windows 2022", TEMPLATE + "metadata: {name: win}\nspec: {amiFamily: Windows2022, " + DISCOVERY + ", metadataOptions: {httpProtocolIPv6: disabled, httpTokens: required}}\n", ['EC2NodeClass/win amiSelectorTerms=[{"alias": "windows2022@latest"}]', 'EC2NodeClass/win metadataOptions.httpPutResponseHopLimit=1']),
    ("detailed monitoring, context, reserved tag", TEMPLATE + "metadata: {name: d}\nspec: {detailedMonitoring: true, context: abc, tags: {kubernetes.io/cluster/shop: owned, team: web}, " + DISCOVERY + "}\n", ['EC2NodeClass/d tags={"team": "web"}', "EC2NodeClass/d detailedMonitoring=true", "codes=M-tag"]),
    ("volume sizes in Mi and as a number in quotes", TEMPLATE + "metadata: {name: d}\nspec: {blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 102400Mi}}], " + DISCOVERY + "}\n", ['EC2NodeClass/d blockDeviceMappings.0.ebs.volumeSize="100Gi"']),
    ("stack name as selector", TEMPLATE + "metadata: {name: d}\nspec: {subnetSelector: {\"aws:cloudformation:stack-name\" : x}, securityGroupSelector: {aws-ids: \"sg-1, sg-2\"}}\n", ['EC2NodeClass/d securityGroupSelectorTerms=[{"id": "sg-1"}, {"id": "sg-2"}]']),
    ("curly quotes from a blog", TEMPLATE + "metadata:\n  name: d\nspec:\n  subnetSelector:\n    karpenter.sh/discovery: “shop”\n  securityGroupSelector:\n    karpenter.sh/discovery: “shop”\n", ['EC2NodeClass/d subnetSelectorTerms=[{"tags": {"karpenter.sh/discovery": "shop"}}]', "codes=M-text"]),
    # --- v1beta1 ---
    ("Azure/karpenter-provider-azure and upstream docs: kubelet in the pool", B1 + "metadata: {name: default}\nspec: {template: {metadata: {labels: {billing-team: my-team}, annotations: {example.com/owner: my-team}}, spec: {" + REF + ", taints: [{key: example.com/special-taint, effect: "
     "NoSchedule}], startupTaints: [{key: example.com/another-taint, effect: NoSchedule}], requirements: [{key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r], minValues: 2}, {key: karpenter.k8s.aws/instance-hypervisor, operator: In, values: [nitro]}], kubelet: "
     "{systemReserved: {cpu: 100m}, evictionSoft: {memory.available: 500Mi}, evictionSoftGracePeriod: {memory.available: 1m}, imageGCHighThresholdPercent: 85, cpuCFSQuota: true}}}, disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 720h, budgets: [{nodes: 10%}, {schedule: \"0 9 * * mon-fri\", duration: 8h, nodes: \"0\"}]}, "
     "limits: {cpu: \"1000\", memory: 1000Gi}, weight: 10}\n---\n" + BC + "metadata: {name: default}\nspec: {amiFamily: AL2, role: R, " + TERMS + "}\n",
     ["NodePool/default template.spec.requirements.0.minValues=2", 'EC2NodeClass/default kubelet.systemReserved={"cpu": "100m"}', 'NodePool/default disruption.budgets.1.nodes="0"']),
    ("pool with a class named alone, maxPods", B1 + "metadata: {name: default}\nspec: {template: {spec: {requirements: [{key: karpenter.k8s.aws/instance-category, operator: In, values: [m]}], nodeClassRef: {name: default}, kubelet: {maxPods: 110}}}, limits: {cpu: 1000}, disruption: "
     "{consolidationPolicy: WhenEmpty, consolidateAfter: 30s, expireAfter: Never}}\n---\n" + BC + "metadata: {name: default}\nspec: {amiFamily: AL2023, role: R, " + TERMS + "}\n",
     ['NodePool/default template.spec.nodeClassRef={"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}', 'NodePool/default template.spec.expireAfter="Never"', "EC2NodeClass/default kubelet={\"maxPods\": 110}"]),
    ("on-demand pool by types", B1 + "metadata: {name: default}\nspec: {template: {metadata: {labels: {type: karpenter}}, spec: {requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [c5.large, m5.large, r5.large, m5.xlarge]}], nodeClassRef: {name: default}}}, limits: "
     "{cpu: \"1000\", memory: 1000Gi}, disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 720h}}\n", ['NodePool/default disruption.consolidateAfter="0s"']),
    ("msfidelis/eks-karpenter-autonomous-cluster ec2_node_class.yml.tpl", BC + "metadata:\n  name: ${CLUSTER_NAME}\nspec:\n  amiFamily: AL2\n  role: ${ROLE}\n  securityGroupSelectorTerms: \n  - id: ${SG}\n  subnetSelectorTerms:\n  - tags:\n      karpenter.sh/discovery: ${CLUSTER_NAME}\n"
     "  tags:\n    Name: ${CLUSTER_NAME}", ['EC2NodeClass/shop securityGroupSelectorTerms=[{"id": "sg-1"}]', 'EC2NodeClass/shop amiSelectorTerms=[{"alias": "al2@latest"}]']),
    ("output of karpenter-convert", BC + "metadata: {name: default}\nspec: {amiFamily: Bottlerocket, amiSelectorTerms: [{id: ami-123, name: test name, owner: self, tags: {MyTag: '*'}}, {id: ami-456, owner: amazon}], role: $KARPENTER_NODE_ROLE, " + TERMS + "}\n",
     ['EC2NodeClass/default amiSelectorTerms=[{"id": "ami-123"}, {"id": "ami-456"}]', 'EC2NodeClass/default role="NodeRole"', "codes=M-ami-id"]),
    ("class of a version that never was (v1alpha1)", BC.replace("v1beta1", "v1alpha1") + "metadata: {name: default}\nspec: {amiFamily: AL2, role: R, " + TERMS + ", tags: {karpenter.sh/discovery: shop}}\n", ['EC2NodeClass/default tags={"karpenter.sh/discovery": "shop"}']),
    ("Ubuntu with a term", BC + "metadata: {name: u}\nspec: {amiFamily: Ubuntu, amiSelectorTerms: [{name: ubuntu-eks/*, owner: \"099720109477\"}], role: R, " + TERMS + "}\n", ['EC2NodeClass/u amiFamily="AL2"', 'EC2NodeClass/u blockDeviceMappings.0.deviceName="/dev/sda1"']),
    ("instance store RAID0", BC + "metadata: {name: d}\nspec: {amiFamily: AL2023, role: R, instanceStorePolicy: RAID0, " + TERMS + "}\n", ['EC2NodeClass/d instanceStorePolicy="RAID0"']),
    ("v1beta1 pool with v1's policy and consolidateAfter", B1 + "metadata: {name: d}\nspec: {template: {spec: {" + REF + ", requirements: []}}, disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 1m}}\n", ['NodePool/d disruption.consolidateAfter="1m"']),
    ("limits of the older form", B1 + "metadata: {name: d}\nspec: {template: {spec: {" + REF + ", requirements: []}}, limits: {resources: {cpu: 10}}}\n", ["NodePool/d limits={\"cpu\": 10}", "codes=M-level"]),
    ("two pools, one with the default kubelet", B1 + "metadata: {name: a}\nspec: {template: {spec: {" + REF + ", kubelet: {maxPods: 20}}}}\n---\n" + B1 + "metadata: {name: b}\nspec: {template: {spec: {" + REF + "}}}\n---\n" + BC + "metadata: {name: default}\nspec: {amiFamily: AL2023, role: R, " + TERMS + "}\n",
     ["EC2NodeClass/default kubelet={\"maxPods\": 20}", 'NodePool/b template.spec.nodeClassRef.name="default-b"', "codes=M-kubelet-split"]),
    ("a NodeClaim of v1beta1", "apiVersion: karpenter.sh/v1beta1\nkind: NodeClaim\nmetadata: {name: c, labels: {karpenter.sh/nodepool: d}}\nspec: {" + REF + ", requirements: [" + SPOT + "], kubelet: {maxPods: 5}, resources: {requests: {cpu: 1}}}\n", ['NodeClaim/c expireAfter="Never"', "codes=M-kubelet"]),
    # --- v1 as people paste it ---
    ("hectorr-st/forge node_pool.yaml.tpl", V1 + "metadata: {name: karpenter}\nspec: {template: {spec: {requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [m6i, m5, c6i]}, " + SPOT + "], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: karpenter}}}, "
     "limits: {cpu: 1000}, disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 1m}}\n", ["NodePool/karpenter limits.cpu=1000"]),
    ("wallafidevops/eks-adm-full nodepool.yaml.tpl", V1 + "metadata:\n  name: ${CLUSTER_NAME}\nspec:\n  limits:\n    cpu: 16\n  disruption:\n    consolidationPolicy: WhenEmptyOrUnderutilized\n    consolidateAfter: 30s\n  template:\n    spec:\n      nodeClassRef:\n        group: karpenter.k8s.aws\n"
     "        kind: EC2NodeClass\n        name: ${CLUSTER_NAME}\n      requirements:\n        - key: karpenter.k8s.aws/instance-generation\n          operator: Gt\n          values: [\"2\"]\n", ['NodePool/shop template.spec.nodeClassRef.name="shop"']),
    ("minasaeedbasta/terraform-eks-karpenter nodepool_default.tpl", V1 + "metadata: {name: default}\nspec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [t3.medium]}], "
     "startupTaints: [{key: karpenter.sh/unregistered, effect: NoSchedule}]}}, disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s}}\n", ['NodePool/default disruption.consolidationPolicy="WhenEmpty"']),
    ("CLD-3rd/Final-Team1-Backend ec2nodeclass.yaml.tpl", VC + "metadata: {name: default, labels: {app.kubernetes.io/managed-by: terraform}}\nspec: {instanceProfile: p, amiFamily: Custom, amiSelectorTerms: [{id: ami-1}], " + TERMS + "}\n", ['EC2NodeClass/default amiFamily="Custom"']),
    ("noppadol26dw/eks-upgrade-journey: family beside its alias", VC + "metadata: {name: karpenter-node-class}\nspec: {amiFamily: AL2023, amiSelectorTerms: [{alias: al2023@latest}], instanceProfile: p, " + TERMS + "}\n", ['EC2NodeClass/karpenter-node-class amiSelectorTerms=[{"alias": "al2023@latest"}]']),
    ("v1 class without terms", VC + "metadata: {name: d}\nspec: {amiFamily: AL2023, role: R, " + TERMS + "}\n", ['EC2NodeClass/d amiSelectorTerms=[{"alias": "al2023@latest"}]']),
    ("a tag with a dash in its variable", VC + "metadata: {name: d}\nspec:\n  role: \"KarpenterNodeRole-${CLUSTER-NAME}\"\n  amiSelectorTerms: [{alias: al2023@latest}]\n  subnetSelectorTerms:\n    - tags:\n        karpenter.sh/discovery: \"${CLUSTER_NAME}\"\n  securityGroupSelectorTerms:\n    - tags: {karpenter.sh/discovery: shop}\n",
     ['EC2NodeClass/d role="KarpenterNodeRole-dash"']),
    ("v1 pool with v1beta1 fields", V1 + "metadata: {name: d}\nspec: {template: {spec: {" + REF + ", requirements: [" + SPOT + "], kubelet: {maxPods: 30}}}, disruption: {consolidationPolicy: WhenUnderutilized, expireAfter: 720h}}\n---\n" + VC + "metadata: {name: default}\nspec: {role: R, amiSelectorTerms: [{alias: al2023@latest}], " + TERMS + "}\n",
     ['NodePool/d template.spec.expireAfter="720h"', 'EC2NodeClass/default kubelet={"maxPods": 30}', 'NodePool/d disruption.consolidationPolicy="WhenEmptyOrUnderutilized"']),
    ("v1 pool with the compatibility annotation of v1.0", V1 + "metadata: {name: d, annotations: {compatibility.karpenter.sh/v1beta1-kubelet-conversion: '{\"maxPods\":42}'}}\nspec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: []}}}\n---\n" + VC +
     "metadata: {name: default}\nspec: {role: R, amiSelectorTerms: [{alias: al2023@latest}], " + TERMS + "}\n", ['EC2NodeClass/default kubelet={"maxPods": 42}', 'NodePool/d metadata={"name": "d"}']),
    # --- EKS Auto Mode ---
    ("walidshaari/sample-aws-eks-auto-mode gpu-nodepool.yaml.tpl", "---\napiVersion: eks.amazonaws.com/v1\nkind: NodeClass\nmetadata:\n  name: gpu-nodeclass\nspec:\n  role: ${ROLE}\n  subnetSelectorTerms:\n    - tags:\n        karpenter.sh/discovery: \"automode-demo\"\n  securityGroupSelectorTerms:\n    - tags:\n"
     "        aws:eks:cluster-name: ${CLUSTER_NAME}\n  tags:\n    karpenter.sh/discovery: \"automode-demo\"\n---\n" + V1 + "metadata: {name: gpu-nodepool}\nspec: {template: {spec: {nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: gpu-nodeclass}, requirements: [{key: \"eks.amazonaws.com/instance-family\", "
     "operator: In, values: [g4dn, g5, g6]}], taints: [{key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}]}}, limits: {cpu: 1000}, disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s}}\n",
     ['NodePool/gpu-nodepool template.spec.requirements.0.key="karpenter.k8s.aws/instance-family"', 'EC2NodeClass/gpu-nodeclass role="NodeRole"', 'EC2NodeClass/gpu-nodeclass amiSelectorTerms=[{"alias": "bottlerocket@latest"}]']),
    ("Auto Mode class with storage and network policy", "apiVersion: eks.amazonaws.com/v1\nkind: NodeClass\nmetadata: {name: general}\nspec: {ephemeralStorage: {iops: 3000, size: 80Gi, throughput: 125}, networkPolicy: DefaultAllow, networkPolicyEventLogs: Disabled, role: R, " + TERMS + "}\n",
     ['EC2NodeClass/general blockDeviceMappings.1.ebs.volumeSize="80Gi"', "codes=M-auto-mode"]),
    ("Auto Mode pool with a label", V1 + "metadata: {name: am, labels: {CriticalAddonsOnly: \"true\"}}\nspec: {disruption: {budgets: [{nodes: 10%}], consolidateAfter: 0s, consolidationPolicy: WhenEmptyOrUnderutilized}, template: {spec: {expireAfter: 480h, nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, "
     "name: default}, requirements: [{key: eks.amazonaws.com/instance-category, operator: In, values: [c]}, {key: eks.amazonaws.com/instance-cpu, operator: In, values: [\"4\", \"8\"]}]}}}\n",
     ['NodePool/am template.spec.expireAfter="480h"', 'NodePool/am metadata.labels={"CriticalAddonsOnly": "true"}', 'EC2NodeClass/default amiSelectorTerms=[{"alias": "bottlerocket@latest"}]']),
    # --- Cluster Autoscaler ---
    ("junepro/devops command.md", CA % "command: [./cluster-autoscaler, --v=4, --stderrthreshold=info, --cloud-provider=aws, --skip-nodes-with-local-storage=false, --expander=least-waste, \"--node-group-auto-discovery=asg:tag=k8s.io/cluster-autoscaler/enabled,k8s.io/cluster-autoscaler/eksdemo1\", "
     "--balance-similar-node-groups, --skip-nodes-with-system-pods=false]", ['NodePool/default disruption.consolidateAfter="10m"', 'ConfigMap/adze-settings data.LOG_LEVEL="debug"', "codes=M-no-groups,M-custom-controllers"]),
    ("winebarrel/hello-kube cluster-autoscaler-one-asg", CA % "image: \"gcr.io/google-containers/cluster-autoscaler:v1.16.1\", command: [./cluster-autoscaler, --v=4, --skip-nodes-with-local-storage=false, --expander=least-waste]", ["codes=M-system-pods"]),
    ("a kustomize patch with delays", CA % "command: [./cluster-autoscaler, --scale-down-delay-after-add=15m, --scale-down-utilization-threshold=0.7]", ['NodePool/default disruption.consolidateAfter="15m"', "codes=M-delay,M-threshold"]),
    ("liatrio/lead-terraform cluster-autoscaler-values.tpl", "rbac: {create: true}\ncloudProvider: aws\nawsRegion: us-east-1\nautoDiscovery:\n  clusterName: ${CLUSTER_NAME}\n  enabled: true\n  tags:\n    - \"k8s.io/cluster-autoscaler/enabled\"\nextraArgs:\n  balance-similar-node-groups: true\n  scale-down-enabled: false\n",
     ['NodePool/default disruption.budgets=[{"nodes": "0", "reasons": ["Empty", "Underutilized"]}]', 'ConfigMap/adze-settings data={"CLUSTER_NAME": "shop"}']),
    ("Altinity/terraform-aws-eks-clickhouse cluster-autoscaler.yaml.tpl", "autoDiscovery: {clusterName: shop, tags: [k8s.io/cluster-autoscaler/enabled]}\nextraArgs: {logtostderr: \"true\", stderrthreshold: info, v: 4, balance-similar-node-groups: \"true\", skip-nodes-with-local-storage: \"false\", skip-nodes-with-system-pods: \"false\"}\n",
     ['ConfigMap/adze-settings data={"CLUSTER_NAME": "shop", "LOG_LEVEL": "debug"}']),
    ("shubhasish/kubernetes-ops helm_values.yaml.tpl", "autoDiscovery: {clusterName: shop, enabled: true}\nextraArgs: {write-status-configmap: true, status-config-map-name: s, leader-elect: true, balance-similar-node-groups: true, max-node-provision-time: 20m0s, scan-interval: 30s}\n", ["codes=M-ca-flag"]),
    ("helm_release in Terraform with values in a here-document", "resource \"helm_release\" \"cluster_autoscaler\" {\n  values = [<<EOF\nextraArgs:\n  scale-down-delay-after-add: 30s\n  scale-down-unneeded-time: 10m\nautoDiscovery:\n  clusterName: \"${local.eks_module.cluster_name}\"\nEOF\n  ]\n}\n",
     ['ConfigMap/adze-settings data={"CLUSTER_NAME": "shop"}', 'NodePool/default disruption.consolidateAfter="10m"']),
    ("eksctl's Bottlerocket example", "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: bottlerocket, region: us-west-2, version: '1.21'}\nnodeGroups: [{name: ng-bottlerocket, instanceType: m5.large, desiredCapacity: 4, amiFamily: Bottlerocket}]\n",
     ['EC2NodeClass/ng-bottlerocket amiSelectorTerms=[{"alias": "bottlerocket@latest"}]', 'NodePool/ng-bottlerocket template.spec.requirements.1.values=["m5.large"]']),
    ("eksctl's spot example: instancesDistribution", "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: shop, region: us-east-1}\nnodeGroups: [{name: ng-1, minSize: 2, maxSize: 5, instancesDistribution: {maxPrice: 0.017, instanceTypes: [t3.small, t3.medium], onDemandBaseCapacity: 0, "
     "onDemandPercentageAboveBaseCapacity: 50, spotInstancePools: 2}}]\n", ['NodePool/ng-1 template.spec.requirements.0.values=["on-demand", "spot"]', "codes=M-ratio,M-min-size"]),
    ("eksctl with taints as a map and max pods", "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {name: shop, region: us-east-1}\nnodeGroups: [{name: ng, instanceType: c5.xlarge, maxPodsPerNode: 50, taints: {special: \"true:NoSchedule\"}, labels: {nodegroup-role: worker}}]\n",
     ['NodePool/ng template.spec.taints=[{"effect": "NoSchedule", "key": "special", "value": "true"}]', 'EC2NodeClass/ng kubelet={"maxPods": 50}']),
    ("a Deployment pinned to a managed node group", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {nodeSelector: {eks.amazonaws.com/nodegroup: ng-igor}, containers: []}}}\n", ['Deployment/web template.spec.nodeSelector={"karpenter.sh/nodepool": "ng-igor"}', "codes=M-node-group"]),
    ("a Deployment for EKS Auto Mode", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: inflate}\nspec: {template: {spec: {nodeSelector: {eks.amazonaws.com/compute-type: auto, eks.amazonaws.com/instance-category: c}, containers: []}}}\n",
     ['Deployment/inflate template.spec.nodeSelector={"karpenter.k8s.aws/instance-category": "c"}', "codes=M-compute-type"]),
    ("a batch Job that must not be evicted", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {metadata: {annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\"}}, spec: {containers: []}}}\n", ['Job/j template.metadata.annotations.karpenter\\.sh/do-not-disrupt="true"']),
]
