#include "model/helpers.h"

#include "base/memory.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/reading/settings_read.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/snapshot.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_encode.h"
#include "model/snapshot/snapshot_read.h"

static struct snapshot *read_text(const char *text)
{
    struct snapshot *snapshot = snapshot_create();
    struct error error = {0};
    if (!snapshot_read_text(snapshot, text, strlen(text), "in.yaml", false, &error) ||
        !snapshot_complete(snapshot, &error))
        fail_msg("%s", error.message);
    return snapshot;
}

static const struct pod *find_pod(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++)
        if (strcmp(snapshot->objects[KIND_POD].items[i]->meta.name, name) == 0)
            return (const struct pod *)snapshot->objects[KIND_POD].items[i];
    return NULL;
}

static void assert_error(const char *text, bool strict, const char *message)
{
    struct snapshot *snapshot = snapshot_create();
    struct error error = {0};
    bool fine = snapshot_read_text(snapshot, text, strlen(text), "in.yaml", strict, &error) &&
                snapshot_complete(snapshot, &error);
    snapshot_destroy(snapshot);
    assert_false(fine);
    assert_string_equal(error.message, message);
}

static void names_and_uids_are_derived_FMT_4(void **state)
{
    (void)state;
    static const char text[] = "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n"
                               "{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: x, uid: "
                               "given}}\n---\n{apiVersion: v1, kind: Node, metadata: {name: c}}\n";
    struct snapshot *first = read_text(text), *second = read_text(text);
    const struct object *a = (const struct object *)find_pod(first, "a");
    assert_string_equal(a->meta.namespace, "default");
    assert_int_equal(strlen(a->meta.uid), 36);
    assert_string_equal(a->meta.uid, find_pod(second, "a")->meta.uid);
    assert_string_equal(find_pod(first, "b")->meta.namespace, "x");
    assert_string_equal(find_pod(first, "b")->meta.uid, "given");
    assert_null(first->objects[KIND_NODE].items[0]->meta.namespace);
    snapshot_destroy(first);
    snapshot_destroy(second);
}

#define TEMPLATE "template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}]}}"
#define SELECTOR "selector: {matchLabels: {app: web}}"

static void workloads_without_pods_become_pods_FMT_2(void **state)
{
    (void)state;
    struct snapshot *snapshot = read_text(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: "
        "2, " SELECTOR ", " TEMPLATE "}}\n---\n"
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: data}, spec: {"
        "template: {spec: {containers: [{name: c}]}}, volumeClaimTemplates: [{metadata: {name: "
        "disk}, spec: {storageClassName: fast}}]}}\n---\n"
        "{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {parallelism: 3, "
        "template: "
        "{spec: {containers: [{name: c}]}}}}\n---\n"
        "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: none}, spec: {replicas: "
        "0, " TEMPLATE "}}\n");
    assert_int_equal(snapshot->objects[KIND_POD].count, 6);
    const struct pod *web = find_pod(snapshot, "web-1");
    assert_non_null(web);
    assert_string_equal(web->meta.namespace, "default");
    assert_string_equal(web->status.phase, "Pending");
    assert_string_equal(object_label((const struct object *)web, "app"), "web");
    assert_non_null(object_label((const struct object *)web, "pod-template-hash"));
    const struct owner_reference *owner = object_controller_owner((const struct object *)web);
    assert_string_equal(owner->kind, "ReplicaSet");
    assert_int_equal(strncmp(owner->name, "web-", 4), 0);
    assert_string_not_equal(web->meta.uid, find_pod(snapshot, "web-0")->meta.uid);
    const struct pod *db = find_pod(snapshot, "db-0");
    assert_string_equal(object_controller_owner((const struct object *)db)->kind, "StatefulSet");
    assert_string_equal(db->spec.volumes.items[0].persistent_volume_claim->claim_name, "disk-db-0");
    const struct persistent_volume_claim *claim =
        (const struct persistent_volume_claim *)snapshot->objects[KIND_PERSISTENT_VOLUME_CLAIM]
            .items[0];
    assert_string_equal(claim->meta.name, "disk-db-0");
    assert_string_equal(claim->meta.namespace, "data");
    assert_string_equal(claim->spec.storage_class_name, "fast");
    assert_string_equal(
        object_controller_owner((const struct object *)find_pod(snapshot, "once-2"))->kind, "Job");
    snapshot_destroy(snapshot);
}

