"""The chart's rules and dashboards in a real Prometheus that scrapes a real controller."""
import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import cluster
from cluster import Failure, record, until

FILES = pathlib.Path(cluster.CHARTS) / "adze/files"
PORT = cluster.BASE + 15
# The provider aws has these; no query of them has data here.
ELSEWHERE = ("aws_sdk_go_", "karpenter_interruption_", "adze_offerings", "adze_spot_launch_pools",
             "karpenter_cloudprovider_instance_launch_failures_total")
# Panels that must show something after a wave of pods and its end.
SHOWN = {"Leaders", "Nodes", "Pods without a node", "Cost an hour", "Waiting pods by stage", "Time from creation to a node",
         "Nodes by NodePool", "Nodes by instance type", "NodeClaims by phase", "Time of each step",
         "Allocatable cpu", "Requested share of each NodePool's nodes", "Memory", "Cpu", "Reconciles", "Time in queues",
         "Requests, by answer", "Time of requests", "Eligible nodes", "Placements kept"}


class Prometheus:
    def __init__(self, target):
        if shutil.which("prometheus") is None:
            raise Failure("there is no prometheus: tools/install-dependencies --monitoring")
        self.folder = pathlib.Path(cluster.STATE) / "prometheus"
        self.folder.mkdir(exist_ok=True)
        (self.folder / "prometheus.yaml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [str(FILES / "alerts.yaml")],
            "scrape_configs": [{"job_name": "adze", "static_configs": [{"targets": [target]}]}]}))
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={self.folder}/prometheus.yaml", f"--storage.tsdb.path={self.folder}/data",
                 f"--web.listen-address=127.0.0.1:{PORT}"], stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def get(self, path, **arguments):
        url = f"http://127.0.0.1:{PORT}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise Failure(f"{path} {arguments}: {error.read().decode()}") from error

    def query(self, expression):
        for name, value in (("$__rate_interval", "2m"), ("$nodepool", ".*")):
            expression = expression.replace(name, value)
        return self.get("query", query=expression)["result"]


def panels():
    for path in sorted((FILES / "dashboards").glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            if panel.get("targets"):
                yield panel["title"], [target["expr"] for target in panel["targets"]]


def rules_and_dashboards(metrics_port, load):
    """Every query is answered, the important ones with data; every rule is evaluated, and none fires."""
    with Prometheus(f"127.0.0.1:{metrics_port}") as prometheus:
        until(30, "a scrape", lambda: prometheus.query("karpenter_build_info"))
        load()
        time.sleep(3)
        bare, asked = [], 0
        for title, expressions in panels():
            found = [bool(prometheus.query(expression)) for expression in expressions]
            asked += len(found)
            if not any(found) and not any(word in expression for word in ELSEWHERE for expression in expressions):
                bare.append(title)
        missing = SHOWN & set(bare)
        rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
        wrong = [f"{rule['name']}: {rule['health']} {rule.get('lastError', '')}" for rule in rules if rule["health"] != "ok"]
        firing = [rule["name"] for rule in rules if rule["state"] == "firing"]
        series = int(prometheus.query('scrape_samples_scraped{job="adze"}')[0]["value"][1])
        record(scenario="monitoring", queries=asked, without_data=sorted(bare), rules=len(rules), firing=firing, series=series)
        if missing or wrong or firing:
            raise Failure(f"no data: {sorted(missing)}; rules: {wrong}; firing: {firing}")
