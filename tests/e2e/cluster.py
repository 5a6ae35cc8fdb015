"""Shared by the scenarios: requests, waiting, the controller's processes, measuring."""
import base64
import datetime
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import tempfile
import time
import traceback
import urllib.parse
import urllib.request

API = urllib.parse.urlparse(os.environ["RIG_API"])
assert API.hostname == "127.0.0.1", "loopback only"
STATE = os.environ["RIG_STATE"]
KUBECTL = os.environ["KUBECTL"]
HELM = os.path.join(os.environ["RIG_CACHE"], "bin", "helm")
CHARTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "charts")
BASE = int(os.environ["RIG_PORT_BASE"])
REPORT = os.path.join(STATE, "report.jsonl")
TLS = ssl.create_default_context(cafile=os.environ["RIG_CA"])
HEADERS = {"Authorization": "Bearer " + os.environ["RIG_TOKEN"], "Accept": "application/json"}
KINDS = {"pod": "/api/v1/pods", "node": "/api/v1/nodes", "claim": "/apis/karpenter.sh/v1/nodeclaims",
         "pool": "/apis/karpenter.sh/v1/nodepools", "event": "/api/v1/events"}


class Failure(Exception):
    """A scenario found a violation."""


def request(method, path, body=None, kind="application/json", accept="application/json"):
    connection = http.client.HTTPSConnection(API.hostname, API.port, context=TLS, timeout=60)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {**HEADERS, "Content-Type": kind, "Accept": accept})
        reply = connection.getresponse()
        text = reply.read()
        is_json = (reply.getheader("Content-Type") or "").startswith("application/json")
        return reply.status, json.loads(text) if text and is_json else None
    finally:
        connection.close()


def items(kind):
    status, body = request("GET", KINDS[kind])
    if status != 200:
        raise Failure(f"GET {KINDS[kind]}: {status}")
    return body["items"]


def names(kind):
    """The names alone: a cheap read for the API server."""
    accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    status, body = request("GET", KINDS[kind], accept=accept)
    if status != 200:
        raise Failure(f"GET {KINDS[kind]}: {status}")
    return {item["metadata"]["name"] for item in body["items"] or []}


def until(seconds, what, condition):
    """Waits until condition() is true; returns the elapsed seconds."""
    begun = time.monotonic()
    last = None
    while time.monotonic() - begun < seconds:
        try:
            last = condition()
            if last:
                return time.monotonic() - begun
        except (OSError, http.client.HTTPException, Failure) as error:
            last = error
        time.sleep(0.1)
    raise Failure(f"waited {seconds} s in vain for {what} (last: {last!r:.300})")


def record(**facts):
    with open(REPORT, "a") as file:
        file.write(json.dumps(facts) + "\n")
    print("   ", json.dumps(facts), flush=True)


def empty():
    return not names("claim") and not names("node") and not names("pod")


def check_claims():
    """One machine a claim, one claim a machine."""
    claims, nodes = items("claim"), items("node")
    ids = [c["status"].get("providerID") for c in claims if c.get("status", {}).get("providerID")]
    if len(ids) != len(set(ids)):
        raise Failure("two claims share a machine")
    owners = [n["spec"].get("providerID") for n in nodes]
    if len(owners) != len(set(owners)):
        raise Failure("two nodes share a provider ID")
    stray = set(owners) - set(ids)
    if stray:
        raise Failure(f"nodes without a claim: {sorted(stray)[:3]}")


def kubectl(*arguments, given=None, check=True):
    run = subprocess.run([KUBECTL, *arguments], input=given, capture_output=True, text=True, timeout=120)
    if check and run.returncode:
        raise Failure(f"kubectl {' '.join(arguments)}: {run.stderr.strip()}")
    return run.stdout


def apply(text):
    return kubectl("apply", "-f", "-", given=text)


def helm(*arguments, check=True):
    """The output; with check=False its complaint as well."""
    run = subprocess.run([HELM, *arguments], capture_output=True, text=True, timeout=120)
    if check and run.returncode:
        raise Failure(f"helm {' '.join(arguments)}: {run.stderr.strip()}")
    return run.stdout if check else run.stdout + run.stderr


