#!/bin/sh
# A real kubectl against the served store: the daily commands of users and scripts.
# Usage: kubectl_test.sh SERVE_STORE [BUILD_ROOT]. Exits 77 (skipped) if there is no kubectl.
set -eu

serve=$1
build=${2:-.}
kubectl=${KUBECTL:-}
for place in "$build" "$(dirname "$0")/../../build"; do
    [ -n "$kubectl" ] || [ ! -x "$place/rig/bin/kubectl" ] || kubectl=$place/rig/bin/kubectl
done
[ -n "$kubectl" ] || kubectl=$(command -v kubectl || true)
[ -n "$kubectl" ] && [ -x "$kubectl" ] || { echo "no kubectl found"; exit 77; }

work=$(mktemp -d)
server=
watcher=
finish() {
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
export HOME="$work" KUBECONFIG="$work/config"

"$serve" "$KUBECONFIG" &
server=$!
for _ in $(seq 200); do [ -s "$KUBECONFIG" ] && break; sleep 0.05; done

failures=0
fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
# has TEXT COMMAND...: the command succeeds and its output holds the text (a grep pattern).
has() {
    text=$1; shift
    if ! output=$("$@" 2>&1); then fail "$* -> $output"; return 0; fi
    printf '%s\n' "$output" | grep -qe "$text" || fail "$*: no '$text' in: $output"
}
# refuses TEXT COMMAND...: the command fails with the text.
refuses() {
    text=$1; shift
    if output=$("$@" 2>&1); then fail "$* succeeded: $output"; return 0; fi
    printf '%s\n' "$output" | grep -qe "$text" || fail "$*: no '$text' in: $output"
}
k() { timeout 30 "$kubectl" "$@"; }

# --- discovery
has 'Server Version: v1.36' k version
has 'nodepools .*karpenter.sh/v1 ' k api-resources
has '^apps/v1$' k api-versions
has 'ok' k get --raw /readyz
has 'yes' k auth can-i create pods
has 'system:admin' k auth whoami
has 'nodepools.karpenter.sh' k get crds
printf 'apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m}\n' >"$work/unknown.yaml"
refuses 'no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"' \
    k apply -f "$work/unknown.yaml"
has 'KIND: *NodePool' k explain nodepools
has 'consolidateAfter' k explain nodepools.spec.disruption

# --- get
has '^node-1 *Ready *worker' k get nodes
has 'KERNEL-VERSION' k get nodes -o wide
has 'No resources found' k get pods
refuses 'pods "absent" not found' k get pod absent
has '^default$' k get ns -o 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}'
has '^node/node-1$' k get nodes -l kubernetes.io/hostname=node-1 -o name
has 'No resources found' k get nodes -l 'kubernetes.io/hostname notin (node-1)'
has '^namespace/kube-system$' k get ns --field-selector metadata.name=kube-system -o name

# --- a watch that sees all later changes
k get deployments -w -o name >"$work/watched" 2>&1 &
watcher=$!

# --- apply: create, three-way merge, no change
cat >"$work/deployment.yaml" <<YAML
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, drop: me}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: nginx:1
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
      - name: side
        image: busybox:1
YAML
has 'deployment.apps/web created' k apply -f "$work/deployment.yaml"
has 'deployment.apps/web unchanged' k apply -f "$work/deployment.yaml"
has 'deployment.apps/web labeled' k label deployment web other=kept
sed -i -e '/name: side/,$d' -e 's/nginx:1/nginx:2/' -e 's/, drop: me//' -e 's/{name: A, value: "1"}, //' \
    "$work/deployment.yaml"
refuses '^+ *image: nginx:2' k diff -f "$work/deployment.yaml" # which exits 1 if there are differences
has 'deployment.apps/web configured' k apply -f "$work/deployment.yaml"
has '^main nginx:2 B kept $' k get deployment web -o \
    'jsonpath={.spec.template.spec.containers[*].name} {.spec.template.spec.containers[*].image} {.spec.template.spec.containers[0].env[*].name} {.metadata.labels.other} {.metadata.labels.drop}'
