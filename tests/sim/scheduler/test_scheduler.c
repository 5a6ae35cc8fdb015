// kube-scheduler's filters one by one, then the scheduler's queue. Each test names the Kubernetes
// concept.
#include "sim/world_helpers.h"

#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "sim/scheduler/scheduler_filters.h"
#include "sim/scheduler/scheduler_scores.h"
#include "sim/store/store_patch.h"

struct board { // a cluster for filters alone
    struct filter_cluster *cluster;
    struct object *objects[64];
    uint32_t count;
};

static const struct object *typed(struct board *board, const char *text)
{
    json_t *json = json_of(text);
    struct error error;
    struct object *object = document_decode(json, DECODE_LENIENT, &error);
    if (object == NULL)
        fail_msg("%s: %s", error.message, text);
    json_decref(json);
    board->objects[board->count++] = object;
    return object;
}

PRINTF_LIKE(2, 3)
static const struct object *put(struct board *board, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) > 0);
    va_end(arguments);
    const struct object *object = typed(board, text);
    filter_cluster_put(board->cluster, object);
    free(text);
    return object;
}

static struct board board_open(void)
{
    return (struct board){.cluster = filter_cluster_create()};
}

static void board_close(struct board *board)
{
    filter_cluster_destroy(board->cluster);
    for (uint32_t i = 0; i < board->count; i++)
        object_release(board->objects[i]);
}

static void put_node(struct board *board, const char *name, const char *labels, const char *spec)
{
    put(board,
        "{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': '%s', 'labels': {%s}},"
        " 'spec': {%s}, 'status': {'allocatable': {'cpu': '4', 'memory': '8Gi', 'pods': '5',"
        " 'example.com/gpu': '1'}}}",
        name, labels, spec);
}

// A pod with that spec; node NULL: not assigned (and not put into the cluster).
static const struct pod *pod_of(struct board *board, const char *name, const char *labels,
                                const char *spec)
{
    char *text;
    assert_true(asprintf(&text,
                         "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': '%s',"
                         " 'namespace': 'default', 'labels': {%s}}, 'spec': {%s}}",
                         name, labels, spec) > 0);
    const struct object *object = typed(board, text);
    free(text);
    return (const struct pod *)object;
}

static void run_pod(struct board *board, const char *name, const char *labels, const char *spec,
                    const char *node)
{
    filter_cluster_assume(board->cluster, pod_of(board, name, labels, spec), node);
}

// The reason for a refusal without "0/N nodes are available: ", or "fits".
static void check(struct board *board, const struct pod *pod, const char *node,
                  const char *expected)
{
    struct text why = {0};
    bool fits = filter_fits(board->cluster, pod, node, &why);
    const char *reason = fits ? "fits" : strchr(why.data, ':') + 2;
    assert_string_equal(reason, expected);
    text_free(&why);
}

#define CONTAINER(requests) \
    "'containers': [{'name': 'c', 'resources': {'requests': {" requests "}}}]"
#define PLAIN CONTAINER("")

static void unschedulable_nodes_take_only_who_tolerates_them(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "", "'unschedulable': true");
    check(&board, pod_of(&board, "p", "", PLAIN), "a", "1 node(s) were unschedulable.");
    check(&board,
          pod_of(&board, "q", "",
                 PLAIN ", 'tolerations': [{'key': 'node.kubernetes.io/unschedulable',"
                       " 'operator': 'Exists', 'effect': 'NoSchedule'}]"),
          "a", "fits");
    board_close(&board);
}

static void taints_and_tolerations(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "",
             "'taints': [{'key': 'k', 'value': 'v', 'effect': 'NoSchedule'},"
             " {'key': 'soft', 'effect': 'PreferNoSchedule'}]");
    put_node(&board, "b", "", "'taints': [{'key': 'k', 'value': 'v', 'effect': 'NoExecute'}]");
    const struct pod *plain = pod_of(&board, "p", "", PLAIN);
    const struct pod *equal =
        pod_of(&board, "q", "", PLAIN ", 'tolerations': [{'key': 'k', 'value': 'v'}]");
    const struct pod *other =
        pod_of(&board, "r", "", PLAIN ", 'tolerations': [{'key': 'k', 'value': 'w'}]");
    const struct pod *no_schedule = pod_of(
        &board, "s", "", PLAIN ", 'tolerations': [{'operator': 'Exists', 'effect': 'NoSchedule'}]");
    check(&board, plain, "a", "1 node(s) had untolerated taint(s).");
    check(&board, plain, "b", "1 node(s) had untolerated taint(s).");
    check(&board, equal, "a", "fits");
    check(&board, equal, "b", "fits");
    check(&board, other, "a", "1 node(s) had untolerated taint(s).");
    check(&board, no_schedule, "a", "fits");
    check(&board, no_schedule, "b", "1 node(s) had untolerated taint(s).");
    board_close(&board);
}

#define REQUIRED(terms)                                                                        \
    PLAIN ", 'affinity': {'nodeAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': " \
          "{'nodeSelectorTerms': [" terms "]}}}"
#define NO_AFFINITY "1 node(s) didn't match Pod's node affinity/selector."

static void node_selector_and_affinity(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        bool fits;
    } cases[] = {
        {PLAIN ", 'nodeSelector': {'zone': 'z1'}", true},
        {PLAIN ", 'nodeSelector': {'zone': 'z2'}", false},
        {REQUIRED("{'matchExpressions': [{'key': 'zone', 'operator': 'In', 'values': ['z1']}]}"),
         true},
        {REQUIRED("{'matchExpressions': [{'key': 'zone', 'operator': 'NotIn', 'values': ['z1']}]}"),
         false},
        {REQUIRED("{'matchExpressions': [{'key': 'none', 'operator': 'NotIn', 'values': ['x']}]}"),
         true},
        {REQUIRED("{'matchExpressions': [{'key': 'none', 'operator': 'Exists'}]}"), false},
        {REQUIRED("{'matchExpressions': [{'key': 'none', 'operator': 'DoesNotExist'}]}"), true},
        {REQUIRED("{'matchExpressions': [{'key': 'size', 'operator': 'Gt', 'values': ['7']}]}"),
         true},
        {REQUIRED("{'matchExpressions': [{'key': 'size', 'operator': 'Gt', 'values': ['8']}]}"),
         false},
        {REQUIRED("{'matchExpressions': [{'key': 'size', 'operator': 'Lt', 'values': ['9']}]}"),
         true},
        {REQUIRED("{'matchExpressions': [{'key': 'zone', 'operator': 'Lt', 'values': ['9']}]}"),
         false},                 // not a number
        {REQUIRED("{}"), false}, // an empty term matches nothing
        {REQUIRED(""), false},
        {REQUIRED("{}, {'matchExpressions': [{'key': 'zone', 'operator': 'Exists'}]}"), true},
        {REQUIRED("{'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['a']}]}"),
         true},
        {REQUIRED("{'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['b']}]}"),
         false},
        {REQUIRED("{'matchFields': [{'key': 'metadata.name', 'operator': 'In', 'values': ['a']}],"
                  " 'matchExpressions': [{'key': 'zone', 'operator': 'DoesNotExist'}]}"),
         false}, // both must hold
    };
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1', 'size': '8'", "");
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        check(&board, pod_of(&board, "p", "", cases[i].spec), "a",
              cases[i].fits ? "fits" : NO_AFFINITY);
    board_close(&board);
}

