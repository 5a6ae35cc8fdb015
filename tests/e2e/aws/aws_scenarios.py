#!/usr/bin/env python3
"""The AWS provider against the emulator and a real control plane. usage: aws_scenarios.py --adze BIN [-k TEXT]; README.md.

Prints a line per scenario and last 'N passed, N failed'. Exit status 1 if any failed.
"""
import argparse
import base64
import json
import os
import re
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import boot_agent
import cluster
from cluster import Controller, Failure, apply, check_claims, items, kubectl, names, permissions, play, record, refusals, until
from layer import Fault, Layer

NAME = "e2e"
EMULATOR = int(os.environ["RIG_PORT_BASE"]) + 6
KEY, SECRET, TOKEN = "AKIDE2E", "secret/of+the=scenarios", "token/of+the=scenarios=="
REST = int(os.environ.get("ADZE_E2E_REST", "15"))  # seconds of rest in which calls are counted
ADZE = RBAC = None
CONTROLLERS = []  # logs of all that ran

# As the EKS guides show them.
GUIDE = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      requirements:
        - key: kubernetes.io/arch
          operator: In
          values: ["amd64"]
        - key: kubernetes.io/os
          operator: In
          values: ["linux"]
        - key: karpenter.sh/capacity-type
          operator: In
          values: ["CAPACITY"]
        - key: karpenter.k8s.aws/instance-category
          operator: In
          values: ["c", "m", "r"]
        - key: karpenter.k8s.aws/instance-generation
          operator: Gt
          values: ["2"]
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      expireAfter: 720h # 30 * 24h = 720h
  limits:
    cpu: 1000
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 1s
    budgets:
    - nodes: "100%"
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  role: "KarpenterNodeRole-e2e" # replace with your cluster name
  amiSelectorTerms:
    - alias: "al2023@latest"
  subnetSelectorTerms:
    - tags:
        karpenter.sh/discovery: "e2e" # replace with your cluster name
  securityGroupSelectorTerms:
    - tags:
        karpenter.sh/discovery: "e2e" # replace with your cluster name
"""
INFLATE = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: inflate
spec:
  replicas: 0
  selector:
    matchLabels:
      app: inflate
  template:
    metadata:
      labels:
        app: inflate
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: inflate
        image: public.ecr.aws/eks-distro/kubernetes/pause:3.7
        resources:
          requests:
            cpu: 1
"""


