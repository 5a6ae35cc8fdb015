"""A kube-scheduler that binds a pod only to its planned node, and leaves everything else to the real filters.

A scheduler extender (an HTTP server in this process) is asked after kube-scheduler's own filters. For a pod in
`planned` it allows only the planned node; for any other pod it allows every node. The pods themselves stay unchanged: a
node selector would change the nodes that count for their topology spread. Preemption is off, as a plan never counts on
it.
"""
import http.server
import json
import os
import subprocess
import threading

import cluster

NAME = "truth"  # pods with this schedulerName are this scheduler's


class Scheduler:
    def __init__(self):
        self.planned = {}  # "namespace/name" -> node name
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.process = None

    def filter(self, pod, names):
        node = self.planned.get(f"{pod['metadata']['namespace']}/{pod['metadata']['name']}")
        return names if node is None else [name for name in names if name == node]

    def start(self):
        binary = os.path.join(os.environ["RIG_CACHE"], "bin", "kube-scheduler")
        config = os.path.join(cluster.STATE, "conf", "truth-scheduler.yaml")
        with open(config, "w") as file:
            json.dump(self.configuration(), file)
        access = os.path.join(cluster.STATE, "conf", "scheduler")
        with open(os.path.join(cluster.STATE, "log", "truth-scheduler.log"), "w") as log:
            self.process = subprocess.Popen(
                [binary, "--config", config, "--secure-port", "0", "--authentication-kubeconfig", access,
                 "--authorization-kubeconfig", access, "-v", os.environ.get("ADZE_TRUTH_VERBOSITY", "2")],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def configuration(self):
        extender = {"urlPrefix": f"http://127.0.0.1:{self.server.server_port}", "filterVerb": "filter",
                    "nodeCacheCapable": True, "enableHTTPS": False, "httpTimeout": "30s"}
        return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "leaderElection": {"leaderElect": False}, "percentageOfNodesToScore": 100,
                "podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1, "extenders": [extender],
                "clientConnection": {"kubeconfig": os.path.join(cluster.STATE, "conf", "scheduler"),
                                     "qps": 1000, "burst": 2000},
                "profiles": [{"schedulerName": NAME,
                              "plugins": {"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}}}]}

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        self.server.shutdown()


def handler_of(scheduler):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            names = scheduler.filter(asked["Pod"], asked["NodeNames"] or [])
            failed = {name: "not the planned node" for name in asked["NodeNames"] or [] if name not in names}
            reply = json.dumps({"NodeNames": names, "FailedNodes": failed}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):
            pass

    return Handler