static void host_ports_collide_by_port_protocol_and_address(void **state)
{
    (void)state;
#define PORT(ip, protocol)                                                                        \
    "'containers': [{'name': 'c', 'ports': [{'containerPort': 80, 'hostPort': 80, 'hostIP': '" ip \
    "', 'protocol': '" protocol "'}]}]"
    struct board board = board_open();
    put_node(&board, "a", "", "");
    run_pod(&board, "there", "", PORT("10.0.0.1", "TCP"), "a");
    const char *taken = "1 node(s) didn't have free ports for the requested pod ports.";
    check(&board, pod_of(&board, "p", "", PORT("10.0.0.1", "TCP")), "a", taken);
    check(&board, pod_of(&board, "p", "", PORT("", "TCP")), "a", taken);
    check(&board, pod_of(&board, "p", "", PORT("0.0.0.0", "TCP")), "a", taken);
    check(&board, pod_of(&board, "p", "", PORT("10.0.0.2", "TCP")), "a", "fits");
    check(&board, pod_of(&board, "p", "", PORT("10.0.0.1", "UDP")), "a", "fits");
    check(&board,
          pod_of(&board, "p", "",
                 PLAIN ", 'initContainers': [{'name': 'i', 'restartPolicy': 'Always',"
                       " 'ports': [{'containerPort': 80, 'hostPort': 80}]}]"),
          "a", taken);
    check(&board,
          pod_of(&board, "p", "",
                 PLAIN ", 'initContainers': [{'name': 'i',"
                       " 'ports': [{'containerPort': 80, 'hostPort': 80}]}]"),
          "a", "fits");
    board_close(&board);
}

static void resources_of_the_whole_pod(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *expected;
    } cases[] = {
        {CONTAINER("'cpu': '4'"), "fits"},
        {CONTAINER("'cpu': '4001m'"), "1 Insufficient cpu."},
        {CONTAINER("'cpu': '5', 'memory': '9Gi'"), "1 Insufficient cpu, 1 Insufficient memory."},
        {CONTAINER("'example.com/gpu': '2'"), "1 Insufficient example.com/gpu."},
        {CONTAINER("'example.com/none': '1'"), "1 Insufficient example.com/none."},
        {CONTAINER("'example.com/none': '0'"), "fits"},
        // Init containers run before: the greater counts.
        {CONTAINER("'cpu': '1'") ", 'initContainers': [{'name': 'i', 'resources': {'requests':"
                                 " {'cpu': '4'}}}]",
         "fits"},
        {CONTAINER("'cpu': '1'") ", 'initContainers': [{'name': 'i', 'resources': {'requests':"
                                 " {'cpu': '5'}}}]",
         "1 Insufficient cpu."},
        // Sidecars run beside the containers, and beside the init containers after them.
        {CONTAINER("'cpu': '3'") ", 'initContainers': [{'name': 'i', 'restartPolicy': 'Always',"
                                 " 'resources': {'requests': {'cpu': '2'}}}]",
         "1 Insufficient cpu."},
        {CONTAINER("'cpu': '1'") ", 'initContainers': [{'name': 's', 'restartPolicy': 'Always',"
                                 " 'resources': {'requests': {'cpu': '2'}}}, {'name': 'i',"
                                 " 'resources': {'requests': {'cpu': '3'}}}]",
         "1 Insufficient cpu."},
        {CONTAINER("'cpu': '1'") ", 'initContainers': [{'name': 'i', 'resources': {'requests':"
                                 " {'cpu': '3'}}}, {'name': 's', 'restartPolicy': 'Always',"
                                 " 'resources': {'requests': {'cpu': '2'}}}]",
         "fits"},
        {CONTAINER("'cpu': '3'") ", 'overhead': {'cpu': '1500m'}", "1 Insufficient cpu."},
        // Pod-level requests replace the containers'.
        {CONTAINER("'cpu': '5'") ", 'resources': {'requests': {'cpu': '2'}}", "fits"},
        {CONTAINER("'cpu': '1'") ", 'resources': {'requests': {'cpu': '5'}}",
         "1 Insufficient cpu."},
    };
    struct board board = board_open();
    put_node(&board, "a", "", "");
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        check(&board, pod_of(&board, "p", "", cases[i].spec), "a", cases[i].expected);
    board_close(&board);
}

static void pods_on_the_node_take_room(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "", "");
    run_pod(&board, "one", "", CONTAINER("'cpu': '3'"), "a");
    check(&board, pod_of(&board, "p", "", CONTAINER("'cpu': '1'")), "a", "fits");
    check(&board, pod_of(&board, "p", "", CONTAINER("'cpu': '2'")), "a", "1 Insufficient cpu.");
    // A finished one does not count.
    put(&board, "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'one', 'namespace':"
                " 'default'}, 'spec': {'nodeName': 'a'}, 'status': {'phase': 'Succeeded'}}");
    check(&board, pod_of(&board, "p", "", CONTAINER("'cpu': '4'")), "a", "fits");
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        run_pod(&board, name, "", PLAIN, "a");
    }
    check(&board, pod_of(&board, "p", "", PLAIN), "a", "1 Too many pods.");
    board_close(&board);
}

#define SPREAD(more)                                                                         \
    PLAIN ", 'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey': 'zone',"            \
          " 'whenUnsatisfiable': 'DoNotSchedule', 'labelSelector': {'matchLabels': {'app': " \
          "'x'}}" more "}]"
#define SKEWED "1 node(s) didn't match pod topology spread constraints."

static void topology_spread(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1'", "");
    put_node(&board, "b", "'zone': 'z2'", "");
    put_node(&board, "c", "", "");
    run_pod(&board, "one", "'app': 'x'", PLAIN, "a");
    const struct pod *pod = pod_of(&board, "p", "'app': 'x'", SPREAD(""));
    check(&board, pod, "b", "fits");
    struct text why = {0};
    assert_false(filter_fits(board.cluster, pod, "a", &why));
    assert_string_equal(why.data, "0/3 nodes are available: " SKEWED);
    text_free(&why);
    check(&board, pod, "c",
          "1 node(s) didn't match pod topology spread constraints (missing required label).");
    // A pod outside the selector adds nothing.
    check(&board, pod_of(&board, "p", "'app': 'y'", SPREAD("")), "a", "fits");
    // Fewer domains than required: the minimum counts as 0.
    run_pod(&board, "two", "'app': 'x'", PLAIN, "b");
    check(&board, pod, "a", "fits");
    check(&board, pod_of(&board, "p", "'app': 'x'", SPREAD(", 'minDomains': 3")), "a", SKEWED);
    board_close(&board);
}