class Account:
    """The emulator's account with the layer in front and the boot agent beside."""

    def __init__(self):
        with open(os.path.join(ROOT, "data/ec2/instance-types.json")) as file:
            self.facts = {one["name"]: one for one in json.load(file)["types"]}
        with open(os.path.join(ROOT, "data/ec2/prices-on-demand.json")) as file:
            prices = json.load(file)["regions"]["us-east-1"]
        self.zones = ["us-west-2a", "us-west-2b", "us-west-2c", "us-west-2d"]
        self.layer = Layer(EMULATOR + 10, EMULATOR, prices, self.zones)
        self.layer.give(KEY, SECRET, TOKEN)
        direct = f"http://127.0.0.1:{EMULATOR}"
        urllib.request.urlopen(direct + "/moto-api/reset", b"").close()  # an earlier run's account
        self.ec2, self.sqs, self.iam, self.eks = (boot_agent.client(one, direct)
                                                  for one in ("ec2", "sqs", "iam", "eks"))
        self.set_up()
        with open(os.environ["RIG_CA"], "rb") as file:
            authority = base64.b64encode(file.read()).decode()
        self.agent = boot_agent.BootAgent(self.layer, self.ec2, self.facts, NAME, os.environ["RIG_API"], authority)

    def set_up(self):
        tag = [{"Key": "karpenter.sh/discovery", "Value": NAME}]
        self.subnets = [one["SubnetId"] for one in self.ec2.describe_subnets()["Subnets"]]
        vpc = self.ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
        self.group = self.ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        self.ec2.create_tags(Resources=[*self.subnets, self.group], Tags=tag)
        role = self.iam.create_role(RoleName="KarpenterNodeRole-e2e", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
        self.eks.create_cluster(name=NAME, roleArn=role, resourcesVpcConfig={"subnetIds": self.subnets})
        self.queue = self.sqs.create_queue(QueueName=NAME)["QueueUrl"]
        self.release_images("1")

    def release_images(self, version):
        """Images of AL2023 and the SSM parameters that name them."""
        for arch, variants in (("x86_64", ("standard", "nvidia", "neuron")), ("arm64", ("standard", "nvidia"))):
            for variant in variants:
                image = self.ec2.register_image(Name=f"al2023-{arch}-{variant}-{version}", Architecture=arch,
                                                RootDeviceName="/dev/xvda")["ImageId"]
                self.layer.architectures[image] = arch
                path = f"amazon-linux-2023/{arch}/{variant}/recommended/image_id"
                self.layer.parameters[f"/aws/service/eks/optimized-ami/{kubernetes()}/{path}"] = image

    def running(self):
        states = ("pending", "running", "stopping", "stopped", "shutting-down")
        return [one for one in self.agent.instances() if one["State"]["Name"] in states]


def kubernetes():
    status, body = cluster.request("GET", "/version")
    return f"{body['major']}.{re.match('[0-9]+', body['minor']).group()}"


ACCOUNT = None


def controller(**environment):
    with open(os.environ["RIG_CA"], "rb") as file:
        authority = base64.b64encode(file.read()).decode()
    variables = {"AWS_ENDPOINT_URL": ACCOUNT.layer.url, "AWS_REGION": "us-west-2", "AWS_ACCESS_KEY_ID": KEY,
                 "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": TOKEN, "AWS_EC2_METADATA_DISABLED": "true",
                 "CLUSTER_NAME": NAME, "CLUSTER_ENDPOINT": os.environ["RIG_API"], "CLUSTER_CA_BUNDLE": authority,
                 "INTERRUPTION_QUEUE": NAME, "NO_PROXY": "127.0.0.1"}
    adze = Controller(ADZE, RBAC, ("--provider", "aws"), **{**variables, **environment})
    CONTROLLERS.append(adze.log)
    return adze.await_ready(60)


def guide(capacity="on-demand"):
    apply(GUIDE.replace("CAPACITY", capacity))


def scale(replicas):
    kubectl("scale", "deployment", "inflate", "--replicas", str(replicas))


def running(count):
    return lambda: sum(p["status"].get("phase") == "Running" and "deletionTimestamp" not in p["metadata"]
                       for p in items("pod")) == count


def condition(kind, name, wanted):
    about = json.loads(kubectl("get", kind, name, "-o", "json"))
    for one in about.get("status", {}).get("conditions", []):
        if one["type"] == wanted:
            return one
    return {}


def settled():
    return len(ACCOUNT.running()) == len(names("claim")) == len(names("node"))


def claimed():
    return {claim.get("status", {}).get("providerID", "").rpartition("/")[2] for claim in items("claim")}


def check_account():
    """One instance a NodeClaim and a Node; nothing leaked; every request was signed as botocore signs."""
    check_claims()
    until(30, "one instance a claim", lambda: settled() and claimed() == instances())
    if ACCOUNT.layer.refused:
        raise Failure(f"signatures refused: {ACCOUNT.layer.refused[:3]}")
    if ACCOUNT.agent.refused:
        raise Failure(f"instances that cannot join: {list(ACCOUNT.agent.refused.items())[:2]}")


def down():
    scale(0)
    until(240, "no instance", lambda: not ACCOUNT.running() and not names("claim") and not names("node"))


# --- scenarios -----------------------------------------------------------------------------------------

def inflate_from_the_guide():
    """The guide's NodePool and EC2NodeClass unchanged; inflate 0 -> 50 -> 0 (AWN-32, AWI-250)."""
    with controller() as adze:
        guide()
        apply(INFLATE)
        ready = until(60, "the EC2NodeClass to be Ready",
                      lambda: condition("ec2nodeclass", "default", "Ready").get("status") == "True")
        begun = time.monotonic()
        report_calls("start", 0, adze)
        scale(50)
        bound = until(120, "50 pods to run", running(50))
        until(60, "one instance a claim", settled)
        check_account()
        record(scenario="inflate", ready_s=round(ready, 1), bound_s=round(bound, 1), nodes=len(names("node")),
               **adze.cost())
        report_calls("0 -> 50", time.monotonic() - begun, adze)
        begun = time.monotonic()
        time.sleep(REST)
        report_calls("at rest", time.monotonic() - begun, adze)
        begun = time.monotonic()
        down()
        report_calls("50 -> 0", time.monotonic() - begun, adze)
        kubectl("delete", "nodepool,ec2nodeclass", "--all", "--timeout=60s")
        if [t for t in ACCOUNT.ec2.describe_launch_templates()["LaunchTemplates"]]:
            raise Failure("launch templates are left")
        if ACCOUNT.iam.list_instance_profiles(PathPrefix="/karpenter/")["InstanceProfiles"]:
            raise Failure("instance profiles are left")


def report_calls(phase, seconds, adze):
    """The calls since the last report, by action."""
    with ACCOUNT.layer.lock:
        calls = dict(sorted(ACCOUNT.layer.calls.items()))
        ACCOUNT.layer.calls.clear()
    record(phase=phase, seconds=round(seconds, 1), **adze.cost(), total=sum(calls.values()), calls=calls)


def drift():
    """A newer image, another security group, other tags: each replaces the nodes (AWN-480)."""
    adze = controller()
    guide()
    apply(INFLATE)
    scale(6)
    until(120, "6 pods to run", running(6))
    before = instances()
    adze.stop()
    ACCOUNT.release_images("2")
    with controller():  # the latest image is asked for every five minutes, and at the start
        changes = (("a newer image", lambda: None), ("other tags", lambda: patch_class({"tags": {"team": "a"}})),
                   ("another security group", another_group))
        for what, change in changes:
            change()
            took = until(150, f"{what} to replace the nodes",
                         lambda: settled() and running(6)() and not before & instances())
            check_account()
            record(scenario="drift", what=what, seconds=round(took, 1))
            before = instances()
        down()


def instances():
    return {one["InstanceId"] for one in ACCOUNT.running()}


def patch_class(spec):
    kubectl("patch", "ec2nodeclass", "default", "--type=merge", "-p", json.dumps({"spec": spec}))


def another_group():
    vpc = ACCOUNT.ec2.describe_vpcs()["Vpcs"][0]["VpcId"]
    group = ACCOUNT.ec2.create_security_group(GroupName="more", Description="more", VpcId=vpc)["GroupId"]
    ACCOUNT.ec2.create_tags(Resources=[group], Tags=[{"Key": "karpenter.sh/discovery", "Value": NAME}])
    patch_class({"securityGroupSelectorTerms": [{"id": group}]})


def spot_interruption():
    """The queue announces the end of a spot instance; its node is replaced before (AWI-512, 552)."""
    with controller():
        guide("spot")
        apply(INFLATE)
        scale(5)
        until(120, "5 pods to run", running(5))
        victim = ACCOUNT.running()[0]["InstanceId"]
        message = {"version": "0", "id": "1", "detail-type": "EC2 Spot Instance Interruption Warning", "source": "aws.ec2",
                   "account": "123456789012", "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                   "region": "us-west-2", "resources": [], "detail": {"instance-id": victim, "instance-action": "terminate"}}
        ACCOUNT.sqs.send_message(QueueUrl=ACCOUNT.queue, MessageBody=json.dumps(message))
        took = until(110, "the pods to run elsewhere",
                     lambda: running(5)() and victim not in instances() and settled())
        check_account()
        record(scenario="interruption", seconds=round(took, 1))
        down()


def credentials_expire():
    """Expired credentials are fetched again, from a program (AWN-520, 521)."""
    folder = tempfile.mkdtemp(dir=cluster.STATE)
    script, config, store = (os.path.join(folder, name) for name in ("credentials", "config", "now"))
    new_credentials(store, "FIRST")
    with open(script, "w") as file:
        file.write(f"#!/bin/sh\ncat {store}\n")
    os.chmod(script, 0o700)
    with open(config, "w") as file:
        file.write(f"[profile e2e]\nregion = us-west-2\ncredential_process = {script}\n")
    with controller(AWS_PROFILE="e2e", AWS_CONFIG_FILE=config, AWS_SHARED_CREDENTIALS_FILE="/dev/null",
                    AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="", AWS_SESSION_TOKEN=""):
        guide()
        apply(INFLATE)
        scale(2)
        until(120, "2 pods to run", running(2))
        del ACCOUNT.layer.secrets["AKIDFIRST"]
        new_credentials(store, "SECOND")
        scale(30)
        took = until(180, "30 pods to run with new credentials", running(30))
        check_account()
        record(scenario="credentials", seconds=round(took, 1))
        down()


def new_credentials(store, name):
    """They seem to be valid for an hour, and AWS ends them earlier."""
    ACCOUNT.layer.give("AKID" + name, "secret-of-" + name, "token-of-" + name)
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    with open(store + ".new", "w") as file:
        json.dump({"Version": 1, "AccessKeyId": "AKID" + name, "SecretAccessKey": "secret-of-" + name,
                   "SessionToken": "token-of-" + name, "Expiration": expires}, file)
    os.rename(store + ".new", store)


def secrets_in_logs():
    """Lines of this run's logs that hold a key or token of the account, or a signature."""
    texts = {secret for pair in ACCOUNT.layer.given for secret in pair if secret}
    texts |= {urllib.parse.quote(text, safe="") for text in texts} | {"AWS4-HMAC-SHA256", "Signature="}
    found = []
    for path in sorted(CONTROLLERS):
        with open(path, errors="replace") as file:
            found += [f"{path}:{number}" for number, line in enumerate(file, 1) if any(text in line for text in texts)]
    return found


def faults():
    """Throttles, shortages, denials, 5xx, time-outs, lost answers: nothing lost, leaked or doubled (AWI-310 to 345)."""
    layer = ACCOUNT.layer
    with controller():
        guide("spot")
        apply(INFLATE)
        until(60, "the EC2NodeClass to be Ready",
              lambda: condition("ec2nodeclass", "default", "Ready").get("status") == "True")
        for what, many, fault in (
                ("throttles", 20, Fault("CreateFleet", "RequestLimitExceeded", "Request limit exceeded.", 503, times=4)),
                ("5xx", 30, Fault("CreateFleet", "InternalError", "An internal error has occurred", 500, times=2)),
                ("lost answers", 40, Fault("CreateFleet", None, times=2, lose=True)),
                ("no capacity", 50, Fault("CreateFleet", "InsufficientInstanceCapacity", "no capacity", times=-1,
                                          pools=[["*", "us-west-2a", "*"], ["*", "us-west-2b", "*"]])),
                ("throttled reads", 60, Fault("DescribeInstances", "RequestLimitExceeded", "limit", 503, times=6)),
                ("slow answers", 70, Fault("CreateFleet", None, times=2, delay=5)),
                ("terminate fails", 10, Fault("TerminateInstances", "InternalError", "internal", 500, times=3))):
            begun = sum(1 for _, _, action, parameters in layer.log
                        if action == "CreateFleet" and parameters.get("DryRun") != "true")
            layer.faults[:] = [fault]
            scale(many)
            took = until(240, f"{many} pods in spite of {what}", running(many))
            until(60, f"{what} to be met", lambda: fault.met)
            until(240, f"one instance a claim after {what}", settled)
            layer.faults[:] = []
            check_account()
            fleets = sum(1 for _, _, action, parameters in layer.log
                         if action == "CreateFleet" and parameters.get("DryRun") != "true") - begun
            if fleets > 40:
                raise Failure(f"a storm of {fleets} launches under {what}")
            record(scenario="faults", what=what, seconds=round(took, 1), met=fault.met, fleets=fleets)
        down()


def denied():
    """A missing permission ends in a condition that names it (AWN-435)."""
    ACCOUNT.layer.faults[:] = [Fault("CreateFleet", "UnauthorizedOperation",
                                     "You are not authorized to perform this operation.", 403, dry=True)]
    with controller():
        guide()
        found = {}

        def told():
            found.update(condition("ec2nodeclass", "default", "ValidationSucceeded"))
            return found.get("status") == "False"

        until(60, "the condition", told)
        ACCOUNT.layer.faults[:] = []
        if found.get("reason") != "CreateFleetAuthCheckFailed" or "ec2:CreateFleet" not in found["message"]:
            raise Failure(f"{found}")
        kubectl("delete", "nodepool,ec2nodeclass", "--all", "--timeout=60s")


def restart_while_launching():
    """The controller is killed while instances are launched: none is lost or doubled (AWI-927)."""
    adze = controller()
    guide()
    apply(INFLATE)
    scale(40)
    for _ in range(3):
        time.sleep(2)
        adze.kill()
        adze = controller()
    with adze:
        until(180, "40 pods to run", running(40))
        until(240, "one instance a claim", settled)
        check_account()
        down()


SCENARIOS = [inflate_from_the_guide, denied, drift, spot_interruption, credentials_expire, faults, restart_while_launching]


def clean_up():
    ACCOUNT.layer.faults[:] = []
    kubectl("delete", "deployment", "--all", "--timeout=60s", check=False)
    kubectl("delete", "nodepool", "--all", "--wait=false", check=False)
    with controller():
        until(240, "everything to go", lambda: not names("claim") and not ACCOUNT.running())
        kubectl("delete", "ec2nodeclass", "--all", "--timeout=120s", check=False)


def main():
    global ADZE, RBAC, ACCOUNT
    parser = argparse.ArgumentParser()
    parser.add_argument("--adze", required=True)
    parser.add_argument("-k", default="")
    arguments = parser.parse_args()
    ADZE = arguments.adze
    chosen = [one for one in SCENARIOS if any(part in one.__name__ for part in arguments.k.split(","))]
    if not chosen:
        print("0 passed, 0 failed")
        return 0
    kubectl("apply", "--server-side", "-f", "-", given=os.popen(f"{ADZE} crds").read())
    kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
    RBAC = permissions("aws")
    ACCOUNT = Account()
    passed, failed = play(chosen, clean_up, after_each=True)
    ACCOUNT.agent.stop()
    ACCOUNT.layer.close()
    told = secrets_in_logs()
    passed, failed = passed + (not told), failed + bool(told)
    print(f"{'FAILED' if told else 'ok '} no_secrets_in_logs ({len(CONTROLLERS)} logs) {' '.join(told[:5])}", flush=True)
    refused = refusals(RBAC)
    passed, failed = passed + (not refused), failed + bool(refused)
    print(f"{'FAILED' if refused else 'ok '} permissions_suffice {' '.join(refused[:5])}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
