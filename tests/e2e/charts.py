"""Scenarios of the surface: charts, image, and Karpenter in adze's place."""
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time

import cluster
from cluster import BASE, CHARTS, STATE, Controller, Failure, apply, helm, items, kubeconfig_of, kubectl, names, record, until

ROOT = os.path.join(CHARTS, "..")
NAMESPACE = RELEASE = "adze-charts"  # roles of "adze" are there already
# Nodes of another origin, for the controller's own pods: two zones.
SYSTEM_NODE = """
apiVersion: v1
kind: Node
metadata:
  name: system-{zone}
  annotations: {{kwok.x-k8s.io/node: fake}}
  labels: {{kubernetes.io/hostname: system-{zone}, kubernetes.io/os: linux, kubernetes.io/arch: amd64,
           topology.kubernetes.io/zone: zone-{zone}}}
status:
  allocatable: {{cpu: "4", memory: 8Gi, pods: "10"}}
  capacity: {{cpu: "4", memory: 8Gi, pods: "10"}}
"""
UPSTREAM = os.path.join(os.environ["RIG_CACHE"], "karpenter-kwok-v1.14.1")
QUIET_SECONDS = 15


def identities():
    """The NodeClaims' nodes that carry pods, with their UIDs: a replaced one is another. Empty ones may go at any time."""
    used = {pod["spec"].get("nodeName") for pod in items("pod") if pod["metadata"]["namespace"] == "default"}
    return {n["metadata"]["name"]: n["metadata"]["uid"] for n in items("node")
            if "karpenter.sh/nodepool" in n["metadata"]["labels"] and n["metadata"]["name"] in used}


def stay(nodes, what, seconds=QUIET_SECONDS):
    """None of these nodes goes, is replaced, tainted or drifted for a while."""
    begun = time.monotonic()
    while time.monotonic() - begun < seconds:
        now = {n["metadata"]["name"]: n for n in items("node")}
        gone = [name for name, uid in nodes.items() if name not in now or now[name]["metadata"]["uid"] != uid]
        tainted = [name for name in nodes.keys() & now.keys()
                   if any(taint["key"] == "karpenter.sh/disrupted" for taint in now[name]["spec"].get("taints") or [])]
        drifted = [c["metadata"]["name"] for c in items("claim") for condition in c.get("status", {}).get("conditions", [])
                   if condition["type"] == "Drifted" and condition["status"] == "True"]
        if gone or drifted or tainted:
            raise Failure(f"{what}: gone {gone}, drifted {drifted}, tainted {tainted}")
        time.sleep(0.5)


def previous_charts():
    """The charts of the commit before, else today's."""
    folder = tempfile.mkdtemp(dir=STATE)
    done = subprocess.run(f"git -C '{ROOT}' archive HEAD~1 charts | tar -x -C '{folder}'", shell=True, capture_output=True)
    old = os.path.join(folder, "charts")
    return old if done.returncode == 0 and os.path.isdir(old) else CHARTS


def install_definitions(charts):
    return helm("upgrade", "--install", "adze-crd", os.path.join(charts, "adze-crd"), "-n", NAMESPACE, "--set", "kwok.enabled=true",
                check=False)


def adopt_definitions(charts):
    """CRDs that no release owns are refused by Helm (MIG-117) until they are labelled (MIG-116)."""
    definitions = [name for name in kubectl("get", "crd", "-o", "name").split() if "karpenter" in name or "capacitybuffers" in name]
    kubectl("label", *definitions, "app.kubernetes.io/managed-by-")
    refused = install_definitions(charts)
    if "invalid ownership metadata" not in refused:
        raise Failure(f"Helm took CRDs that it does not own: {refused}")
    kubectl("label", *definitions, "app.kubernetes.io/managed-by=Helm", "--overwrite")
    kubectl("annotate", *definitions, "meta.helm.sh/release-name=adze-crd", f"meta.helm.sh/release-namespace={NAMESPACE}",
            "--overwrite")
    if "STATUS: deployed" not in (told := install_definitions(charts)):
        raise Failure(f"helm install of the CRDs: {told}")


def deployed(**environment):
    """What the Deployment's container would see, for a controller process outside the cluster."""
    deployment = json.loads(kubectl("get", "deployment", RELEASE, "-n", NAMESPACE, "-o", "json"))
    container, = deployment["spec"]["template"]["spec"]["containers"]
    seen = {entry["name"]: entry["value"] for entry in container["env"] if "value" in entry}
    for name in ("METRICS_PORT", "HEALTH_PROBE_PORT"):
        seen.pop(name)
    return {**seen, "LEADER_ELECTION_NAMESPACE": NAMESPACE, "DISABLE_LEADER_ELECTION": "false", **environment}


def ready_replicas(wanted):
    deployment = json.loads(kubectl("get", "deployment", RELEASE, "-n", NAMESPACE, "-o", "json"))
    status = deployment["status"]
    return status.get("observedGeneration") == deployment["metadata"]["generation"] and \
        status.get("updatedReplicas") == status.get("readyReplicas") == status.get("replicas") == wanted