static void topology_spread_policies(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1', 'pool': 'p'", "");
    put_node(&board, "b", "'zone': 'z2'", "");
    put_node(&board, "c", "'zone': 'z3', 'pool': 'p'",
             "'taints': [{'key': 'k', 'effect': 'NoSchedule'}]");
    run_pod(&board, "one", "'app': 'x', 'rev': '1'", PLAIN, "a");
    const char *pool = ", 'nodeSelector': {'pool': 'p'}";
    char spec[900];
    // Zone z2 is outside the selector, z3 is tainted but counts.
    snprintf(spec, sizeof spec, "%s%s", SPREAD(""), pool);
    check(&board, pod_of(&board, "p", "'app': 'x'", spec), "a", SKEWED);
    // Honoring taints leaves only z1.
    snprintf(spec, sizeof spec, "%s%s", SPREAD(", 'nodeTaintsPolicy': 'Honor'"), pool);
    check(&board, pod_of(&board, "p", "'app': 'x'", spec), "a", "fits");
    // Ignoring affinity brings z2 back.
    snprintf(spec, sizeof spec, "%s%s",
             SPREAD(", 'nodeTaintsPolicy': 'Honor', 'nodeAffinityPolicy': 'Ignore'"), pool);
    check(&board, pod_of(&board, "p", "'app': 'x'", spec), "a", SKEWED);
    // Only pods of the same revision count.
    check(&board,
          pod_of(&board, "p", "'app': 'x', 'rev': '2'", SPREAD(", 'matchLabelKeys': ['rev']")), "a",
          "fits");
    check(&board,
          pod_of(&board, "p", "'app': 'x', 'rev': '1'", SPREAD(", 'matchLabelKeys': ['rev']")), "a",
          SKEWED);
    board_close(&board);
}

#define TERM(app, more) \
    "{'labelSelector': {'matchLabels': {'app': '" app "'}}, 'topologyKey': 'zone'" more "}"
#define NEAR(terms)                                                                                \
    PLAIN                                                                                          \
    ", 'affinity': {'podAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': [" terms "]" \
    "}"                                                                                            \
    "}"
#define FAR(terms)                                                                                \
    PLAIN ", 'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution': " \
          "[" terms "]}}"
#define NOT_NEAR  "1 node(s) didn't match pod affinity rules."
#define NOT_FAR   "1 node(s) didn't match pod anti-affinity rules."
#define KEPT_AWAY "1 node(s) didn't satisfy existing pods anti-affinity rules."

static void pod_affinity_and_its_first_pod(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1'", "");
    put_node(&board, "b", "'zone': 'z2'", "");
    put_node(&board, "c", "", "");
    const struct pod *own = pod_of(&board, "p", "'app': 'x'", NEAR(TERM("x", "")));
    const struct pod *other = pod_of(&board, "q", "'app': 'y'", NEAR(TERM("x", "")));
    check(&board, own, "a", "fits");   // the first of its kind
    check(&board, own, "c", NOT_NEAR); // but only where there is the label
    check(&board, other, "a", NOT_NEAR);
    run_pod(&board, "one", "'app': 'x'", PLAIN, "a");
    check(&board, own, "a", "fits");
    check(&board, own, "b", NOT_NEAR);
    check(&board, other, "a", "fits");
    // One pod must match all terms.
    const struct pod *both = pod_of(&board, "r", "", NEAR(TERM("x", "") ", " TERM("z", "")));
    run_pod(&board, "two", "'app': 'z'", PLAIN, "a");
    check(&board, both, "a", NOT_NEAR);
    board_close(&board);
}

static void pod_anti_affinity_works_both_ways(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1'", "");
    put_node(&board, "a2", "'zone': 'z1'", "");
    put_node(&board, "b", "'zone': 'z2'", "");
    run_pod(&board, "one", "'app': 'x'", FAR(TERM("y", "")), "a");
    check(&board, pod_of(&board, "p", "'app': 'z'", FAR(TERM("x", ""))), "a2", NOT_FAR);
    check(&board, pod_of(&board, "p", "'app': 'z'", FAR(TERM("x", ""))), "b", "fits");
    check(&board, pod_of(&board, "p", "'app': 'y'", PLAIN), "a2", KEPT_AWAY);
    check(&board, pod_of(&board, "p", "'app': 'y'", PLAIN), "b", "fits");
    check(&board, pod_of(&board, "p", "'app': 'z'", PLAIN), "a2", "fits");
    // When the pod is gone, so is its term.
    const struct object *gone = put(&board, "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {"
                                            "'name': 'one', 'namespace': 'default'}}");
    filter_cluster_remove(board.cluster, gone);
    check(&board, pod_of(&board, "p", "'app': 'y'", PLAIN), "a2", "fits");
    board_close(&board);
}

static void affinity_terms_name_namespaces(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1'", "");
    put(&board, "{'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'blue', 'labels':"
                " {'team': 't'}}}");
    put(&board, "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'one', 'namespace':"
                " 'blue', 'labels': {'app': 'x'}}, 'spec': {'nodeName': 'a'}}");
    check(&board, pod_of(&board, "p", "", FAR(TERM("x", ""))), "a", "fits");
    check(&board, pod_of(&board, "p", "", FAR(TERM("x", ", 'namespaces': ['blue']"))), "a",
          NOT_FAR);
    check(&board,
          pod_of(&board, "p", "",
                 FAR(TERM("x", ", 'namespaceSelector': {'matchLabels': {'team': 't'}}"))),
          "a", NOT_FAR);
    check(&board, pod_of(&board, "p", "", FAR(TERM("x", ", 'namespaceSelector': {}"))), "a",
          NOT_FAR);
    check(&board,
          pod_of(&board, "p", "",
                 FAR(TERM("x", ", 'namespaceSelector': {'matchLabels': {'team': 'u'}}"))),
          "a", "fits");
    board_close(&board);
}

static void put_claim(struct board *board, const char *name, const char *spec)
{
    put(board,
        "{'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name': '%s',"
        " 'namespace': 'default'}, 'spec': {%s}}",
        name, spec);
}

#define USING(claim) \
    PLAIN ", 'volumes': [{'name': 'v', 'persistentVolumeClaim': {'claimName': '" claim "'}}]"

