#!/usr/bin/env python3
"""Bad input of every kind: one clear line with the problem, its place and the fix, and the right exit code (2 bad input
or usage, 1 failed). With sanitizers on, a crash or a leak fails, too."""
import http.server
import json
import os
import socket
import subprocess
import threading
import unittest

from program import ADZE, EXAMPLES, ProgramTest, kubeconfig

PODS = os.path.join(EXAMPLES, "inflate.yaml")
TYPE = """  - name: %(name)s
    requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
    capacity: {cpu: %(cpu)s, memory: 8Gi, pods: "29"}
    offerings:
    - price: %(price)s
      available: true
      requirements: [{key: topology.kubernetes.io/zone, operator: %(operator)s, values: [z]}]
"""


def catalog(*types):
    text = "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: c}\nspec:\n  instanceTypes:\n"
    for given in types:
        text += TYPE % {"name": "a", "cpu": 2, "price": 0.1, "operator": "In", **given}
    return text


class Manifests(ProgramTest):
    def refused(self, content, *parts, name="m.yaml", status=2):
        self.write(name, content)
        self.assert_refused(self.adze("plan", "-f", name), status, name, *parts)

    def test_malformed_yaml(self):
        self.refused("kind: Pod\nmetadata: {name: a\nspec: {}\n", "m.yaml:3:5", "document 1")

    def test_malformed_json(self):
        self.refused('{"apiVersion": "v1", "kind": "Pod", ', "document 1", name="m.json")

    def test_wrong_types(self):
        deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: %s}\n"
        self.refused("---\n" + deployment % 1 + "---\n" + deployment % "many",
                     "m.yaml:10:18: document 2: spec.replicas: expected an integer")

    def test_unparsable_quantity_and_control_characters_stay_on_one_line(self):
        self.refused("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n"
                     '    resources: {requests: {cpu: "1\\nx\\u001b[31m"}}\n',
                     "spec.containers[0].resources.requests.cpu", '"1?x\\u001b[31m"')

    def test_unknown_kinds(self):
        self.refused("apiVersion: karpenter.sh/v1\nkind: NodePol\n", "m.yaml:2:7", "did you mean NodePool?")
        self.refused("apiVersion: karpenter.sh/v1beta1\nkind: NodePool\n", "read as karpenter.sh/v1")
        self.refused("a: 1\n", "kind: missing")
        self.refused("- 1\n", "not an object")
        self.refused("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "nothing to plan")
        self.write("m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
        self.assert_refused(self.adze("plan", "--strict", "-f", "m.yaml"), 2, "ConfigMap")

    def test_files_that_are_no_manifests(self):
        self.refused(bytes(range(256)), "document 1")
        self.refused(b"\x7fELF\x02\x01\x01\x00\x00", "document 1")
        self.refused("", "nothing to plan")
        self.refused("---\n---\n", "nothing to plan")
        self.refused("[" * 5000 + "]" * 5000, "deeper than 64")
        self.refused("a:\n  b: 1\n  b: 2\n", '"b" stands twice', "lines 2 and 3")

    def test_standard_input_is_located_too(self):
        text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n" \
               "- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n  spec:\n    priority: high\n"
        self.assert_refused(self.adze("plan", "-f", "-", stdin=text), 2, "-:11:15: document 1: spec.priority: expected")

    def test_json_values_after_each_other_FMT_1(self):
        pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": []}} for name in "ab"]
        for between in ("", "\n", " \n\t\n"):
            self.write("m.json", between.join(map(json.dumps, pods)))
            self.assertIn("2 without a place", self.adze("plan", "-f", "m.json")[1])
        self.write("m.json", json.dumps(pods[0]) + "\n---\n" + json.dumps(pods[1]))
        self.assertIn("2 without a place", self.adze("plan", "-f", "m.json")[1])
        pods[1]["spec"]["priority"] = "high"
        self.refused("\n".join(json.dumps(pod, indent=1) for pod in pods), "m.json:19:15: document 2: spec.priority",
                     name="m.json")
        self.refused('{"a": 1}\n{"b": 1,\n "b": 2}', "m.json:3:", "document 2", "duplicate", name="m.json")
        self.refused(json.dumps(pods[0]) * 2 + "x: 1", "document 3", name="m.json")
        self.refused(json.dumps(pods[0]) + "{" * 100, "document 2", name="m.json")

    def test_objects_without_a_name(self):
        pod = "apiVersion: v1\nkind: Pod\nmetadata: {%s}\nspec: {containers: []}\n"
        self.refused(pod % "", "m.yaml:3:11: document 1: metadata.name: missing")
        self.refused(pod % 'name: ""', "metadata.name: missing")
        self.refused(pod % "generateName: a-", "metadata.name: missing", "generateName is filled in by an API server")

    def test_lists_of_nothing(self):
        for items, status in (("[]", "nothing to plan"), ("null", "nothing to plan"), ("{a: b}", "items: expected a list")):
            self.refused("apiVersion: v1\nkind: List\nitems: %s\n" % items, status)

    def test_aliases_do_not_explode(self):
        lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"]
        for before, name in zip("abcdefghi", "bcdefghij"):
            lines.append("%s: &%s [%s]" % (name, name, ",".join(["*" + before] * 10)))
        self.refused("\n".join(lines), "after aliases")

    def test_huge_file(self):
        path = self.write("huge.yaml", "")
        os.truncate(path, 65 << 20)
        self.assert_refused(self.adze("plan", "-f", "huge.yaml"), 2, "huge.yaml: larger than 64 MiB")

    def test_files_that_cannot_be_read_FMT_14(self):
        self.assert_refused(self.adze("plan", "-f", "none.yaml"), 2, "none.yaml: No such file")
        self.assert_refused(self.adze("plan", "-f", ""), 2, "No such file")
        self.assert_refused(self.adze("plan", "-f", "/proc/self/mem"), 1, "/proc/self/mem: ")
        self.write("folder/notes.txt", "a")
        self.assert_refused(self.adze("plan", "-f", "folder"), 2, "folder: there is no manifest (*.yaml")

    def test_the_same_object_twice_counts_once(self):
        once = json.loads(self.adze("plan", "-f", PODS, "-o", "json")[1])
        twice = json.loads(self.adze("plan", "-f", PODS, "-f", PODS, "-o", "json")[1])
        self.assertEqual(once, twice)


class Catalogs(ProgramTest):
    def refused(self, content, *parts):
        self.write("types.yaml", content)
        self.assert_refused(self.adze("plan", "-f", PODS, "--catalog", "types.yaml"), 2, "types.yaml", *parts)

    def test_nonsense_FMT_8(self):
        price, operator = "offerings[0].price", "requirements[0].operator"
        self.refused(catalog({"price": -1}), "spec.instanceTypes[0]." + price + ": negative")
        self.refused(catalog({"price": "cheap"}), price, '"cheap"')
        self.refused(catalog({"price": "1e300"}), price + ": more than a million")
        self.refused(catalog({"price": ".inf"}), ".inf")
        self.refused(catalog({}, {}), 'spec.instanceTypes[1].name: "a"', "spec.instanceTypes[0], too")
        self.refused(catalog({"operator": "Is"}), operator, 'did you mean "In"?')
        self.refused(catalog({"cpu": "2zz"}), "spec.instanceTypes[0].capacity.cpu", "2zz")
        self.refused(catalog({"cpu": "-2"}), 'capacity["cpu"]: negative')
        self.refused(catalog({}).replace("capacity", "capacty"), 'capacty: unknown field, did you mean "capacity"?')
        self.refused("just text", "InstanceTypeCatalog")
        self.write("in.yaml", catalog({"price": -1}))
        self.assert_refused(self.adze("plan", "-f", "in.yaml"), 2, "in.yaml:10:14: document 1")

    def test_nonsense_in_the_kwok_form(self):
        entry = {"name": "a", "architecture": "amd64", "resources": {"cpu": "1", "memory": "1Gi"}, "offerings": []}
        self.refused(json.dumps([entry]), "[0].offerings: a type needs at least one")
        entry["offerings"] = [{"Price": -1, "requirements": []}]
        self.refused(json.dumps([entry]), "[0].offerings[0].price")
        self.refused("[1, 2]", "[0].name: missing")

    def test_demo_and_missing_files(self):
        self.write("types.yaml", catalog({"price": -1}))
        self.assert_refused(self.adze("demo", "--catalog", "types.yaml"), 2, "types.yaml", "negative")
        self.assert_refused(self.adze("plan", "-f", PODS, "--catalog", "none.yaml"), 2, "none.yaml: No such file")

    def test_no_offerings_leave_pods_without_a_place(self):
        self.write("types.yaml", catalog({}).split("    offerings:")[0])
        status, out, _ = self.adze("plan", "-f", PODS, "--catalog", "types.yaml")
        self.assertEqual(status, 3)
        self.assertIn("PODS WITHOUT A PLACE", out)


class Usage(ProgramTest):
    def test_commands_and_options(self):
        self.assertEqual(self.adze()[0], 2)
        self.assert_refused(self.adze("plann"), 2, '"plann"', "did you mean plan?")
        self.assert_refused(self.adze("help", "frob"), 2, '"frob"')
        for line, part in (("plan --frob", "--frob"), ("plan -f", "-f"), ("plan x", "files go with -f"),
                           ("plan -o xml -f x", "xml"), ("plan --provider aws -f x", "kwok or sim"),
                           ("plan --method x -f x", "--method"), ("plan -f x --context y", "one or the other"),
                           ("snapshot --provider aws", "kwok or sim"), ("snapshot x", "x"), ("version --frob", "--frob"),
                           ("version -o xml", "xml"), ("crds nope", "nope"), ("crds -o table", "table"),
                           ("validate --frob", "--frob"), ("validate -o xml", "xml"), ("demo --port 70000", "70000"),
                           ("demo --log-level loud", "loud"), ("demo --seed x", "--seed"), ("demo -f x", "--serve")):
            self.assert_refused(self.adze(*line.split()), 2, part, "--help` tells more")

    def test_flags_of_the_controller_LIF_380(self):
        for flag, part in (("--frob", "--frob"), ("--metric-port=1", "did you mean --metrics-port?"),
                           ("--metrics-port", "needs a value"), ("--metrics-port=x", "whole number"),
                           ("--metrics-port=99999", "between 0 and 65535"), ("--metrics-port=8081", "must differ"),
                           ("--log-level=loud", "debug, info, error"), ("--feature-gates=NodeRepair", "NAME=true|false"),
                           ("--disable-leader-election=maybe", "true or false"), ("--batch-idle-duration=5", "units"),
                           ("--cluster-endpoint=foo", "absolute URL"), ("--provider=azure", "kwok")):
            self.assert_refused(self.adze("controller", flag), 2, part)

    def test_environment_LIF_470(self):
        for name, value in (("METRICS_PORT", "x"), ("LOG_LEVEL", "loud"), ("FEATURE_GATES", "a=b"),
                            ("BATCH_IDLE_DURATION", "5"), ("DISABLE_LEADER_ELECTION", "ja")):
            self.assert_refused(self.adze("controller", **{name: value}), 2, "environment", name)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([ADZE, "crds"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assert_refused((run.returncode, "", run.stderr), 1, "No space left")


class Answer(http.server.BaseHTTPRequestHandler):
    code, body = 401, {}

    def do_GET(self):
        body = json.dumps(self.body).encode()
        self.send_response(self.code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Clusters(ProgramTest):
    def refused(self, config, status, *parts):
        self.write("config", config)
        self.assert_refused(self.adze("plan", "--kubeconfig", "config"), status, *parts)

    def test_kubeconfigs(self):
        self.refused("a: [", 2, "config:")
        self.refused("", 2, "current-context is not set")
        self.refused(kubeconfig(context="nope"), 2, 'no context named "nope"')
        self.refused(kubeconfig(server=""), 2, "cluster.server is missing")
        self.refused(kubeconfig(server="foo://x"), 2, "https://")
        self.refused(kubeconfig(cluster=", certificate-authority: /none"), 2, "/none cannot be read")
        self.refused(kubeconfig(user="{client-certificate-data: '!', client-key-data: aGk=}"), 2, "not base64")
        self.refused(kubeconfig(user="{tokenFile: /none}"), 1, "/none cannot be read")
        self.refused(kubeconfig(user="{exec: {apiVersion: client.authentication.k8s.io/v1, command: 'false'}}"), 1,
                     "false failed with status 1")
        self.assert_refused(self.adze("plan", "--kubeconfig", "none"), 2, "none cannot be read")
        self.assert_refused(self.adze("plan"), 1, "--kubeconfig", "KUBECONFIG")
        self.assert_refused(self.adze("plan", KUBECONFIG="/none"), 2, "/none")

    def test_unreachable_server(self):
        self.refused(kubeconfig(), 1, "127.0.0.1", "is the cluster up?")
        self.assert_refused(self.adze("snapshot", "--kubeconfig", "config"), 1, "is the cluster up?")

    def test_expired_token_and_forbidden_verb(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        config = kubeconfig(server="http://127.0.0.1:%d" % server.server_address[1])
        for code, reason in ((401, "Unauthorized"), (403, "Forbidden")):
            Answer.code = code
            Answer.body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                           "reason": reason, "message": reason + " by the test"}
            self.refused(config, 1, "listing ", reason + " by the test")
        self.refused(config, 1, "nodepools, nodeclaims, nodes, pods", "--verb=get,list", "nodepools.karpenter.sh,nodeclaims.karpenter.sh,nodes,pods",
                     "csinodes.storage.k8s.io")

    def test_ports_and_paths_that_are_taken(self):
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        self.assert_refused(self.adze("demo", "--serve", "--port", port), 1, port, "in use")
        self.assert_refused(self.adze("demo", "--serve", "--kubeconfig", "/proc/none/x"), 1, "/proc/none/x")
        self.write("config", kubeconfig())
        everywhere = socket.socket()
        self.addCleanup(everywhere.close)
        everywhere.bind(("0.0.0.0", 0))
        everywhere.listen()
        port = str(everywhere.getsockname()[1])
        self.assert_refused(self.adze("controller", "--kubeconfig", "config", "--metrics-port", port), 1, port, "in use")


if __name__ == "__main__":
    unittest.main(verbosity=1)
