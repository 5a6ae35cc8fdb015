"""The way to run each command of the documents: the first rule with a matching pattern counts."""
import re

RUN = "run"                  # against the demo's embedded cluster, by test_docs.py
BEGIN = "begin"              # the demo that serves this cluster
IN_TURN = "export"           # takes the demo's own line
ENDLESS = "endless"          # runs until it is interrupted
IN_BACKGROUND = "background" # the demo, a minute; with sanitizers left to tests/e2e, with the release
KWOK = "kwok"                # page by page in order, beside the controller that it starts, on a control plane with kwok: tests/e2e
CONTROL_PLANE = "control"    # needs a real control plane: tests/e2e
LONG = "long"                # minutes with sanitizers: tests/e2e, with the release
ELSEWHERE = "elsewhere"      # needs what the document says (`# needs Helm`): its options are held against the help, and it is named
SETS = "sets"                # sets variables, for the commands of the same document
NAMED = "named"              # long builds, tests or measurements, or reads of the results: checked by `make -n`

RULES = [
    (r"^make demo ARGS=--serve", BEGIN),
    (r"^export KUBECONFIG=\.\.\.", IN_TURN),
    (r"^export ", SETS),
    (r"^adze demo --quiet", IN_BACKGROUND),
    (r"^make |^bench/report", NAMED),
    (r"adze controller|adze crds \| kubectl apply -f|adze manifests .*kubectl apply|kubectl wait .* crd|kubectl apply -f examples/inflate.yaml", CONTROL_PLANE),
    (r"kubectl get .* -w\b", ENDLESS),
    (r"^tools/judge-bench|bench price|--growth", LONG),
    (r"", RUN),
]


def rule(command):
    if command.needs:
        return KWOK if command.needs == "needs a cluster with kwok" else ELSEWHERE
    return next(how for pattern, how in RULES if re.search(pattern, command.text))


def statuses(command):
    """3: not every pod has a place, which a live cluster may have at any time; 2: findings of validate."""
    if re.search(r"adze validate -$", command.text):
        return (2,)
    if any("WITHOUT A PLACE" in line or "has no place" in line for line in command.output):
        return (3,)
    if re.search(r"^adze convert", command.text):
        return (0, 3)  # 3: notes of what is lost
    return (0, 3) if re.search(r"adze plan(?!.*examples)", command.text) else (0,)


# Figures of the demo that are the same in every run, which the comparison of shapes passes over.
ACTS_OF_THE_DEMO = (
    "5 replicas: 5 pods running on ", "200 replicas: 200 pods running on ",
    "no replicas: 0 pods running on 0 nodes\n  total $0.0000 an hour", "done: no node and no machine is left",
    "EC2NodeClass shop is Ready: 4 subnets, 2 security groups", "examples/web.yaml on EC2: 32 pods running on ",
    "a newer machine image: 32 pods running on ", "a spot interruption: 32 pods running on ",
    "done: no node and no instance is left\n")


def on_virtual_time(lines):
    """The demo's second play; the first one is on real time, so that its rows come in any order."""
    return lines[next(at for at, line in enumerate(lines) if line.startswith("The same on AWS")):]


def missing_acts(output):
    return [act for act in ACTS_OF_THE_DEMO if act not in output]