static void volumes_bind_and_belong_to_zones(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'topology.kubernetes.io/zone': 'z1'", "");
    put_node(&board, "b", "'topology.kubernetes.io/zone': 'z2'", "");
    check(&board, pod_of(&board, "p", "", USING("none")), "a",
          "persistentvolumeclaim \"none\" not found.");
    put(&board, "{'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name':"
                " 'later'}, 'provisioner': 'ebs.csi.aws.com', 'volumeBindingMode':"
                " 'WaitForFirstConsumer', 'allowedTopologies': [{'matchLabelExpressions': [{'key':"
                " 'topology.kubernetes.io/zone', 'values': ['z1']}]}]}");
    put(&board, "{'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {'name':"
                " 'now'}, 'provisioner': 'ebs.csi.aws.com', 'volumeBindingMode': 'Immediate'}");
    put_claim(&board, "now", "'storageClassName': 'now'");
    put_claim(&board, "later", "'storageClassName': 'later'");
    put_claim(&board, "bound", "'storageClassName': 'now', 'volumeName': 'pv'");
    put_claim(&board, "lost", "'volumeName': 'nothing'");
    put(&board,
        "{'apiVersion': 'v1', 'kind': 'PersistentVolume', 'metadata': {'name': 'pv'}, 'spec':"
        " {'csi': {'driver': 'ebs.csi.aws.com', 'volumeHandle': 'v'}, 'nodeAffinity':"
        " {'required': {'nodeSelectorTerms': [{'matchExpressions': [{'key':"
        " 'topology.kubernetes.io/zone', 'operator': 'In', 'values': ['z2']}]}]}}}}");
    check(&board, pod_of(&board, "p", "", USING("now")), "a",
          "pod has unbound immediate PersistentVolumeClaims.");
    check(&board, pod_of(&board, "p", "", USING("later")), "a", "fits");
    check(&board, pod_of(&board, "p", "", USING("later")), "b",
          "1 node(s) didn't find available persistent volumes to bind.");
    check(&board, pod_of(&board, "p", "", USING("bound")), "b", "fits");
    check(&board, pod_of(&board, "p", "", USING("bound")), "a",
          "1 node(s) had volume node affinity conflict.");
    check(&board, pod_of(&board, "p", "", USING("lost")), "a",
          "1 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).");
    board_close(&board);
}

static void volume_limits_count_each_volume_once(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "", "");
    put(&board,
        "{'apiVersion': 'storage.k8s.io/v1', 'kind': 'CSINode', 'metadata': {'name': 'a'},"
        " 'spec': {'drivers': [{'name': 'd', 'nodeID': 'a', 'allocatable': {'count': 2}}]}}");
    for (int i = 1; i <= 3; i++) {
        char name[8], spec[80];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(spec, sizeof spec, "'volumeName': 'pv%d'", i);
        put_claim(&board, name, spec);
        put(&board,
            "{'apiVersion': 'v1', 'kind': 'PersistentVolume', 'metadata': {'name': 'pv%d'},"
            " 'spec': {'csi': {'driver': 'd', 'volumeHandle': 'h%d'}}}",
            i, i);
    }
    run_pod(&board, "one", "", USING("c1"), "a");
    check(&board, pod_of(&board, "p", "", USING("c2")), "a", "fits");
    run_pod(&board, "two", "", USING("c2"), "a");
    check(&board, pod_of(&board, "p", "", USING("c3")), "a", "1 node(s) exceed max volume count.");
    check(&board, pod_of(&board, "p", "", USING("c2")), "a", "fits"); // it is attached already
    put_claim(&board, "c2", "'volumeName': 'pv2', 'accessModes': ['ReadWriteOncePod']");
    check(
        &board, pod_of(&board, "p", "", USING("c2")), "a",
        "1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access "
        "mode.");
    board_close(&board);
}

// --- scores --------------------------------------------------------------------------------------

// Of nodes "a", "b", ...; a node without special scores has BLANK and its free share.
static void score(struct board *board, const struct pod *pod, const struct label_selector *workload,
                  uint32_t count, int64_t *scores)
{
    struct filter_state *state = filter_prepare(board->cluster, pod);
    uint32_t nodes[4];
    for (uint32_t i = 0; i < count; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        nodes[i] = filter_node_find(board->cluster, name);
    }
    filter_score(state, workload, nodes, scores, count);
    filter_release(state);
}

#define TAINTS_NONE 300 // no intolerable taint: 100, three times
#define EVEN        75  // the pod keeps the balance of cpu and memory

static void scores_of_resources(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "", "");
    put_node(&board, "b", "", "");
    run_pod(&board, "there", "", CONTAINER("'cpu': '2'"), "a"); // scored with 200 MiB
    int64_t scores[2];
    score(&board, pod_of(&board, "p", "", CONTAINER("'cpu': '1', 'memory': '2Gi'")), NULL, 2,
          scores);
    assert_int_equal(scores[0], (25 + 72) / 2 + 75 + TAINTS_NONE); // as uneven as before
    assert_int_equal(scores[1], 75 + EVEN + TAINTS_NONE);
    // It improves the balance here, and worsens it there.
    score(&board, pod_of(&board, "q", "", CONTAINER("'cpu': '0', 'memory': '4Gi'")), NULL, 2,
          scores);
    assert_int_equal(scores[0], (50 + 47) / 2 + (50 + (50 + 100 - 75) / 2) + TAINTS_NONE);
    assert_int_equal(scores[1], (100 + 50) / 2 + (50 + (50 + 75 - 100) / 2) + TAINTS_NONE);
    // Without requests: 100m and 200 MiB, and nothing to balance.
    score(&board, pod_of(&board, "r", "", PLAIN), NULL, 2, scores);
    assert_int_equal(scores[1], 97 + TAINTS_NONE);
    board_close(&board);
}

static void scores_of_nodes(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1'", "'taints': [{'key': 'k', 'effect': 'PreferNoSchedule'}]");
    put_node(&board, "b", "'zone': 'z2', 'disk': 'ssd'", "");
    int64_t scores[2];
    score(
        &board,
        pod_of(&board, "p", "",
               PLAIN
               ", 'affinity': {'nodeAffinity': {'preferredDuringSchedulingIgnoredDuringExecution':"
               " [{'weight': 30, 'preference': {'matchExpressions': [{'key': 'zone', 'operator':"
               " 'In', 'values': ['z1']}]}}, {'weight': 10, 'preference': {'matchExpressions':"
               " [{'key': 'disk', 'operator': 'Exists'}]}}]}}"),
        NULL, 2, scores);
    assert_int_equal(scores[0], 97 + 2 * 100);
    assert_int_equal(scores[1], 97 + 2 * 33 + TAINTS_NONE);
    score(&board, pod_of(&board, "q", "", PLAIN ", 'tolerations': [{'operator': 'Exists'}]"), NULL,
          2, scores);
    assert_int_equal(scores[0], 97 + TAINTS_NONE);
    board_close(&board);
}

