#!/usr/bin/env python3
"""One load on a live cluster: up, down, and what it cost. usage: see --help; run by the script beside it."""
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


def request(method, path, body=None, kind="application/json"):
    connection = http.client.HTTPSConnection(API.hostname, API.port, context=TLS, timeout=60)
    connection.request(method, path, json.dumps(body) if body is not None else None, {**HEADERS, "Content-Type": kind})
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    if reply.status >= 300:
        raise SystemExit(f"{method} {path}: {reply.status} {text[:300]!r}")
    return json.loads(text)


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
            request("PATCH", f"/apis/apps/v1/namespaces/default/deployments/{name}/scale",
                    {"spec": {"replicas": size}}, "application/merge-patch+json")

    def quiet(self, seconds, patience):
        """Until no node came, was marked or went for so long; answers when the last change was."""
        begun = time.monotonic()
        self.wait("quiet", lambda state: time.monotonic() - self.cluster.changed["node"] >= seconds and state["going"] == 0,
                  patience, every=20)
        return round(self.cluster.changed["node"] - begun, 1)

    def up(self, deployments):
        total = sum(entry["spec"]["replicas"] for entry in deployments)
        self.begun = time.monotonic()
        for entry in deployments:
            request("POST", "/apis/apps/v1/namespaces/default/deployments", entry)
        took = self.wait("up", lambda state: state["pods"] == total and state["bound"] == total, every=10)
        self.say("up", bound_s=took)

    def down(self, sizes, patience):
        total = sum(sizes.values())
        self.begun = time.monotonic()
        self.scale(sizes)
        self.wait("down", lambda state: state["pods"] == total)
        took = self.quiet(self.arguments.quiet, patience)
        self.wait("bound", lambda state: state["bound"] == total)
        self.say("down", quiet_s=took)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--peer", action="store_true", help="the program is upstream's build, not adze")
    parser.add_argument("--load", default="two", help="two, thirty, or a seed")
    parser.add_argument("--quiet", type=float, default=75)
    parser.add_argument("--patience", type=float, default=400)
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
    run = Run(arguments)
    time.sleep(3)
    try:
        run.up(deployments)
        if arguments.patience > 0:
            run.down(small, arguments.patience)
    finally:
        run.process.terminate()
        run.process.wait(40)
    return 0


if __name__ == "__main__":
    sys.exit(main())