has 'unchanged (server dry run)' k apply --dry-run=server -f "$work/deployment.yaml"

# --- scale, edit, patch, annotate
has 'deployment.apps/web scaled' k scale deployment web --replicas=5
has '^5$' k get deployment web -o 'jsonpath={.spec.replicas}'
refuses 'Expected replicas to be 9' k scale deployment web --current-replicas=9 --replicas=1
printf '#!/bin/sh\nsed -i "s/replicas: 5/replicas: 3/" "$1"\n' >"$work/editor"
chmod +x "$work/editor"
has 'deployment.apps/web edited' env EDITOR="$work/editor" timeout 30 "$kubectl" edit deployment web
has '^3$' k get deployment web -o 'jsonpath={.spec.replicas}'
has 'patched' k patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"more","image":"m"}]}}}}'
has '^more main$' k get deployment web -o 'jsonpath={.spec.template.spec.containers[*].name}'
has 'patched' k patch deployment web --type=json -p '[{"op":"remove","path":"/spec/template/spec/containers/0"}]'
has 'patched' k patch deployment web --type=merge -p '{"metadata":{"annotations":{"note":"x"}}}'
has 'annotated' k annotate deployment web note-
has 'patched' k patch deployment web --subresource=status --type=merge -p \
    '{"status":{"observedGeneration":99,"replicas":3,"updatedReplicas":3,"readyReplicas":3,"availableReplicas":3,"conditions":[{"type":"Available","status":"True"}]}}'
has 'web *3/3 *3 *3 ' k get deployments
has 'successfully rolled out' k rollout status deployment web --timeout=10s
has 'condition met' k wait deployment web --for=condition=Available --timeout=10s
refuses 'field is immutable' k patch deployment web --type=merge -p '{"spec":{"selector":{"matchLabels":{"app":"x"}}}}'
has 'Available *True' k describe deployment web

# --- create, run, events
has 'configmap/settings created' k create configmap settings --from-literal=a=b
refuses 'configmaps "settings" already exists' k create configmap settings
has 'secret/hidden created' k create secret generic hidden --from-literal=a=b
has '^b$' sh -c "'$kubectl' get secret hidden -o 'jsonpath={.data.a}' | base64 -d; echo"
has 'pod/one created' k run one --image=busybox --overrides '{"spec":{"nodeName":"node-1"}}'
has '^one *0/1 *Pending' k get pods
has 'Tolerations:.*not-ready' k describe pod one
has 'namespace/team created' k create namespace team
has 'job.batch/once created' k create job once --image=busybox -n team
cat >"$work/event.yaml" <<YAML
apiVersion: v1
kind: Event
metadata: {name: one.1, namespace: default}
involvedObject: {apiVersion: v1, kind: Pod, name: one, namespace: default, uid: $(k get pod one -o 'jsonpath={.metadata.uid}')}
type: Warning
reason: FailedScheduling
message: nothing fits
count: 3
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
YAML
has 'event/one.1 created' k create -f "$work/event.yaml"
has 'FailedScheduling *pod/one *nothing fits' k get events
has 'nothing fits' k events --for pod/one
has 'nothing fits' k get events.events.k8s.io
has 'nothing fits' k describe pod one

# --- strict field validation, custom kinds
cat >"$work/pool.yaml" <<YAML
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
YAML
has 'nodepool.karpenter.sh/general created' k apply -f "$work/pool.yaml"
has 'unchanged' k apply -f "$work/pool.yaml"
sed -i 's/amd64/arm64/' "$work/pool.yaml"
has 'configured' k apply -f "$work/pool.yaml"
has 'NODECLASS' k get nodepools
has '^general *default' k get nodepools
has '720h' k get nodepool general -o yaml
sed 's/nodeClassRef/nodeClassRev/; s/general/wrong/' "$work/pool.yaml" >"$work/wrong.yaml"
refuses 'nodeClassRe' k apply -f "$work/wrong.yaml"
has 'serverside-applied' k apply --server-side -f "$work/pool.yaml"
has 'nodepool.karpenter.sh "general" deleted' k delete nodepool general