static void workloads_with_pods_are_left_alone_FMT_2(void **state)
{
    (void)state;
    // Owned pods; selected pods of a Deployment; a ReplicaSet in place of its Deployment.
    struct snapshot *snapshot = read_text(
        "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: 5, " TEMPLATE
        "}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: r-1, ownerReferences: [{apiVersion: apps/v1, "
        "kind: ReplicaSet, name: r, uid: x}]}}\n---\n"
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: s}, spec: "
        "{replicas: "
        "5, " SELECTOR ", " TEMPLATE "}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: some, namespace: s, labels: {app: web}}}\n"
        "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: e}, spec: {replicas: 2, "
        "selector: {matchLabels: {app: e}}, " TEMPLATE "}}\n---\n"
        "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: e-5f, ownerReferences: "
        "[{apiVersion: apps/v1, kind: Deployment, name: e, uid: x}]}, spec: {replicas: 2, " TEMPLATE
        "}}\n");
    assert_int_equal(snapshot->objects[KIND_POD].count, 4);
    assert_non_null(find_pod(snapshot, "e-5f-0"));
    assert_non_null(find_pod(snapshot, "e-5f-1"));
    snapshot_destroy(snapshot);
}

static void new_pods_are_admitted_as_by_an_api_server(void **state)
{
    (void)state;
    struct snapshot *snapshot = read_text(
        "{apiVersion: v1, kind: LimitRange, metadata: {name: l}, spec: {limits: [{type: Container, "
        "default: {memory: 2Gi}, defaultRequest: {cpu: 100m}}]}}\n---\n"
        "{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: other}, spec: {limits: "
        "[{type: Container, defaultRequest: {cpu: 9}}]}}\n---\n"
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: "
        "1000, preemptionPolicy: Never}\n---\n"
        "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: "
        "5, "
        "globalDefault: true}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priorityClassName: high, "
        "containers: [{name: c, resources: {limits: {cpu: 3}}}, {name: d}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {containers: [{name: c, resources: "
        "{requests: {memory: 1Gi}}}]}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: stored, uid: u}, spec: {containers: [{name: "
        "c, "
        "resources: {limits: {cpu: 3}}}]}}\n");
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct pod *a = find_pod(snapshot, "a");
    struct resource_map requests = pod_requests(arena, a);
    assert_int_equal(resource_map_get(&requests, "cpu"), 3100);
    assert_int_equal(resource_map_get(&requests, "memory"), INT64_C(4) << 30);
    assert_int_equal(a->spec.priority.value, 1000);
    assert_string_equal(a->spec.preemption_policy, "Never");
    const struct pod *b = find_pod(snapshot, "b");
    requests = pod_requests(arena, b);
    assert_int_equal(resource_map_get(&requests, "memory"), 1 << 30);
    assert_int_equal(b->spec.priority.value, 5);
    // A pod that an API server has stored is taken unchanged (SCH-112).
    requests = pod_requests(arena, find_pod(snapshot, "stored"));
    assert_false(resource_map_has(&requests, "cpu"));
    snapshot_destroy(snapshot);
}

static const char context[] =
    "apiVersion: adze/v1\nkind: SnapshotContext\nspec:\n  time: \"2026-01-01T00:00:00.5Z\"\n"
    "  settings: {PREFERENCE_POLICY: Ignore, COMPATIBILITY: upstream}\n"
    "  markedForDeletion: [node-a]\n  bufferNodes: [node-c]\n  nominated: {node-b: "
    "\"2026-01-01T00:00:10Z\"}\n";

static void the_context_sets_clock_and_settings_FMT_9(void **state)
{
    (void)state;
    struct snapshot *snapshot = read_text(context);
    assert_true(snapshot->time == INT64_C(1767225600500000000));
    assert_true(snapshot->settings.preference_policy_ignore);
    assert_int_equal(snapshot->settings.packing_policy, PACKING_GREEDY);
    assert_int_equal(snapshot->marked_for_deletion.count, 1);
    assert_string_equal(snapshot->marked_for_deletion.items[0], "node-a");
    assert_string_equal(snapshot->buffer_nodes.items[0], "node-c");
    assert_string_equal(snapshot->nominated.items[0].node, "node-b");
    assert_true(snapshot->nominated.items[0].until == INT64_C(1767225610000000000));
    snapshot_destroy(snapshot);
}