def install_upgrade_uninstall(adze, load):
    if not os.access(cluster.HELM, os.X_OK):
        print("skipped: there is no helm", flush=True)
        return
    kubectl("create", "namespace", NAMESPACE)
    for zone in "ab":
        apply(SYSTEM_NODE.format(zone=zone))
    try:
        charts = previous_charts()
        adopt_definitions(charts)
        values = ("-n", NAMESPACE, "--set", "provider=kwok,settings.kubeClientQPS=100")
        helm("install", RELEASE, os.path.join(charts, "adze"), *values)
        until(60, "the controller's pods to run, in two zones", lambda: ready_replicas(2))
        budget = json.loads(kubectl("get", "pdb", RELEASE, "-n", NAMESPACE, "-o", "json"))
        until(20, "the PodDisruptionBudget to count them", lambda: json.loads(
            kubectl("get", "pdb", RELEASE, "-n", NAMESPACE, "-o", "json"))["status"].get("expectedPods") == 2)
        if budget["spec"]["maxUnavailable"] != 1:
            raise Failure(f"the PodDisruptionBudget: {budget['spec']}")
        with Controller(adze, kubeconfig_of(RELEASE, NAMESPACE), **deployed()).await_ready() as first:
            until(30, "it to lead", first.leads)
            load()
            nodes = identities()
            if "STATUS: deployed" not in (told := install_definitions(CHARTS)):
                raise Failure(f"helm upgrade of the CRDs: {told}")
            helm("upgrade", RELEASE, os.path.join(CHARTS, "adze"), *values, "--set", "settings.batchIdleDuration=2s,replicas=2")
            until(60, "the upgrade to be rolled out", lambda: ready_replicas(2))
            second = Controller(adze, kubeconfig_of(RELEASE, NAMESPACE), **deployed(LOG_LEVEL="debug")).await_ready()
            first.stop()
            with second:
                until(30, "the next one to lead", second.leads)
                stay(nodes, "helm upgrade")
                refused = [line for controller in (first, second) for line in controller.lines() if "forbidden" in line.lower()]
                if refused:
                    raise Failure(f"the chart's roles do not suffice: {refused[:3]}")
        helm("uninstall", RELEASE, "-n", NAMESPACE)
        helm("uninstall", "adze-crd", "-n", NAMESPACE)
        stay(nodes, "helm uninstall", 5)
        if len(names("claim")) < len(nodes):
            raise Failure("NodeClaims went with the chart")
        left = [name for kind in ("clusterrole", "clusterrolebinding") for name in kubectl("get", kind, "-l",
                f"app.kubernetes.io/instance={RELEASE}", "-o", "name").split()]
        if left:
            raise Failure(f"helm uninstall leaves {left}")
        record(label="helm install, upgrade, uninstall", nodes=len(nodes), replaced=0)
    finally:
        for release in (RELEASE, "adze-crd"):
            helm("uninstall", release, "-n", NAMESPACE, "--ignore-not-found", check=False)
        kubectl("delete", "namespace", NAMESPACE, "--wait=false", check=False)
        kubectl("delete", "node", "system-a", "system-b", "--ignore-not-found")


# --- the image --------------------------------------------------------------------------------------------------------


def unpack(archive, folder):
    """The image's one layer, as a runtime would lay it."""
    with tarfile.open(archive) as layout:
        def blob(reference):
            return layout.extractfile("blobs/sha256/" + reference["digest"].split(":")[1])
        index = json.load(layout.extractfile("index.json"))
        manifest = json.load(blob(index["manifests"][0]))
        config = json.load(blob(manifest["config"]))
        with tarfile.open(fileobj=blob(manifest["layers"][0])) as layer:
            layer.extractall(folder)
    return config["config"]