#define ZONE(name) "'topology.kubernetes.io/zone': '" name "', 'kubernetes.io/hostname': '" name "'"

static void scores_of_spread(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", ZONE("z1"), "");
    put_node(&board, "b", ZONE("z2"), "");
    put_node(&board, "c", "", "");
    run_pod(&board, "one", "'app': 'x'", CONTAINER("'cpu': '0', 'memory': '0'"), "a");
    struct string_pair label = {"app", "x"};
    struct label_selector workload = {.match_labels = {.items = &label, .count = 1}};
    int64_t scores[3];
    const struct pod *pod = pod_of(&board, "p", "'app': 'x'", PLAIN);
    score(&board, pod, NULL, 2, scores);
    assert_int_equal(scores[0], scores[1]);
    // By default, 3 over hosts and 5 over zones: costs 1.39 + 2 + 1.39 + 4 and 2 + 4.
    score(&board, pod, &workload, 2, scores);
    assert_int_equal(scores[0], 97 + 2 * 66 + TAINTS_NONE);
    assert_int_equal(scores[1], 97 + 2 * 100 + TAINTS_NONE);
    // Its own constraints, even only hard ones, replace these; nodes without the key are last.
    pod = pod_of(&board, "q", "'app': 'x'",
                 PLAIN ", 'topologySpreadConstraints': [{'maxSkew': 1, 'topologyKey':"
                       " 'topology.kubernetes.io/zone', 'whenUnsatisfiable': 'ScheduleAnyway',"
                       " 'labelSelector': {'matchLabels': {'app': 'x'}}}]");
    score(&board, pod, &workload, 3, scores);
    assert_int_equal(scores[0], 97 + TAINTS_NONE);
    assert_int_equal(scores[1], 97 + 2 * 100 + TAINTS_NONE);
    assert_int_equal(scores[2], 97 + TAINTS_NONE);
    pod = pod_of(&board, "r", "'app': 'x'", SPREAD(""));
    score(&board, pod, &workload, 2, scores);
    assert_int_equal(scores[0], scores[1]);
    board_close(&board);
}

#define LIKES(kind, weight, app)                                                              \
    PLAIN ", 'affinity': {'" kind "': {'preferredDuringSchedulingIgnoredDuringExecution': ["  \
          "{'weight': " weight ", 'podAffinityTerm': {'topologyKey': 'zone', 'labelSelector'" \
          ": {'matchLabels': {'app': '" app "'}}}}]}}"

static void scores_of_affinity_between_pods(void **state)
{
    (void)state;
    struct board board = board_open();
    put_node(&board, "a", "'zone': 'z1'", "");
    put_node(&board, "b", "'zone': 'z2'", "");
    put_node(&board, "c", "'zone': 'z3'", "");
    run_pod(&board, "one", "'app': 'y'", PLAIN, "a");
    run_pod(&board, "two", "'app': 'v'", LIKES("podAffinity", "40", "x"), "b");
    run_pod(&board, "three", "'app': 'w'", LIKES("podAntiAffinity", "10", "x"), "c");
    int64_t scores[3];
    // Its own preference: 90 for z1. Those of running pods: 40 for z2, 10 against z3.
    score(&board, pod_of(&board, "p", "'app': 'x'", LIKES("podAffinity", "90", "y")), NULL, 3,
          scores);
    assert_int_equal(scores[0] - scores[2], 2 * 100);
    assert_int_equal(scores[1] - scores[2], 2 * 50);
    // Required affinity of a running pod also attracts the pods that match it.
    run_pod(&board, "four", "'app': 'u'", NEAR(TERM("t", "")), "b");
    score(&board, pod_of(&board, "q", "'app': 't'", PLAIN), NULL, 1, scores);
    int64_t alone = scores[0];
    score(&board, pod_of(&board, "q", "'app': 't'", PLAIN), NULL, 3, scores);
    assert_int_equal(scores[0], alone);
    assert_true(scores[1] > scores[2]);
    board_close(&board);
}

// --- the scheduler -------------------------------------------------------------------------------

static const char *scheduled_message(struct scene *scene, const char *pod)
{
    json_t *object = scene_get(scene, KIND_POD, "default", pod);
    return json_string_value(json_object_get(condition_of(object, "PodScheduled"), "message"));
}

static void new_pod(struct scene *scene, const char *name, const char *cpu, const char *more)
{
    scene_add(
        scene,
        "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': '%s'}, 'spec': {'containers':"
        " [{'name': 'c', 'image': 'i', 'resources': {'requests': {'cpu': '%s'}}}]%s}}",
        name, cpu, more);
}

static void unschedulable_pods_say_why_and_are_tried_again(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    new_pod(&scene, "p", "3", "");
    scene_run(&scene, 2);
    json_t *pod = scene_get(&scene, KIND_POD, "default", "p");
    assert_string_equal(condition_status_of(pod, "PodScheduled"), "False");
    assert_string_equal(
        json_string_value(json_object_get(condition_of(pod, "PodScheduled"), "reason")),
        "Unschedulable");
    assert_string_equal(scheduled_message(&scene, "p"), "no nodes available to schedule pods");
    assert_int_equal(store_count(scene.store, scene_resource(&scene, KIND_EVENT)), 1);
    scene_boot(&scene, "small", "z", 2, 8);
    scene_run(&scene, 15);
    scene_add(&scene,
              "{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'tainted'}, 'spec':"
              " {'taints': [{'key': 'k', 'effect': 'NoSchedule'}]}, 'status': {'allocatable':"
              " {'cpu': '8', 'memory': '8Gi', 'pods': '9'}}}");
    scene_run(&scene, 310); // nothing helps, but it is retried periodically
    assert_string_equal(scheduled_message(&scene, "p"),
                        "0/2 nodes are available: 1 Insufficient cpu, "
                        "1 node(s) had untolerated taint(s).");
    scene_boot(&scene, "large", "z", 4, 8);
    scene_run(&scene, 30);
    assert_string_equal(scene_text(&scene, KIND_POD, "p", "spec.nodeName"), "large");
    pod = scene_get(&scene, KIND_POD, "default", "p");
    assert_string_equal(condition_status_of(pod, "PodScheduled"), "True");
    scene_close(&scene);
}

