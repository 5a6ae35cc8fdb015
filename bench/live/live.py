#!/usr/bin/env python3
"""One load on a live cluster, step by step, and what it cost. usage: see --help; run by the script beside it."""
import argparse
import http.client
import json
import os
import subprocess
import sys
import time

import workloads
from observer import API, HEADERS, TLS, Cluster

KUBECTL = os.environ["KUBECTL"]
PATIENCE_S = 300
PHASES = ["up", "down", "again", "drift", "zone"]
WAVE_S, DROP_S = 60, 180 + 30  # after which the price is compared with a full plan's: the pool consolidates after 30 s
ZONE = "topology.kubernetes.io/zone"
POOL = "/apis/karpenter.sh/v1/nodepools/default"


def request(method, path, body=None, kind="application/json"):
    connection = http.client.HTTPSConnection(API.hostname, API.port, context=TLS, timeout=60)
    connection.request(method, path, json.dumps(body) if body is not None else None, {**HEADERS, "Content-Type": kind})
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    if reply.status >= 300:
        raise SystemExit(f"{method} {path}: {reply.status} {text[:300]!r}")
    return json.loads(text)


def merge(path, patch):
    request("PATCH", path, patch, "application/merge-patch+json")


class Run:
    def __init__(self, arguments):
        self.arguments = arguments
        self.log = open(os.path.join(arguments.state, "program.log"), "w")
        environment = {**os.environ, "METRICS_PORT": os.environ["port_peer_metrics"], "DISABLE_LEADER_ELECTION": "true",
                       "HEALTH_PROBE_PORT": os.environ["port_peer_health"], "SYSTEM_NAMESPACE": "kube-system",
                       "LEADER_ELECTION_NAMESPACE": "kube-system", "LOG_LEVEL": "debug", "KARPENTER_SERVICE": "karpenter"}
        self.is_adze = not arguments.peer
        command = [arguments.program] + (["controller", "--provider", "kwok"] if self.is_adze else [])
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.cluster = Cluster()
        self.begun = time.monotonic()
        self.plans, self.verdicts = {"whole": None, "small": None}, []

    def say(self, step, **facts):
        state = self.cluster.state()
        ticks = open(f"/proc/{self.process.pid}/stat").read().rpartition(")")[2].split()
        line = {"step": step, "s": round(time.monotonic() - self.begun, 1), **facts, **state,
                "cpu_s": round((int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"), 1)}
        print(json.dumps(line), flush=True)
        with open(os.path.join(self.arguments.state, "report.jsonl"), "a") as file:
            file.write(json.dumps(line) + "\n")
        return line

    def wait(self, what, condition, patience=PATIENCE_S, every=None):
        begun = last = time.monotonic()
        while not condition(self.cluster.state()):
            now = time.monotonic()
            if now - begun > patience:
                self.say(what + ": waited in vain")
                return None
            if self.process.poll() is not None:
                raise SystemExit("the program ended")
            if every and now - last >= every:
                last = now
                self.say("...", after=round(now - begun, 1))
            time.sleep(0.1)
        return round(time.monotonic() - begun, 1)

    def scale(self, sizes):
        for name, size in sizes.items():
            merge(f"/apis/apps/v1/namespaces/default/deployments/{name}/scale", {"spec": {"replicas": size}})

    def quiet(self, seconds, patience):
        """Until no node came, was marked or went for so long; answers when the last change was."""
        begun = time.monotonic()
        self.wait("quiet", lambda state: time.monotonic() - self.cluster.changed["node"] >= seconds and state["going"] == 0,
                  patience, every=20)
        return round(self.cluster.changed["node"] - begun, 1)

    def rest(self, name, seconds):
        """The cluster's price so long after the pods of a wave were bound, or a drop, beside that of one full plan."""
        time.sleep(max(0, self.since + seconds - time.monotonic()))
        state, before = self.cluster.state(), self.before
        nominated = state["landed"] - before["landed"]
        kept = round(100 * (state["kept"] - before["kept"]) / nominated, 1) if nominated else None
        plan = self.plans["small" if name == "down" else "whole"]
        over = round(100 * (state["usd"] / plan - 1), 1) if plan else None
        self.say(name + f", after {seconds} s", plan_usd=plan, over_plan_percent=over, kept_percent=kept)
        self.verdicts.append({"step": name, "kept_percent": kept, "over_plan_percent": over,
                              "launches": state["made"] - before["made"] if name == "down" else None})

    def begin(self):
        self.begun = time.monotonic()
        self.before = self.cluster.state()

    def all_bound(self, name, total, **facts):
        took = self.wait(name, lambda state: state["pods"] == total and state["bound"] == total, every=10)
        self.since = time.monotonic()
        self.say(name, bound_s=took, **facts)

    def up(self, deployments):
        self.begin()
        for entry in deployments:
            request("POST", "/apis/apps/v1/namespaces/default/deployments", entry)
        self.all_bound("up", sum(entry["spec"]["replicas"] for entry in deployments))

    def down(self, sizes, patience):
        total = sum(sizes.values())
        self.begin()
        self.scale(sizes)
        self.wait("down", lambda state: state["pods"] == total)
        self.since = time.monotonic()
        took = self.quiet(self.arguments.quiet, patience)
        self.wait("bound", lambda state: state["bound"] == total)
        self.say("down", quiet_s=took)

    def again(self, sizes):
        self.begin()
        self.scale(sizes)
        self.all_bound("again", sum(sizes.values()))

    def drift(self, total, patience):
        """A label of the NodePool's template: every node has drifted."""
        self.begin()
        old = {node.name for node in self.cluster.nodes()}
        merge(POOL, {"spec": {"template": {"metadata": {"labels": {"example.com/round": "two"}}}}})
        took = self.wait("drift", lambda state: not old & {node.name for node in self.cluster.nodes()}, patience, every=20)
        self.all_bound("drift", total, replaced_s=took, replaced=len(old))

    def lose_zone(self, total):
        """All machines of a zone are gone at once, and the NodePool may use it no more."""
        self.begin()
        zones = sorted({node.zone for node in self.cluster.nodes()})
        lost = [node.name for node in self.cluster.nodes() if node.zone == zones[0]]
        terms = request("GET", POOL)["spec"]["template"]["spec"]["requirements"] + [{"key": ZONE, "operator": "NotIn", "values": [zones[0]]}]
        merge(POOL, {"spec": {"template": {"spec": {"requirements": terms}}}})
        for name in lost:
            merge(f"/api/v1/nodes/{name}", {"metadata": {"finalizers": None}})
            request("DELETE", f"/api/v1/nodes/{name}")
        # Pods of nodes that are gone are bound as well, until the control plane removes them.
        took = self.wait("zone", lambda state: state["pods"] == total and state["homeless"] == 0 and state["bound"] == total, every=20)
        self.say("zone", bound_s=took, lost=len(lost))


def planned_price(program, deployments, sizes):
    """USD an hour of one plan for all pods, from nothing; None if the program cannot say."""
    documents = [json.dumps({**entry, "spec": {**entry["spec"], "replicas": sizes[entry["metadata"]["name"]]}})
                 for entry in deployments]
    reply = subprocess.run([program, "plan", "-f", "-", "--provider", "kwok", "-o", "json"], capture_output=True, text=True,
                           input="\n---\n".join([workloads.POOL, *documents]))
    return round(json.loads(reply.stdout)["totals"]["pricePerHour"], 2) if reply.returncode == 0 else None


def play(run, phases, deployments, small, patience):
    whole = {entry["metadata"]["name"]: entry["spec"]["replicas"] for entry in deployments}
    total = sum(whole.values())
    if run.is_adze:
        run.plans = {"whole": planned_price(run.arguments.program, deployments, whole),
                     "small": planned_price(run.arguments.program, deployments, small)}
    run.up(deployments)
    for phase in phases[1:]:
        if phase == "down":
            run.rest("up", WAVE_S)
            run.down(small, patience)
            run.rest("down", DROP_S)
        elif phase == "again":
            run.again(whole)
            run.rest("again", WAVE_S)
        elif phase == "drift":
            run.drift(total, patience)
        else:
            run.lose_zone(total)
    for verdict in run.verdicts:
        print(json.dumps(verdict), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--peer", action="store_true", help="the program is upstream's build, not adze")
    parser.add_argument("--load", default="two", help="two, thirty, or a seed")
    parser.add_argument("--quiet", type=float, default=75)
    parser.add_argument("--patience", type=float, default=400)
    parser.add_argument("--phases", default="up,down", help="in this order, of: " + ",".join(PHASES))
    arguments = parser.parse_args()
    crds = subprocess.run([arguments.program, "crds"], capture_output=True, text=True).stdout if not arguments.peer else None
    if crds is None:
        source = os.environ["PEER_CRDS"].split(":")
        for folder in source:
            subprocess.run([KUBECTL, "apply", "--server-side", "-f", folder], check=True, stdout=subprocess.DEVNULL)
    else:
        subprocess.run([KUBECTL, "apply", "--server-side", "-f", "-"], input=crds, text=True, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([KUBECTL, "wait", "--for=condition=Established", "--timeout=30s", "crd", "--all"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([KUBECTL, "apply", "-f", "-"], input=workloads.POOL, text=True, check=True, stdout=subprocess.DEVNULL)
    loads = {"two": workloads.two_shapes, "thirty": workloads.thirty_shapes}
    deployments, small = loads[arguments.load]() if arguments.load in loads else workloads.generated(int(arguments.load))
    phases = arguments.phases.split(",")
    if phases[0] != "up" or phases != [phase for phase in PHASES if phase in phases]:
        parser.error("--phases: up first, then any of the others in their order")
    run = Run(arguments)
    time.sleep(3)
    try:
        play(run, phases, deployments, small, arguments.patience)
    finally:
        run.process.terminate()
        run.process.wait(40)
    return 0


if __name__ == "__main__":
    sys.exit(main())
