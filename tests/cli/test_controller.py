"""adze controller as a process: rejected starts, endpoints, an API server without the CRDs."""
import http.server
import json
import os
import resource
import socket
import struct
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from program import ADZE, ProgramTest, kubeconfig


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ApiServer(http.server.ThreadingHTTPServer):
    """Every list is empty, except `lists`; paths below `missing` are unknown."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.missing = "/apis/karpenter.sh/"
        self.lists = {}
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # the controller has ended

    def end(self):
        self.ended.set()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.server.missing and self.path.startswith(self.server.missing):
            self.answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404,
                              "reason": "NotFound",
                              "message": "the server could not find the requested resource"})
        elif "watch=true" in self.path:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            self.server.ended.wait()
            self.close_connection = True
        else:
            self.answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                              "items": self.server.lists.get(urllib.parse.urlparse(self.path).path, [])})


READY = {"conditions": [{"type": kind, "status": "True", "reason": kind, "message": "",
                         "lastTransitionTime": "2026-01-01T00:00:00Z"}
                        for kind in ("Ready", "NodeClassReady", "ValidationSucceeded")]}
NODE_POOL = {
    "metadata": {"name": "general", "uid": "p", "generation": 1},
    "spec": {"template": {"spec": {"requirements": [], "nodeClassRef": {
        "group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}}}},
    "status": READY}
NODE_CLASS = {"metadata": {"name": "default", "uid": "c"}, "status": READY}


def waiting_pod(number):
    """All pods differ, and each has anti-affinity to some: a long plan."""
    terms = [{"topologyKey": "topology.kubernetes.io/zone",
              "labelSelector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a%d-%d" % (number, i)]}]}}
             for i in range(4)]
    return {"metadata": {"name": "p%d" % number, "namespace": "tenant", "uid": "u%d" % number, "labels": {"app": "a%d" % number}},
            "spec": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
                     "containers": [{"name": "c", "resources": {"requests": {"cpu": "%dm" % (100 + number)}}}]},
            "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}}


class ControllerTest(ProgramTest):
    def start(self, lists=None, missing="/apis/karpenter.sh/", limits=None, **environment):
        self.api = ApiServer()
        self.api.lists, self.api.missing = lists or {}, missing
        self.addCleanup(self.api.end)
        self.metrics, self.probes = free_port(), free_port()
        config = self.write("kubeconfig", kubeconfig("http://127.0.0.1:%d" % self.api.server_port))
        variables = {key: value for key, value in os.environ.items()
                     if key.endswith("SAN_OPTIONS") or key in ("PATH", "TMPDIR")}
        variables.update(HOME=self.folder.name, DISABLE_LEADER_ELECTION="true",
                         METRICS_PORT=str(self.metrics), HEALTH_PROBE_PORT=str(self.probes), **environment)
        self.log = open(os.path.join(self.folder.name, "log"), "w+b")
        self.addCleanup(self.log.close)
        self.process = subprocess.Popen([ADZE, "controller", "--kubeconfig", config], stdout=self.log,
                                        stderr=self.log, cwd=self.folder.name, env=variables,
                                        preexec_fn=limits)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def get(self, port, path):
        try:
            with urllib.request.urlopen("http://127.0.0.1:%d%s" % (port, path), timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()
        except OSError:
            return 0, b""

    def until(self, what, holds):
        for _ in range(600):
            if holds():
                return
            self.assertIsNone(self.process.poll(), "the controller has ended")
            time.sleep(0.1)
        self.fail("no " + what)

    def logged(self):
        with open(self.log.name, encoding="utf-8") as log:
            return log.read()

    def test_missing_kinds_keep_it_unready_and_alive_LIF_335(self):
        self.start()
        self.until("error in the log", lambda: '"kind":"NodePool"' in self.logged())
        self.assertIn('"level":"ERROR"', self.logged())
        self.assertEqual(self.get(self.probes, "/healthz")[0], 200)
        self.assertEqual(self.get(self.probes, "/readyz")[0], 500)
        self.assertEqual(self.get(self.probes, "/readyz/crd")[0], 500)
        self.api.missing = ""
        self.until("readiness", lambda: self.get(self.probes, "/readyz")[0] == 200)

    def test_slow_clients_starve_neither_probes_nor_the_process_LIF_333(self):
        # The probes' and the metrics' caps are 128 and 32.
        self.start(limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
        self.until("liveness", lambda: self.get(self.probes, "/healthz")[0] == 200)
        slow = []
        for port in [self.probes, self.metrics] * 300:
            client = socket.create_connection(("127.0.0.1", port))
            client.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
            self.addCleanup(client.close)
            slow.append(client)
        for _ in range(7):
            for client in slow:
                try:
                    client.send(b"x")
                except OSError:
                    pass  # closed in favor of later ones
            began = time.monotonic()
            self.assertEqual(self.get(self.probes, "/healthz")[0], 200)
            self.assertLess(time.monotonic() - began, 3)
            self.assertLess(len(os.listdir("/proc/%d/fd" % self.process.pid)), 220)
            time.sleep(2)
        # The deadline has passed, although bytes kept arriving.
        self.assertLess(len(os.listdir("/proc/%d/fd" % self.process.pid)), 60)
        self.assertEqual(self.get(self.metrics, "/metrics")[0], 200)

    def busy_threads(self):
        """Threads besides the first with a second of CPU time."""
        tasks = "/proc/%d/task" % self.process.pid
        busy = 0
        for task in os.listdir(tasks):
            with open(os.path.join(tasks, task, "stat"), encoding="utf-8") as stat:
                ticks = int(stat.read().rsplit(")", 1)[1].split()[11])
            busy += int(task) != self.process.pid and ticks > os.sysconf("SC_CLK_TCK")
        return busy

    def test_ends_at_once_while_a_plan_is_being_made_LIF_474(self):
        self.start(lists={
            "/api/v1/namespaces": [{"metadata": {"name": "tenant", "uid": "n"}}],
            "/api/v1/pods": [waiting_pod(i) for i in range(4000)],
            "/apis/karpenter.sh/v1/nodepools": [NODE_POOL],
            "/apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses": [NODE_CLASS],
        }, missing="")
        self.until("plan under way", lambda: self.busy_threads() > 0)
        told = time.monotonic()
        self.process.terminate()
        self.assertEqual(self.process.wait(20), 0)
        self.assertLess(time.monotonic() - told, 2)
        self.assertIn("ending while a plan is being made", self.logged())

    def test_profiles_are_served_if_asked_for_LIF_334(self):
        self.start(ENABLE_PROFILING="true")
        self.until("metrics", lambda: self.get(self.metrics, "/metrics")[0] == 200)
        self.assertEqual(self.get(self.metrics, "/debug/pprof/"), (200, b"cmdline\nheap\nprofile\n"))
        self.assertIn(b"adze\0controller\0", self.get(self.metrics, "/debug/pprof/cmdline")[1])
        self.assertIn(b"VmRSS", self.get(self.metrics, "/debug/pprof/heap")[1])
        status, profile = self.get(self.metrics, "/debug/pprof/profile?seconds=5")
        self.assertEqual(status, 200)
        self.assertEqual(struct.unpack("@5N", profile[:5 * struct.calcsize("@N")]),
                         (0, 3, 0, 10000, 0))
        self.assertEqual(self.get(self.metrics, "/debug/pprof/profile?seconds=0")[0], 400)
        self.assertEqual(self.get(self.metrics, "/debug/pprof/goroutine")[0], 404)

    def test_profiles_are_not_served_by_default_LIF_334(self):
        self.start()
        self.until("metrics", lambda: self.get(self.metrics, "/metrics")[0] == 200)
        self.assertEqual(self.get(self.metrics, "/debug/pprof/")[0], 404)

    def test_bad_scheduler_config_ends_it_at_its_start_LIF_382(self):
        self.assert_refused(
            self.adze("controller", SCHEDULER_CONFIG="{podTopologySpread: {defaultConstraints: [{maxSkew: 0, "
                      "topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}}"), 2,
            "validating scheduler config, podTopologySpread.defaultConstraints[0].maxSkew must be greater than 0")
        self.assert_refused(self.adze("controller", SCHEDULER_CONFIG="{podTopologySpread: {}, more: 1}"), 2,
                            "validating scheduler config, more is unknown")
        self.assert_refused(self.adze("controller", SCHEDULER_CONFIG="{"), 2, "parsing scheduler config")


if __name__ == "__main__":
    unittest.main()