static void room_that_becomes_free_is_taken(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z", 2, 8);
    scene_run(&scene, 15);
    new_pod(&scene, "first", "2", "");
    scene_run(&scene, 5);
    new_pod(&scene, "second", "1", "");
    scene_run(&scene, 20);
    assert_null(scene_text(&scene, KIND_POD, "second", "spec.nodeName"));
    scene_remove(&scene, KIND_POD, "first", NULL);
    scene_run(&scene, 15);
    assert_string_equal(scene_text(&scene, KIND_POD, "second", "spec.nodeName"), "a");
    scene_close(&scene);
}

static void higher_priority_goes_first(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_add(&scene, "{'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata':"
                      " {'name': 'high'}, 'value': 1000}");
    new_pod(&scene, "low", "2", "");
    new_pod(&scene, "high", "2", ", 'priorityClassName': 'high'");
    scene_boot(&scene, "a", "z", 2, 8);
    scene_run(&scene, 30);
    assert_string_equal(scene_text(&scene, KIND_POD, "high", "spec.nodeName"), "a");
    assert_null(scene_text(&scene, KIND_POD, "low", "spec.nodeName"));
    scene_close(&scene);
}

static void gated_pods_wait_for_their_gates(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z", 2, 8);
    new_pod(&scene, "p", "1", ", 'schedulingGates': [{'name': 'example.com/g'}]");
    scene_run(&scene, 20);
    json_t *pod = scene_get(&scene, KIND_POD, "default", "p");
    assert_string_equal(
        json_string_value(json_object_get(condition_of(pod, "PodScheduled"), "reason")),
        "SchedulingGated");
    scene_patch(&scene, KIND_POD, "p", "{'spec': {'schedulingGates': null}}");
    scene_run(&scene, 5);
    assert_string_equal(scene_text(&scene, KIND_POD, "p", "spec.nodeName"), "a");
    scene_close(&scene);
}

// WaitForFirstConsumer: the pod's node decides the zone, the volume follows, the pod starts when it
// is attached.
static void delayed_volumes_follow_the_pod(void **state)
{
    (void)state;
    struct scene scene = scene_open(NULL);
    scene_boot(&scene, "a", "z1", 2, 8);
    scene_add(&scene, "{'apiVersion': 'storage.k8s.io/v1', 'kind': 'StorageClass', 'metadata': {"
                      "'name': 'later'}, 'provisioner': 'ebs.csi.aws.com', 'volumeBindingMode':"
                      " 'WaitForFirstConsumer'}");
    scene_add(&scene, "{'apiVersion': 'v1', 'kind': 'PersistentVolumeClaim', 'metadata': {'name':"
                      " 'data'}, 'spec': {'storageClassName': 'later', 'accessModes': ["
                      "'ReadWriteOnce'], 'resources': {'requests': {'storage': '1Gi'}}}}");
    scene_run(&scene, 15);
    assert_string_equal(scene_text(&scene, KIND_PERSISTENT_VOLUME_CLAIM, "data", "status.phase"),
                        "Pending");
    new_pod(&scene, "p", "1",
            ", 'volumes': [{'name': 'v', 'persistentVolumeClaim': {'claimName': 'data'}}]");
    scene_run(&scene, 1);
    assert_null(scene_text(&scene, KIND_POD, "p", "spec.nodeName"));
    scene_run(&scene, 20);
    assert_string_equal(scene_text(&scene, KIND_POD, "p", "spec.nodeName"), "a");
    assert_string_equal(scene_text(&scene, KIND_POD, "p", "status.phase"), "Running");
    assert_string_equal(scene_text(&scene, KIND_PERSISTENT_VOLUME_CLAIM, "data", "status.phase"),
                        "Bound");
    const struct store_resource *attachments = scene_resource(&scene, KIND_VOLUME_ATTACHMENT);
    assert_int_equal(store_count(scene.store, attachments), 1);
    scene_remove(&scene, KIND_POD, "p", NULL);
    scene_run(&scene, 20);
    assert_int_equal(store_count(scene.store, attachments), 0);
    scene_remove(&scene, KIND_PERSISTENT_VOLUME_CLAIM, "data", NULL);
    scene_run(&scene, 10);
    assert_int_equal(store_count(scene.store, scene_resource(&scene, KIND_PERSISTENT_VOLUME)), 0);
    scene_close(&scene);
}

// --- nominations ---------------------------------------------------------------------------------

static void patch_status(struct scene *scene, const char *pod, const char *text)
{
    json_t *patch = json_of(text);
    struct error error;
    if (store_patch(
            scene->store,
            &(struct store_target){scene_resource(scene, KIND_POD), "default", pod, "status"},
            "strategic", patch, &error) == NULL)
        fail_msg("%s", error.message);
    json_decref(patch);
}

static void nominate(struct scene *scene, const char *pod, const char *node)
{
    char text[200];
    snprintf(text, sizeof text, "{'status': {'nominatedNodeName': %s%s%s}}",
             node == NULL ? "null" : "'", node == NULL ? "" : node, node == NULL ? "" : "'");
    patch_status(scene, pod, text);
}

// Nodes without kubelets keep their given state.
static void bare(struct world_options *options)
{
    options->node_lifecycle = false;
}

static void put_ready_node(struct scene *scene, const char *name, int cpu)
{
    scene_add(scene,
              "{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': '%s', 'labels':"
              " {'kubernetes.io/hostname': '%s'}}, 'status': {'allocatable': {'cpu': '%d',"
              " 'memory': '64Gi', 'pods': '110'}}}",
              name, name, cpu);
}

static void expect_on(struct scene *scene, const char *pod, const char *node)
{
    const char *found = scene_text(scene, KIND_POD, pod, "spec.nodeName");
    if (!text_equal(found, node))
        fail_msg("%s is on %s, not on %s", pod, found == NULL ? "no node" : found,
                 node == NULL ? "none" : node);
}

// The pods wait for room on a new node; their nominations precede it.
static void nominated_pods_go_where_they_are_expected(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "full", 0);
    new_pod(&scene, "p", "2", "");
    new_pod(&scene, "q", "2", "");
    scene_run(&scene, 2);
    nominate(&scene, "p", "small");
    nominate(&scene, "q", "small");
    scene_run(&scene, 2);
    assert_string_equal(scene_text(&scene, KIND_POD, "p", "status.nominatedNodeName"), "small");
    put_ready_node(&scene, "large", 64); // scores better, but is not asked
    put_ready_node(&scene, "small", 4);
    scene_run(&scene, 15);
    expect_on(&scene, "p", "small");
    expect_on(&scene, "q", "small");
    assert_null(scene_text(&scene, KIND_POD, "p", "status.nominatedNodeName"));
    scene_close(&scene);
}