// SCH-507: a saved snapshot has the learned number, and says that nobody has set it.
static void what_is_learned_is_written_and_read_FMT_9(void **state)
{
    (void)state;
    struct snapshot *snapshot = snapshot_create();
    struct error error = {0};
    assert_true(settings_learn(&snapshot->settings, "EXPECTED_CPU_USE", "0.35", &error));
    json_t *written = snapshot_encode(snapshot);
    CLEANUP_FREE char *text = json_dumps(written, JSON_COMPACT);
    assert_non_null(strstr(text, "\"settings\":{\"EXPECTED_CPU_USE\":\"0.35\"}"));
    assert_non_null(strstr(text, "\"learned\":[\"EXPECTED_CPU_USE\"]"));
    struct snapshot *again = read_text(text);
    struct text told = {0};
    settings_describe_learned(&again->settings, &told);
    assert_string_equal(told.data, "EXPECTED_CPU_USE 0.35, learned from metrics");
    assert_true(again->settings.expected_cpu_use == 0.35);
    json_t *written_again = snapshot_encode(again);
    assert_true(json_equal(written, written_again));
    text_free(&told);
    json_decref(written);
    json_decref(written_again);
    snapshot_destroy(snapshot);
    snapshot_destroy(again);
    // Others are never learned.
    assert_error("{apiVersion: adze/v1, kind: SnapshotContext, spec: {settings: {NODE_COST: '1'}, "
                 "learned: [NODE_COST]}}",
                 false, "in.yaml:1:63: document 1: spec.settings: NODE_COST is never learned");
}

// The nominated room of such a pod is lost with the node: it waits like any other.
static void a_nomination_for_a_node_that_is_not_there_is_none_FMT_3(void **state)
{
    (void)state;
#define NOMINATED(name, node)                                                \
    "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", uid: " name \
    ", namespace: d}, spec: "                                                \
    "{containers: [{name: c}]}, status: {nominatedNodeName: " node "}}\n"
    static const char pods[] =
        "---\n{apiVersion: v1, kind: Node, metadata: {name: there, uid: node}}\n" NOMINATED(
            "held", "there") NOMINATED("lost", "gone");
    struct text text = {0};
    text_add(&text,
             "apiVersion: adze/v1\nkind: SnapshotContext\nspec: {requireUnschedulable: true}\n");
    text_add(&text, pods);
    struct snapshot *snapshot = read_text(text.data);
    assert_string_equal(find_pod(snapshot, "held")->status.nominated_node_name, "there");
    assert_null(find_pod(snapshot, "lost")->status.nominated_node_name);
    snapshot_destroy(snapshot);
    // In files it was set on purpose, and the plan keeps it.
    snapshot = read_text(pods);
    assert_string_equal(find_pod(snapshot, "lost")->status.nominated_node_name, "gone");
    snapshot_destroy(snapshot);
    text_free(&text);
}

// A saved live cluster is planned as it was live: kube-scheduler's conditions of its pods stay,
// workloads without pods there are excluded; additions from a manifest are included.
static void a_saved_live_cluster_is_planned_as_it_was_FMT_3(void **state)
{
    (void)state;
    static const char live[] =
        "{apiVersion: v1, kind: Pod, metadata: {name: new, uid: u, creationTimestamp: "
        "\"2026-01-01T00:00:00Z\"}, spec: {containers: [{name: c}]}}\n---\n"
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: held, uid: v, creationTimestamp: "
        "\"2026-01-01T00:00:00Z\"}, spec: {replicas: 3, " SELECTOR ", " TEMPLATE "}}\n";
    static const char added[] =
        "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: "
        "{replicas: 2, " SELECTOR ", " TEMPLATE "}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: single}, spec: {containers: [{name: c}]}}\n";
    struct text text = {0};
    text_add(&text, "apiVersion: adze/v1\nkind: SnapshotContext\nspec: {requireUnschedulable: "
                    "true}\n---\n");
    text_add(&text, live);
    struct snapshot *snapshot = read_text(text.data);
    assert_true(snapshot->require_unschedulable_condition);
    assert_int_equal(snapshot->objects[KIND_POD].count, 1);
    json_t *written = snapshot_encode(snapshot);
    const json_t *spec =
        json_object_get(json_array_get(json_object_get(written, "items"), 0), "spec");
    assert_true(json_is_true(json_object_get(spec, "requireUnschedulable")));
    json_decref(written);
    snapshot_destroy(snapshot);

    text_add(&text, added);
    snapshot = read_text(text.data);
    assert_int_equal(snapshot->objects[KIND_POD].count, 4);
    static const char *const names[] = {"web-0", "web-1", "single"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        const struct pod *pod = find_pod(snapshot, names[i]);
        const struct condition *condition =
            condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
        assert_non_null(condition);
        assert_string_equal(condition->reason, "Unschedulable");
    }
    assert_int_equal(find_pod(snapshot, "new")->status.conditions.count, 0);
    snapshot_destroy(snapshot);
    text_free(&text);
}

