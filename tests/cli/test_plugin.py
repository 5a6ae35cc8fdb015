#!/usr/bin/env python3
"""adze as a plugin of kubectl: names, options of the connection, completion in real shells, krew's manifest.

usage: test_plugin.py ADZE RELEASE"""
import http.server
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
import unittest

import yaml

RELEASE = sys.argv.pop(2)
from program import ADZE, JsonHandler, ProgramTest, kubeconfig  # noqa: E402: takes the first argument


class Api(JsonHandler):
    """An API server with one NodePool, for a token."""
    protocol_version = "HTTP/1.1"
    seen = []

    def do_GET(self):
        self.seen.append((self.path.split("?")[0], self.headers.get("Authorization")))
        self.reply({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "default"}}]})


class Plugin(ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.folder.name + "/bin")
        for name in "adze", "kubectl-adze", "kubectl_complete-adze":
            os.symlink(ADZE, self.folder.name + "/bin/" + name)

    def run_in(self, *command, **environment):
        variables = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS")}
        variables.update({"HOME": self.folder.name, "PATH": self.folder.name + "/bin:" + os.environ["PATH"], "TERM": "xterm",
                          **environment})
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder.name, env=variables, timeout=60,
                             stdin=subprocess.DEVNULL)
        return run.returncode, run.stdout, run.stderr

    def test_kubectl_completes_by_a_program_of_its_own(self):
        self.assertEqual(self.run_in("kubectl_complete-adze", "budg")[1],
                         "budgets\thow many nodes may be disrupted, now and as windows of budgets open and close\n:4\n")
        self.assertEqual(self.run_in("kubectl_complete-adze", "plan", "-o", "j")[1], "json\njsonpath=\n:6\n")
        self.assertEqual(self.run_in("kubectl_complete-adze", "plan", "-f", "")[1], ":0\n")

    def test_options_of_the_connection_are_those_of_kubectl(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}"
        config = self.write("config", kubeconfig("https://127.0.0.1:1", "{token: mine}"))
        for options, token in ((("--server", url), None), (("--server", url, "--token", "t"), "Bearer t"),
                               (("--server", url, "--kubeconfig", config), "Bearer mine")):
            Api.seen.clear()
            self.assertEqual(self.run_in("kubectl_complete-adze", "budgets", *options, "")[1], "default\n:4\n", options)
            self.assertEqual(Api.seen[-1], ("/apis/karpenter.sh/v1/nodepools", token))
        for arguments, complaint in (
                (("--server", "127.0.0.1"), "--server should begin with https://"),
                (("--kubeconfig", config, "--cluster", "d"), 'there is no cluster named "d" in clusters'),
                (("--kubeconfig", config, "--user", "w"), 'there is no user named "w" in users'),
                (("--kubeconfig", config, "--context", "w"), 'there is no context named "w" in contexts'),
                (("--kubeconfig", config, "--client-key", config), "--client-certificate and --client-key belong together"),
                (("--kubeconfig", config, "--certificate-authority", "/nowhere"), "--certificate-authority: /nowhere"),
                (("-f", config, "--server", url), "give one or the other")):
            self.assert_refused(self.run_in("kubectl-adze", "plan", *arguments), 2, complaint)

    def shell(self, name, script):
        if shutil.which(name) is None:
            self.skipTest(f"{name} is not here: its completion is not tried")
        code, output, complaint = self.run_in(name, *script)
        self.assertEqual(code, 0, complaint)
        return output

    def test_zsh(self):
        script = self.write("_adze", self.adze("completion", "zsh")[1])
        output = self.shell("zsh", ("-f", "-c", """
            autoload -Uz compinit; compinit -u -d %s/dump; source %s
            _describe() { print -l -- "${(@P)2}" }
            _files() { print FILES }
            words=(adze plan -o j); CURRENT=4; _adze
            words=(adze budg); CURRENT=2; _adze
            words=(adze validate ''); CURRENT=3; _adze
            print "${_comps[adze]}" """ % (self.folder.name, script)))
        self.assertEqual(output, "json\njsonpath=\nbudgets:how many nodes may be disrupted, now and as windows of budgets open and close\n"
                         "FILES\n_adze\n")

    def test_fish(self):
        script = self.write("adze.fish", self.adze("completion", "fish")[1])
        output = self.shell("fish", ("--no-config", "-c", f"source {script}; complete -C 'adze plan -o j'; complete -C 'adze budg'; "
                                     "complete -C 'adze validate adze.f'"))
        self.assertEqual(output, "json\njsonpath=\nbudgets\thow many nodes may be disrupted, now and as windows of budgets open and "
                         "close\nadze.fish\n")

    def test_manifest_for_krew(self):
        """The rules of krew's validation: names, version, one archive a platform with its sum."""
        loader = importlib.machinery.SourceFileLoader("release", RELEASE)
        release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
        sys.dont_write_bytecode = True
        loader.exec_module(release)
        release.VERSION = release.version()
        manifest = yaml.safe_load(release.plugin_manifest({"amd64": "a" * 64, "arm64": "b" * 64}, "https://example.com/x/"))
        self.assertEqual((manifest["apiVersion"], manifest["kind"], manifest["metadata"]["name"]),
                         ("krew.googlecontainertools.github.com/v1alpha2", "Plugin", "adze"))
        spec = manifest["spec"]
        self.assertRegex(spec["version"], r"^v\d+\.\d+\.\d+$")
        self.assertRegex(spec["shortDescription"], r"^[A-Z][^\n]{0,48}[^.\n]$")
        self.assertEqual(sorted(spec), ["description", "platforms", "shortDescription", "version"])
        for platform, architecture in zip(spec["platforms"], ("amd64", "arm64")):
            self.assertEqual(sorted(platform), ["bin", "selector", "sha256", "uri"])
            self.assertEqual(platform["selector"], {"matchLabels": {"os": "linux", "arch": architecture}})
            self.assertTrue(re.fullmatch("[0-9a-f]{64}", platform["sha256"]))
            self.assertEqual(platform["uri"], f"https://example.com/x/kubectl-adze-{release.VERSION}-linux-{architecture}.tar.gz")
            self.assertEqual(platform["bin"], "adze")
        text = release.plugin_manifest({"amd64": "a" * 64}, None)  # no made-up host
        self.assertTrue(text.startswith("# Nobody has said"))
        self.assertRegex(yaml.safe_load(text)["spec"]["platforms"][0]["uri"], r"^https://downloads\.invalid/v[\d.]+/kubectl-adze-")


if __name__ == "__main__":
    unittest.main()