static void room_of_nominated_pods_is_left_to_them(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    scene_add(&scene, "{'apiVersion': 'scheduling.k8s.io/v1', 'kind': 'PriorityClass', 'metadata':"
                      " {'name': 'high'}, 'value': 1000}");
    put_ready_node(&scene, "a", 4);
    // Its gate holds it; its nomination counts.
    new_pod(&scene, "expected", "3", ", 'schedulingGates': [{'name': 'example.com/g'}]");
    nominate(&scene, "expected", "a");
    new_pod(&scene, "equal", "2", "");
    new_pod(&scene, "fits-beside", "1", "");
    scene_run(&scene, 5);
    expect_on(&scene, "equal", NULL);
    expect_on(&scene, "fits-beside", "a");
    new_pod(&scene, "above", "2", ", 'priorityClassName': 'high'");
    scene_run(&scene, 5);
    expect_on(&scene, "above", "a");
    scene_close(&scene);
}

static void room_is_free_once_a_nomination_ends(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "a", 4);
    new_pod(&scene, "expected", "3", ", 'schedulingGates': [{'name': 'example.com/g'}]");
    nominate(&scene, "expected", "a");
    new_pod(&scene, "p", "2", "");
    scene_run(&scene, 5);
    expect_on(&scene, "p", NULL);
    nominate(&scene, "expected", NULL);
    scene_run(&scene, 3);
    expect_on(&scene, "p", "a");
    scene_close(&scene);
}

// A nominated pod counts on its node for spread and anti-affinity, too.
static void nominated_pods_count_for_rules_between_pods(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "a", 4);
    scene_add(&scene,
              "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'expected', 'labels':"
              " {'app': 'x'}}, 'spec': {'schedulingGates': [{'name': 'example.com/g'}],"
              " 'containers': [{'name': 'c', 'image': 'i'}]}}");
    nominate(&scene, "expected", "a");
    new_pod(&scene, "p", "1",
            ", 'affinity': {'podAntiAffinity': {'requiredDuringSchedulingIgnoredDuringExecution':"
            " [{'topologyKey': 'kubernetes.io/hostname', 'labelSelector': {'matchLabels':"
            " {'app': 'x'}}}]}}");
    scene_run(&scene, 5);
    expect_on(&scene, "p", NULL);
    assert_string_equal(scheduled_message(&scene, "p"),
                        "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.");
    scene_close(&scene);
}

// Again so since 1.35: a failed attempt clears any nomination.
static void attempts_in_vain_end_nominations(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "full", 0);
    new_pod(&scene, "p", "2", "");
    new_pod(&scene, "never", "2", ", 'preemptionPolicy': 'Never'");
    scene_run(&scene, 2);
    nominate(&scene, "p", "later");
    nominate(&scene, "never", "later");
    scene_add(&scene, "{'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'other'}, 'spec':"
                      " {'taints': [{'key': 'k', 'effect': 'NoSchedule'}]}, 'status':"
                      " {'allocatable': {'cpu': '8', 'memory': '8Gi', 'pods': '9'}}}");
    scene_run(&scene, 310);
    assert_null(scene_text(&scene, KIND_POD, "p", "status.nominatedNodeName"));
    assert_string_equal(scene_text(&scene, KIND_POD, "never", "status.nominatedNodeName"), "later");
    scene_close(&scene);
}

static void no_nominations(struct world_options *options)
{
    bare(options);
    options->nominations = false;
}

static void nominations_can_be_without_effect(void **state)
{
    (void)state;
    struct scene scene = scene_open(no_nominations);
    put_ready_node(&scene, "large", 64);
    put_ready_node(&scene, "small", 4);
    new_pod(&scene, "expected", "64", ", 'schedulingGates': [{'name': 'example.com/g'}]");
    nominate(&scene, "expected", "large");
    new_pod(&scene, "p", "1", "");
    nominate(&scene, "p", "small");
    new_pod(&scene, "vain", "65", "");
    nominate(&scene, "vain", "small");
    scene_run(&scene, 2);
    expect_on(&scene, "p", "large");
    assert_null(scene_text(&scene, KIND_POD, "vain", "status.nominatedNodeName"));
    scene_close(&scene);
}

// --- choices -------------------------------------------------------------------------------------

static void equal_nodes_are_chosen_by_lot(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    for (int i = 0; i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        put_ready_node(&scene, name, 4);
    }
    new_pod(&scene, "p", "1", "");
    new_pod(&scene, "q", "1", "");
    new_pod(&scene, "r", "1", "");
    scene_run(&scene, 2);
    int first = 0;
    for (const char *name = "pqr"; *name != '\0'; name++) {
        char pod[2] = {*name, '\0'};
        first += text_equal(scene_text(&scene, KIND_POD, pod, "spec.nodeName"), "n0");
    }
    assert_int_not_equal(first, 3);
    // A node with less free room comes after empty ones.
    for (int i = 0; i < 7; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        new_pod(&scene, name, "1", "");
    }
    scene_run(&scene, 2);
    for (int i = 0; i < 10; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        assert_int_equal(scene_pods(&scene, NULL, NULL, name).total, 1);
    }
    scene_close(&scene);
}

// The pods' own requests have no effect; the ReplicaSet's spread alternates between nodes.
static void pods_of_a_workload_are_spread(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "large", 64);
    put_ready_node(&scene, "small", 4);
    scene_deployment(&scene, "app", 2, "100m", "");
    scene_run(&scene, 5);
    assert_int_equal(scene_pods(&scene, "app", "app", "large").total, 1);
    assert_int_equal(scene_pods(&scene, "app", "app", "small").total, 1);
    scene_close(&scene);
}

// --- the queue -----------------------------------------------------------------------------------

// Equal priority: the longest wait since the last attempt goes first.
static void a_new_attempt_starts_the_wait_anew(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "full", 0);
    new_pod(&scene, "first", "2", "");
    scene_run(&scene, 20);
    new_pod(&scene, "second", "2", "");
    scene_run(&scene, 20);
    scene_patch(&scene, KIND_POD, "first",
                "{'spec': {'tolerations': [{'key': 'k', 'operator':"
                " 'Exists'}]}}");
    scene_run(&scene, 20);
    put_ready_node(&scene, "small", 2);
    scene_run(&scene, 15);
    expect_on(&scene, "second", "small");
    expect_on(&scene, "first", NULL);
    scene_close(&scene);
}

// The backoff does not delay a pod while no other waits.
static void pauses_are_for_when_others_wait(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "full", 0);
    new_pod(&scene, "p", "2", "");
    loop_run_for(scene.loop, 300 * MILLISECOND);
    put_ready_node(&scene, "a", 4);
    loop_run_for(scene.loop, 100 * MILLISECOND);
    expect_on(&scene, "p", "a");
    scene_close(&scene);
}

// Whether the pod is untried since: a failed attempt would have ended its nomination.
static bool is_untouched(struct scene *scene, const char *pod)
{
    return scene_text(scene, KIND_POD, pod, "status.nominatedNodeName") != NULL;
}