def permissions(provider, account="adze", ignore_dra_requests=True):
    """A chart's ServiceAccount with its roles, as with its default values but for what is given; the kubeconfig of that account."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "accounts.yaml")) as file:
        apply(file.read())
    ignores = "true" if ignore_dra_requests else "false"
    if os.access(HELM, os.X_OK):
        apply(helm("template", account, os.path.join(CHARTS, "adze"), "-n", "adze-system", "--set", f"provider={provider}",
                   "--set", "settings.clusterName=e2e", "--set", f"settings.ignoreDRARequests={ignores}", "--set", f"fullnameOverride={account}",
                   "-s", "templates/serviceaccount.yaml", "-s", "templates/rbac.yaml"))
    else:  # from the same table
        apply(subprocess.run([os.environ["ADZE_BINARY"], "manifests", "--roles", "-n", "adze-system", "--provider", provider,
                              "--cluster-name", "e2e", "--name", account, "--ignore-dra-requests", ignores],
                             capture_output=True, text=True, check=True).stdout)
    return kubeconfig_of(account)


def kubeconfig_of(account, namespace="adze-system"):
    """A kubeconfig with a token of a service account, limited by RBAC."""
    token = kubectl("create", "token", account, "-n", namespace, "--duration=3h").strip()
    return write_kubeconfig(token)


def write_kubeconfig(token):
    with open(os.environ["RIG_CA"], "rb") as file:
        authority = base64.b64encode(file.read()).decode()
    config = {"apiVersion": "v1", "kind": "Config", "current-context": "e2e",
              "clusters": [{"name": "e2e", "cluster": {"server": os.environ["RIG_API"],
                                                       "certificate-authority-data": authority}}],
              "users": [{"name": "adze", "user": {"token": token}}],
              "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "adze"}}]}
    file = tempfile.NamedTemporaryFile("w", suffix=".kubeconfig", dir=STATE, delete=False)
    json.dump(config, file)
    file.close()
    os.chmod(file.name, 0o600)
    return file.name


class Controller:
    """One running replica of the program."""

    made = 0
    logs = []  # (kubeconfig, file)

    def __init__(self, binary, kubeconfig, arguments=(), election=False, **environment):
        Controller.made += 1
        self.name = f"adze-{Controller.made}"
        self.metrics_port = BASE + 20 + 2 * (Controller.made % 20)
        self.health_port = self.metrics_port + 1
        self.log = os.path.join(STATE, self.name + ".log")
        Controller.logs.append((kubeconfig, self.log))
        self.environment = {**os.environ, "KUBECONFIG": kubeconfig, "METRICS_PORT": str(self.metrics_port),
                            "HEALTH_PROBE_PORT": str(self.health_port), "LEADER_ELECTION_NAMESPACE": "adze-system",
                            "DISABLE_LEADER_ELECTION": "false" if election else "true", "LOG_LEVEL": "debug",
                            **environment}
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([binary, "controller", "--provider", "kwok", *arguments],
                                            env=self.environment, stdout=log, stderr=subprocess.STDOUT)

    def http(self, port, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ready(self):
        return self.http(self.health_port, "/readyz")[0] == 200

    def await_ready(self, seconds=30):
        until(seconds, f"{self.name} to be ready", self.ready)
        return self

    def leads(self):
        text = self.http(self.metrics_port, "/metrics")[1]
        return any(line.startswith("leader_election_master_status") and line.endswith(" 1")
                   for line in text.splitlines())

    def cost(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        with open(f"/proc/{self.process.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        return {"cpu_s": round((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 2),
                "rss_mib": int(lines["VmRSS"].split()[0]) >> 10, "peak_mib": int(lines["VmHWM"].split()[0]) >> 10}

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self, seconds=40):
        """SIGTERM; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"{self.name} did not end within {seconds} s of SIGTERM") from None

    def lines(self):
        with open(self.log) as file:
            return file.read().splitlines()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)


RESTARTS = []  # of the API server, by time() when it was started again
RBAC_READY_S = 20  # until then a restarted API server may not know all roles yet, and refuses what they allow


def is_refusal(line):
    """An authorizer's answer, not one about an object's fields."""
    if " is forbidden: User" not in line and '"permissions"' not in line:
        return False
    told = re.search(r'"time":"([^"]+)Z"', line)
    at = datetime.datetime.fromisoformat(told.group(1) + "+00:00").timestamp() if told else None
    return at is None or not any(0 <= at - restart <= RBAC_READY_S for restart in RESTARTS)


def refusals(kubeconfig):
    """What controllers with this kubeconfig were not permitted to do, by their logs."""
    lines = set()
    for own, log in Controller.logs:
        if own == kubeconfig and os.path.exists(log):
            with open(log) as file:
                lines.update(line.strip()[:400] for line in file if is_refusal(line))
    return sorted(lines)


def restart_api_server(pause):
    """Stops the API server, and starts the same command again after a pause."""
    path = os.path.join(STATE, "pid", "kube-apiserver")
    with open(path) as file:
        pid = int(file.read().split()[0])
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        command = [part.decode() for part in file.read().split(b"\0") if part]
    os.kill(pid, signal.SIGKILL)
    time.sleep(pause)
    with open(os.path.join(STATE, "log", "kube-apiserver.log"), "a") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
    RESTARTS.append(time.time())
    with open(f"/proc/{process.pid}/stat") as file:
        born = file.read().rpartition(")")[2].split()[19]
    with open(path, "w") as file:
        file.write(f"{process.pid} {born}\n")
    until(60, "the API server", lambda: request("GET", "/readyz")[0] == 200)


def play(scenarios, clean_up, after_each=False):
    """Plays them in order; the numbers of those that passed and failed. Cleans up after failures, or after each."""
    passed = failed = 0
    for scenario in scenarios:
        begun = time.monotonic()
        print("---", scenario.__name__, flush=True)
        try:
            scenario()
            if after_each:
                clean_up()
            passed += 1
            print(f"ok  {scenario.__name__} ({time.monotonic() - begun:.0f} s)", flush=True)
        except Exception as error:  # any failure of a scenario is a result
            failed += 1
            if not isinstance(error, Failure):
                traceback.print_exc()
            print(f"FAILED {scenario.__name__}: {error}", flush=True)
            try:
                clean_up()
            except Exception as left:
                print(f"       and afterwards: {left}", flush=True)
    return passed, failed
