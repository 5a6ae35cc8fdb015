"""Turns running instances of the emulator into Nodes, as their kubelets would: by their user data's cluster settings.

An instance whose user data names another cluster, endpoint or authority never joins. kwok plays the kubelet afterwards.
"""
import email
import json
import re
import threading
import time

import boto3

import cluster


class BootAgent:
    """Until stop(), looks for instances every half second. `facts`: type -> {vcpu, memoryMiB, arch, ...} (data/ec2)."""

    def __init__(self, layer, ec2, facts, name, endpoint, authority):
        self.layer, self.ec2, self.facts = layer, ec2, facts
        self.cluster = {"name": name, "apiServerEndpoint": endpoint, "certificateAuthority": authority}
        self.refused, self.joined, self.ended = {}, {}, set()
        self.paused = False
        self.running = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def stop(self):
        self.running = False
        self.thread.join(20)

    def run(self):
        while self.running:
            try:
                if not self.paused:
                    self.look()
            except Exception as error:  # the emulator is busy: once more
                self.refused["the agent"] = repr(error)
            time.sleep(0.5)

    def instances(self):
        found = []
        for page in self.ec2.get_paginator("describe_instances").paginate():
            found += [one for reservation in page["Reservations"] for one in reservation["Instances"]]
        return found

    def look(self):
        alive = set()
        for instance in self.instances():
            name = instance["InstanceId"]
            if instance["State"]["Name"] == "running":
                alive.add(name)
                if name not in self.joined and name not in self.refused:
                    self.boot(name, instance)
        for name in set(self.joined) - alive - self.ended:  # a cloud controller manager removes the Node
            self.ended.add(name)
            cluster.request("DELETE", f"/api/v1/nodes/{self.joined[name]}")

    def boot(self, name, instance):
        template = self.layer.template_of.get(name)
        if template is None:
            return  # its fleet's answer is on the way
        settings = node_config(self.layer.user_data[template])
        wrong = [key for key, want in self.cluster.items() if settings["spec"]["cluster"].get(key) != want]
        if wrong:
            self.refused[name] = wrong
            return
        node = self.node(name, instance, settings["spec"]["kubelet"])
        status, body = cluster.request("POST", "/api/v1/nodes", node)
        if status not in (201, 409):
            self.refused[name] = (status, body)
            return
        self.joined[name] = node["metadata"]["name"]
        capacity = {"status": {"capacity": node["status"]["capacity"], "allocatable": node["status"]["allocatable"]}}
        cluster.request("PATCH", f"/api/v1/nodes/{node['metadata']['name']}/status", capacity,
                        kind="application/merge-patch+json")

    def node(self, name, instance, kubelet):
        kind, zone = instance["InstanceType"], instance["Placement"]["AvailabilityZone"]
        facts = self.facts[kind]
        flags = " ".join(kubelet.get("flags", []))
        match = re.search(r'--node-labels="([^"]*)"', flags)
        labels = dict(pair.split("=", 1) for pair in match.group(1).split(",")) if match else {}
        labels.update({"kubernetes.io/arch": facts["arch"], "kubernetes.io/os": "linux", "kubernetes.io/hostname": name,
                       "node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/zone": zone,
                       "topology.kubernetes.io/region": zone[:-1]})
        memory = int(facts["memoryMiB"] * 0.935)
        capacity = {"cpu": str(facts["vcpu"]), "memory": f"{memory}Mi", "pods": str(kubelet["config"]["maxPods"]),
                    "ephemeral-storage": "20Gi"}
        allocatable = {**capacity, "cpu": f"{facts['vcpu'] * 1000 - 120}m", "memory": f"{memory - 600}Mi"}
        return {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": f"ip-{name[2:]}.ec2.internal", "labels": labels,
                             "annotations": {"kwok.x-k8s.io/node": "fake"}},
                "spec": {"providerID": f"aws:///{zone}/{name}", "taints": kubelet["config"]["registerWithTaints"]},
                "status": {"capacity": capacity, "allocatable": allocatable}}


def node_config(text):
    """The NodeConfig of AL2023's user data, the last one counts."""
    message = email.message_from_string(text)
    parts = [part for part in message.walk() if part.get_content_type() == "application/node.eks.aws"]
    return yaml_load(parts[-1].get_payload())


def yaml_load(text):
    import yaml
    return json.loads(json.dumps(yaml.safe_load(text), default=str))


def client(name, endpoint):
    return boto3.client(name, endpoint_url=endpoint, region_name="us-west-2")