# --- server-side apply of a built-in kind
has 'configmap/sided serverside-applied' sh -c "printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sided}\ndata: {a: x, b: w}\n' | '$kubectl' apply --server-side -f -"
has 'configmap/sided serverside-applied' sh -c "printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sided}\ndata: {a: z}\n' | '$kubectl' apply --server-side -f -"
has '^{"a":"z"}$' k get configmap sided -o 'jsonpath={.data}'

# --- conflicts, misspelt fields, usage, what does not run
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {a: "1"}\n' >"$work/shared.yaml"
has 'serverside-applied' k apply --server-side --field-manager=one -f "$work/shared.yaml"
sed -i 's/"1"/"2"/' "$work/shared.yaml"
refuses 'conflict with "one": .data.a' k apply --server-side --field-manager=two -f "$work/shared.yaml"
has 'serverside-applied' k apply --server-side --field-manager=two --force-conflicts -f "$work/shared.yaml"
refuses 'strict decoding error: unknown field "dota"' \
    sh -c "printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndota: {}\n' | '$kubectl' apply -f -"
cpu=--cpu=50%
k autoscale --help | grep -q -- '--cpu=' || cpu=--cpu-percent=50 # until 1.33
has 'autoscaled' k autoscale deployment web --min=1 --max=4 $cpu
has '^web *Deployment/web *cpu: <unknown>/50% *1 *4' k get hpa
has '^node-1 *0m *0%' k top nodes
refuses 'runs no containers' k logs one
has 'rollingUpdate.*<RollingUpdateDeployment>' k explain deployment.spec.strategy

# --- definitions at run time
cat >"$work/crd.yaml" <<YAML
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, shortNames: [wd]}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
YAML
has 'created' k apply -f "$work/crd.yaml"
has 'condition met' k wait crd widgets.example.com --for=condition=Established --timeout=10s
has 'widget.example.com/w created' sh -c "printf 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 1}\n' | '$kubectl' apply -f -"
has '^w ' k get widgets

# --- taints, cordon, drain through the eviction API
has 'tainted' k taint node node-1 example.com/full=yes:NoSchedule
has 'untainted' k taint node node-1 example.com/full-
has 'node/node-1 cordoned' k cordon node-1
has 'Ready,SchedulingDisabled' k get node node-1
has 'pod/one patched' k patch pod one --subresource=status --type=merge -p \
    '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'
k create poddisruptionbudget guard --selector=run=one --min-available=1 >/dev/null
k patch pdb guard --subresource=status --type=merge -p \
    '{"status":{"observedGeneration":1,"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}}' >/dev/null
refuses "Cannot evict pod as it would violate the pod's disruption budget" \
    k drain node-1 --force --timeout=3s
k delete pdb guard >/dev/null
# Without a kubelet the drain waits for the pod's end, so end it.
(sleep 1; k delete pod one --grace-period=0 --force >/dev/null 2>&1) &
has 'node/node-1 drained' k drain node-1 --force --timeout=20s
has 'node/node-1 uncordoned' k uncordon node-1

# --- delete
has 'No resources found' k get pods
has 'deployment.apps "web" deleted' k delete deployment web
has 'deleted' k delete configmaps settings sided
has 'namespace "team" deleted' k delete namespace team --timeout=20s
refuses 'not found' k get job once -n team
has '^nodes_absent$' sh -c "'$kubectl' delete node node-1 >/dev/null && '$kubectl' get nodes 2>&1 | sed 's/No resources found/nodes_absent/'"
has 'Server Version' k version

sleep 0.3
kill "$watcher" 2>/dev/null || true
seen=$(grep -c '^deployment.apps/web$' "$work/watched" || true)
[ "$seen" -ge 5 ] || fail "the watch saw $seen changes of the deployment: $(cat "$work/watched")"

kill "$server"
wait "$server" || fail "the server ended with $?" # the sanitizers' word, too
server=

[ "$failures" -eq 0 ] || { echo "$failures failures" >&2; exit 1; }
echo "all well"