static void pods_wake_for_what_concerns_their_reasons(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    put_ready_node(&scene, "full", 1);
    new_pod(&scene, "there", "1", "");
    scene_run(&scene, 5);
    new_pod(&scene, "large", "2", "");
    new_pod(&scene, "elsewhere", "0", ", 'nodeSelector': {'zone': 'z1'}");
    scene_run(&scene, 5);
    nominate(&scene, "large", "later");
    nominate(&scene, "elsewhere", "later");
    // A node without room for one pod and without the label for the other.
    put_ready_node(&scene, "small", 1);
    scene_run(&scene, 20);
    assert_true(is_untouched(&scene, "large"));
    assert_true(is_untouched(&scene, "elsewhere"));
    // Any pod that ends triggers a retry of pods that lack room.
    patch_status(&scene, "there", "{'status': {'phase': 'Succeeded'}}");
    scene_run(&scene, 20);
    assert_false(is_untouched(&scene, "large"));
    assert_true(is_untouched(&scene, "elsewhere"));
    nominate(&scene, "large", "later");
    scene_patch(&scene, KIND_NODE, "small", "{'metadata': {'labels': {'zone': 'z1'}}}");
    scene_run(&scene, 20);
    expect_on(&scene, "elsewhere", "small");
    assert_true(is_untouched(&scene, "large"));
    scene_close(&scene);
}

// Without any node nothing has refused the pod: it is tried again after its backoff.
static void pods_are_tried_again_while_there_is_no_node(void **state)
{
    (void)state;
    struct scene scene = scene_open(bare);
    new_pod(&scene, "p", "1", "");
    loop_run_for(scene.loop, 100 * MILLISECOND);
    nominate(&scene, "p", "later");
    scene_run(&scene, 3);
    assert_false(is_untouched(&scene, "p"));
    scene_close(&scene);
}

// --- its pace ------------------------------------------------------------------------------------

static void slow(struct world_options *options)
{
    bare(options);
    options->scheduler_pod_ns = 10 * MILLISECOND;
    options->scheduler_rejection_ns = 100 * MILLISECOND;
}

static void cycles_take_their_time(void **state)
{
    (void)state;
    struct scene scene = scene_open(slow);
    put_ready_node(&scene, "a", 64);
    for (int i = 0; i < 100; i++) {
        char name[12];
        snprintf(name, sizeof name, "p%d", i);
        new_pod(&scene, name, "10m", "");
    }
    loop_run_for(scene.loop, 500 * MILLISECOND);
    assert_in_range(scene_pods(&scene, NULL, NULL, "a").total, 48, 51);
    scene_run(&scene, 2);
    for (int i = 0; i < 20; i++) {
        char name[12];
        snprintf(name, sizeof name, "q%d", i);
        new_pod(&scene, name, "65", "");
    }
    scene_run(&scene, 1);
    uint32_t rejected = 0;
    for (int i = 0; i < 20; i++) {
        char name[12];
        snprintf(name, sizeof name, "q%d", i);
        rejected += scheduled_message(&scene, name) != NULL;
    }
    assert_in_range(rejected, 9, 11);
    scene_close(&scene);
}

static void late_bindings(struct world_options *options)
{
    bare(options);
    options->scheduler_bind_ns = 500 * MILLISECOND;
}

static void bindings_come_later_but_hold_their_room(void **state)
{
    (void)state;
    struct scene scene = scene_open(late_bindings);
    put_ready_node(&scene, "a", 2);
    new_pod(&scene, "p", "2", "");
    new_pod(&scene, "q", "2", "");
    loop_run_for(scene.loop, 400 * MILLISECOND);
    expect_on(&scene, "p", NULL);
    assert_null(scheduled_message(&scene, "p"));
    assert_non_null(scheduled_message(&scene, "q"));
    loop_run_for(scene.loop, 200 * MILLISECOND);
    expect_on(&scene, "p", "a");
    // The node is deleted during the binding: the pod is tried again.
    new_pod(&scene, "r", "1", "");
    put_ready_node(&scene, "b", 1);
    loop_run_for(scene.loop, 200 * MILLISECOND);
    scene_remove(&scene, KIND_NODE, "b", NULL);
    scene_run(&scene, 2);
    expect_on(&scene, "r", NULL);
    put_ready_node(&scene, "c", 1);
    scene_run(&scene, 5);
    expect_on(&scene, "r", "c");
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unschedulable_nodes_take_only_who_tolerates_them),
        cmocka_unit_test(taints_and_tolerations),
        cmocka_unit_test(node_selector_and_affinity),
        cmocka_unit_test(host_ports_collide_by_port_protocol_and_address),
        cmocka_unit_test(resources_of_the_whole_pod),
        cmocka_unit_test(pods_on_the_node_take_room),
        cmocka_unit_test(topology_spread),
        cmocka_unit_test(topology_spread_policies),
        cmocka_unit_test(pod_affinity_and_its_first_pod),
        cmocka_unit_test(pod_anti_affinity_works_both_ways),
        cmocka_unit_test(affinity_terms_name_namespaces),
        cmocka_unit_test(volumes_bind_and_belong_to_zones),
        cmocka_unit_test(volume_limits_count_each_volume_once),
        cmocka_unit_test(scores_of_resources),
        cmocka_unit_test(scores_of_nodes),
        cmocka_unit_test(scores_of_spread),
        cmocka_unit_test(scores_of_affinity_between_pods),
        cmocka_unit_test(equal_nodes_are_chosen_by_lot),
        cmocka_unit_test(pods_of_a_workload_are_spread),
        cmocka_unit_test(unschedulable_pods_say_why_and_are_tried_again),
        cmocka_unit_test(room_that_becomes_free_is_taken),
        cmocka_unit_test(higher_priority_goes_first),
        cmocka_unit_test(gated_pods_wait_for_their_gates),
        cmocka_unit_test(delayed_volumes_follow_the_pod),
        cmocka_unit_test(nominated_pods_go_where_they_are_expected),
        cmocka_unit_test(room_of_nominated_pods_is_left_to_them),
        cmocka_unit_test(room_is_free_once_a_nomination_ends),
        cmocka_unit_test(nominated_pods_count_for_rules_between_pods),
        cmocka_unit_test(attempts_in_vain_end_nominations),
        cmocka_unit_test(nominations_can_be_without_effect),
        cmocka_unit_test(a_new_attempt_starts_the_wait_anew),
        cmocka_unit_test(pauses_are_for_when_others_wait),
        cmocka_unit_test(pods_wake_for_what_concerns_their_reasons),
        cmocka_unit_test(pods_are_tried_again_while_there_is_no_node),
        cmocka_unit_test(cycles_take_their_time),
        cmocka_unit_test(bindings_come_later_but_hold_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