def image_runs(load):
    """As its configuration says: another user than root, nothing writable, credentials of the ServiceAccount."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("skipped: only root can make the image's root read-only here", flush=True)
        return
    release, work = os.path.join(STATE, "release"), os.path.join(os.environ["RIG_CACHE"], "release")
    os.makedirs(work, exist_ok=True)
    libraries = subprocess.run([os.path.join(ROOT, "packaging", "sysroot"), "amd64", os.path.join(work, "sysroot-amd64")],
                               capture_output=True, text=True, timeout=600)
    if libraries.returncode:
        print(f"skipped: the distribution's libraries cannot be had: {libraries.stderr.strip()[-300:]}", flush=True)
        return
    begun = time.monotonic()
    run = subprocess.run([os.path.join(ROOT, "packaging", "release"), "--image", "--architecture", "amd64", "--output", release,
                          "--work", work], capture_output=True, text=True, timeout=900)
    if run.returncode:
        raise Failure(f"packaging/release: {run.stdout}{run.stderr}"[-2000:])
    archive, = [os.path.join(release, name) for name in os.listdir(release) if name.endswith(".oci.tar")]
    record(label="image", built_s=round(time.monotonic() - begun), bytes=os.path.getsize(archive))
    root = tempfile.mkdtemp(dir=STATE)
    os.chmod(root, 0o755)
    config = unpack(archive, root)
    account = os.path.join(root, "var/run/secrets/kubernetes.io/serviceaccount")  # as a kubelet mounts it
    os.makedirs(account)
    shutil.copy(os.environ["RIG_CA"], os.path.join(account, "ca.crt"))
    for name, text in (("namespace", "adze-system"), ("token", kubectl("create", "token", "adze", "-n", "adze-system").strip())):
        with open(os.path.join(account, name), "w") as file:
            file.write(text)
    program = os.path.join(STATE, "image-runs")
    with open(program, "w") as file:
        file.write("#!/bin/sh\nunset KUBECONFIG\nexec unshare --mount sh -c 'mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro "
                   f"\"$0\" && exec chroot --userspec={config['User']} --groups= \"$0\" {config['Entrypoint'][0]} \"$@\"' '{root}' \"$@\"\n")
    os.chmod(program, 0o755)
    with Controller(program, "", KUBERNETES_SERVICE_HOST=cluster.API.hostname, KUBERNETES_SERVICE_PORT=str(cluster.API.port),
                    MEMORY_LIMIT="536870912").await_ready() as controller:
        with open(f"/proc/{controller.process.pid}/status") as file:
            status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
        if status["Uid"].split() != ["65532"] * 4 or status["Gid"].split() != ["65532"] * 4:
            raise Failure(f"it runs as {status['Uid']} {status['Gid']}")
        if int(status["CapEff"], 16):
            raise Failure(f"it has capabilities: {status['CapEff']}")
        with open(f"/proc/{controller.process.pid}/mountinfo") as file:
            if not any(fields[4] == "/" and "ro" in fields[5].split(",") for fields in map(str.split, file)):
                raise Failure("its root can be written to")
        load()
        if controller.stop() != 0:
            raise Failure("SIGTERM does not end it with status 0")
        refused = [line for line in controller.lines() if "forbidden" in line.lower()]
        if refused:
            raise Failure(f"the chart's roles do not suffice: {refused[:3]}")
    shutil.rmtree(root)


# --- Karpenter in its place -------------------------------------------------------------------------------------------


class Upstream:
    """Upstream's kwok build, on the same lease."""

    def __init__(self):
        self.log = os.path.join(STATE, "upstream.log")
        environment = {**os.environ, "METRICS_PORT": str(BASE + 70), "HEALTH_PROBE_PORT": str(BASE + 71),
                       "LEADER_ELECTION_NAMESPACE": "adze-system", "SYSTEM_NAMESPACE": "adze-system",
                       "KARPENTER_SERVICE": "karpenter", "KUBERNETES_MIN_VERSION": "1.19.0-0", "DISABLE_WEBHOOK": "true"}
        with open(self.log, "a") as log:
            self.process = subprocess.Popen([UPSTREAM], env=environment, stdout=log, stderr=subprocess.STDOUT)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)


def holder():
    status, lease = cluster.request("GET", "/apis/coordination.k8s.io/v1/namespaces/adze-system/leases/karpenter-leader-election")
    return lease["spec"].get("holderIdentity") or "" if status == 200 else ""


def swap_in_and_back(adze, kubeconfig, load, more):
    """MIG-110 to 123: adze takes over upstream's nodes and gives them back; none is replaced."""
    if not os.path.exists(UPSTREAM):
        print(f"skipped: upstream's kwok build is not there ({UPSTREAM}; `make test-upstream` builds it)", flush=True)
        return
    kubectl("delete", "lease", "karpenter-leader-election", "-n", "adze-system", "--ignore-not-found")
    upstream = Upstream()
    try:
        until(60, "upstream to lead", holder)
        load()
        nodes = identities()
        with Controller(adze, kubeconfig, election=True).await_ready() as ours:
            if ours.leads():
                raise Failure("both lead")
            begun = time.monotonic()
            upstream.stop()  # it does not release the lease (LIF-332)
            until(40, "adze to lead", ours.leads)
            taken_s = time.monotonic() - begun
            stay(nodes, "swap-in")
            more()
            nodes = {**nodes, **identities()}
            before = holder()
            upstream = Upstream()
            time.sleep(3)
            begun = time.monotonic()
            ours.stop()
        until(40, "upstream to lead again", lambda: holder() not in ("", before))
        back_s = time.monotonic() - begun
        stay(nodes, "swap-back")
        record(label="swap", nodes=len(nodes), replaced=0, in_s=round(taken_s, 1), back_s=round(back_s, 1))
    finally:
        upstream.stop()
        kubectl("delete", "lease", "karpenter-leader-election", "-n", "adze-system", "--ignore-not-found")