static void a_written_snapshot_reads_back_the_same(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, context);
    text_add(&text, "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: "
                    "{replicas: 3, " SELECTOR ", " TEMPLATE "}}\n---\n"
                    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: "
                    "{template: {spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}, "
                    "volumeClaimTemplates: [{metadata: {name: disk}, spec: {}}]}}\n---\n"
                    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: "
                    "{template: {spec: {requirements: []}}}}\n");
    struct snapshot *snapshot = read_text(text.data);
    json_t *written = snapshot_encode(snapshot);
    char *dumped = json_dumps(written, 0);
    struct snapshot *again = read_text(dumped);
    json_t *written_again = snapshot_encode(again);
    assert_true(json_equal(written, written_again));
    assert_int_equal(again->objects[KIND_POD].count, 4);
    assert_true(again->time == snapshot->time);
    json_decref(written);
    json_decref(written_again);
    free(dumped);
    text_free(&text);
    snapshot_destroy(snapshot);
    snapshot_destroy(again);
}

static void errors_name_file_line_document_and_path(void **state)
{
    (void)state;
    assert_error(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\n"
        "kind: Pod\nspec:\n  containers:\n  - name: [a]\n",
        false,
        "in.yaml:9:11: document 2: spec.containers[0].name: expected a string, found a list");
    assert_error("{apiVersion: adze/v1, kind: SnapshotContext, spec: {settings: {PACKING_POLICY: "
                 "Best}}}",
                 false,
                 "in.yaml:1:63: document 1: spec.settings: PACKING_POLICY: \"Best\" is none of "
                 "LowestPrice, Greedy");
    assert_error(
        "{apiVersion: adze/v1, kind: InstanceTypeCatalog, spec: {instanceTypes: [{name: a, "
        "offerings: [{price: -1}]}]}}",
        false, "in.yaml:1:103: document 1: spec.instanceTypes[0].offerings[0].price: negative");
    assert_error("{apiVersion: v1, kind: Node, metadata: {labels: {}}}", false,
                 "in.yaml:1:40: document 1: metadata.name: missing");
    assert_error("{apiVersion: karpenter.sh/v1, kind: NodePools}", true,
                 "in.yaml:1:37: document 1: kind: NodePools of karpenter.sh/v1 is not a kind that "
                 "adze reads; did you mean NodePool?");
}

static void duplicate_types_are_for_recordings_only_FMT_8(void **state)
{
    (void)state;
    static const char doubled[] =
        "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: "
        "c}, spec: {instanceTypes: [{name: a}, {name: a}]}}\n";
    assert_error(doubled, false,
                 "InstanceTypeCatalog/c: spec.instanceTypes[1].name: \"a\" is the name of "
                 "spec.instanceTypes[0], too");
    struct text text = {0};
    text_format(&text, "%s---\n%s", doubled, context);
    snapshot_destroy(read_text(text.data));
    text_free(&text);
}

static void unknown_kinds_are_skipped_unless_strict_FMT_1(void **state)
{
    (void)state;
    snapshot_destroy(read_text("{apiVersion: v1, kind: ConfigMap, data: {a: b}}"));
    assert_error("{apiVersion: v1, kind: ConfigMap, data: {a: b}}", true,
                 "in.yaml:1:24: document 1: kind: ConfigMap of v1 is not a kind that adze reads");
}

static void too_many_pods_are_refused(void **state)
{
    (void)state;
    assert_error("{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: "
                 "2000000000, " TEMPLATE "}}",
                 false,
                 "ReplicaSet/default/r: 2000000000 pods: the workloads of a snapshot may have "
                 "1000000 together");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_uids_are_derived_FMT_4),
        cmocka_unit_test(workloads_without_pods_become_pods_FMT_2),
        cmocka_unit_test(workloads_with_pods_are_left_alone_FMT_2),
        cmocka_unit_test(new_pods_are_admitted_as_by_an_api_server),
        cmocka_unit_test(the_context_sets_clock_and_settings_FMT_9),
        cmocka_unit_test(a_saved_live_cluster_is_planned_as_it_was_FMT_3),
        cmocka_unit_test(what_is_learned_is_written_and_read_FMT_9),
        cmocka_unit_test(a_nomination_for_a_node_that_is_not_there_is_none_FMT_3),
        cmocka_unit_test(a_written_snapshot_reads_back_the_same),
        cmocka_unit_test(errors_name_file_line_document_and_path),
        cmocka_unit_test(duplicate_types_are_for_recordings_only_FMT_8),
        cmocka_unit_test(unknown_kinds_are_skipped_unless_strict_FMT_1),
        cmocka_unit_test(too_many_pods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
