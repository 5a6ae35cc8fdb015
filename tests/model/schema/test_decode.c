#include "model/helpers.h"
#include "model/schema/condition_types.h"

#include <pthread.h>

#include "model/schema/decode.h"
#include "model/schema/encode.h"
#include "model/schema/karpenter.h"
#include "model/schema/pack.h"
#include "model/schema/shared_strings.h"
#include "model/schema/tables.h"
#include "model/tables/kinds.h"

static void every_kind_is_found(void **state)
{
    (void)state;
    for (int id = 0; id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        assert_int_equal(kind->id, id);
        assert_ptr_equal(kind_find(kind->api_version, kind->name), kind);
        assert_ptr_equal(kind_find_plural(kind->group, kind->version, kind->plural), kind);
        assert_true(kind->custom == (kind->custom_facts != NULL));
        assert_string_equal(kind->type->fields[0].name, "metadata");
    }
    assert_null(kind_find("v1", "Podd"));
    assert_null(kind_find("v2", "Pod"));
    assert_null(kind_find_plural("", "v1", "nodepools"));
}

static const char pod_text[] =
    "apiVersion: v1\n"
    "kind: Pod\n"
    "metadata:\n"
    "  name: web-0\n"
    "  namespace: shop\n"
    "  uid: 7f1b\n"
    "  creationTimestamp: '2026-01-01T00:00:00Z'\n"
    "  labels: {tier: front, app: web}\n"
    "  annotations:\n"
    "    kubectl.kubernetes.io/last-applied-configuration: '{\"long\": true}'\n"
    "    karpenter.sh/do-not-disrupt: 'true'\n"
    "  managedFields: [{manager: kubectl}]\n"
    "  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u, controller: "
    "true}]\n"
    "spec:\n"
    "  nodeSelector: {}\n"
    "  priority: 0\n"
    "  tolerations: []\n"
    "  containers:\n"
    "  - name: main\n"
    "    image: shop/web\n"
    "    ports: [{containerPort: 80, hostPort: 8080}]\n"
    "    resources:\n"
    "      requests: {memory: 1Gi, cpu: 0.5, nvidia.com/gpu: 1}\n"
    "  affinity:\n"
    "    nodeAffinity:\n"
    "      requiredDuringSchedulingIgnoredDuringExecution:\n"
    "        nodeSelectorTerms:\n"
    "        - matchExpressions: [{key: zone, operator: In, values: [b, a]}]\n"
    "    podAntiAffinity:\n"
    "      requiredDuringSchedulingIgnoredDuringExecution:\n"
    "      - {topologyKey: kubernetes.io/hostname, labelSelector: {}}\n"
    "  volumes: [{name: data, persistentVolumeClaim: {claimName: data-0}}, {name: tmp}]\n"
    "status: {phase: Pending, conditions: null}\n";

static void pod_is_decoded_field_by_field(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object = object_of(pod_text);
    const struct pod *pod = (const struct pod *)object;
    assert_string_equal(pod->meta.name, "web-0");
    assert_int_equal(pod->meta.creation_timestamp, 1767225600 * SECOND);
    assert_int_equal(pod->meta.deletion_timestamp, 0);
    assert_int_equal(pod->meta.labels.count, 2);
    assert_string_equal(pod->meta.labels.items[0].key, "app");
    assert_string_equal(object_label(object, "tier"), "front");
    assert_null(object_label(object, "none"));
    assert_string_equal(object_controller_owner(object)->name, "web");
    assert_non_null(object_owner(object, "apps/v1", "ReplicaSet"));
    assert_null(object_owner(object, "apps/v1", "DaemonSet"));
    assert_true(pod->spec.priority.present);
    assert_int_equal(pod->spec.containers.count, 1);
    const struct container *container = pod->spec.containers.items;
    assert_int_equal(resource_map_get(&container->resources.requests, "cpu"), 500);
    assert_int_equal(resource_map_get(&container->resources.requests, "memory"), 1 << 30);
    assert_int_equal(resource_map_get(&container->resources.requests, "nvidia.com/gpu"), 1);
    assert_string_equal(container->resources.requests.items[0].name, "cpu");
    assert_int_equal(container->ports.items[0].host_port, 8080);
    const struct affinity *affinity = pod->spec.affinity;
    const struct selector_requirement *requirement =
        affinity->node_affinity->required->node_selector_terms.items[0].match_expressions.items;
    assert_string_equal(requirement->values.items[0], "b");
    assert_non_null(affinity->pod_anti_affinity->required.items[0].label_selector);
    assert_null(affinity->pod_affinity);
    assert_string_equal(pod->spec.volumes.items[0].persistent_volume_claim->claim_name, "data-0");
    assert_null(pod->spec.volumes.items[1].persistent_volume_claim);
    char description[600];
    object_describe(object, description);
    assert_string_equal(description, "Pod/shop/web-0");
}

static void absent_and_empty_differ(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object = object_of(pod_text);
    const struct pod *pod = (const struct pod *)object;
    assert_non_null(pod->spec.node_selector.items);
    assert_int_equal(pod->spec.node_selector.count, 0);
    assert_non_null(pod->spec.tolerations.items);
    assert_null(pod->spec.init_containers.items);
    assert_null(pod->spec.node_name);
    assert_null(pod->status.conditions.items); // null is absent
}

static void what_must_be_there_is_an_empty_text_if_it_is_not(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *node_object =
        object_of("{apiVersion: v1, kind: Node, metadata: {name: node}, "
                  "spec: {taints: [{value: a}, {key: null}]}, status: {conditions: [{}]}}");
    const struct node *node = (const struct node *)node_object;
    assert_string_equal(node->spec.taints.items[0].key, "");
    assert_string_equal(node->spec.taints.items[0].effect, "");
    assert_null(node->spec.taints.items[1].value);
    assert_string_equal(node->spec.taints.items[1].key, "");
    assert_string_equal(node->status.conditions.items[0].type, "");
    CLEANUP_OBJECT struct object *pool_object =
        object_of("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, "
                  "spec: {template: {spec: {taints: [{}], requirements: [{}]}}}}");
    const struct node_pool *pool = (const struct node_pool *)pool_object;
    assert_string_equal(pool->spec.template.spec.taints.items[0].key, "");
    assert_string_equal(pool->spec.template.spec.requirements.items[0].key, "");
    assert_string_equal(pool->spec.template.spec.requirements.items[0].operator, "");
}

static void the_copies_of_manifests_are_dropped(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object = object_of(pod_text);
    assert_int_equal(object->meta.annotations.count, 1);
    assert_string_equal(object_annotation(object, ANNOTATION_DO_NOT_DISRUPT), "true");
}

static void defaults_of_the_tables_are_applied_API_11(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *pod_object = object_of(pod_text);
    const struct pod *pod = (const struct pod *)pod_object;
    assert_string_equal(pod->spec.scheduler_name, "default-scheduler");
    assert_int_equal(pod->spec.termination_grace_period_seconds.value, 30);
    assert_string_equal(pod->spec.containers.items[0].ports.items[0].protocol, "TCP");
    // An object default is completed by the defaults of its own fields (API-10).
    CLEANUP_OBJECT struct object *pool_object =
        object_of("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, "
                  "spec: {template: {spec: {requirements: []}}}}");
    const struct node_pool *pool = (const struct node_pool *)pool_object;
    assert_string_equal(pool->spec.disruption.consolidation_policy, "WhenEmptyOrUnderutilized");
    assert_int_equal(pool->spec.disruption.budgets.count, 1);
    assert_string_equal(pool->spec.disruption.budgets.items[0].nodes, "10%");
    assert_string_equal(pool->spec.template.spec.expire_after.text, "720h");
    assert_int_equal(pool->spec.template.spec.expire_after.nanoseconds, 720 * HOUR);
}

static void a_duration_keeps_its_text_API_20(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object =
        object_of("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: "
                  "{disruption: {consolidateAfter: Never}, template: {spec: {expireAfter: 30m1h, "
                  "requirements: []}}}}");
    const struct node_pool *pool = (const struct node_pool *)object;
    assert_string_equal(pool->spec.template.spec.expire_after.text, "30m1h");
    assert_int_equal(pool->spec.template.spec.expire_after.nanoseconds, 90 * MINUTE);
    assert_int_equal(pool->spec.disruption.consolidate_after.nanoseconds, DURATION_NEVER);
}

#define POOL(spec) \
    "{apiVersion: karpenter.sh/v1, kind: NodePool, spec: {template: {spec: {" spec "}}}}"

static void errors_name_the_field_path_API_316(void **state)
{
    (void)state;
    assert_refused(
        POOL("requirements: [{key: a, operator: In}, {key: b, operator: 5}]"), DECODE_LENIENT,
        "spec.template.spec.requirements[1].operator: expected a string, found a number");
    assert_refused(POOL("requirements: {}"), DECODE_LENIENT,
                   "spec.template.spec.requirements: expected a list, found an object");
    assert_refused(POOL("requirements: [null]"), DECODE_LENIENT,
                   "spec.template.spec.requirements[0]: expected an object, found null");
    assert_refused("{apiVersion: v1, kind: Pod, metadata: {labels: {team/x: true}}}",
                   DECODE_LENIENT,
                   "metadata.labels[\"team/x\"]: expected a string, found a boolean");
    assert_refused("{apiVersion: v1, kind: Pod, metadata: {labels: {'it''s \"a\"': true}}}",
                   DECODE_LENIENT, // API-316: validation's name for the place
                   "metadata.labels[\"it's \\\"a\\\"\"]: expected a string, found a boolean");
    assert_refused("{apiVersion: v1, kind: Pod, spec: {priority: 3000000000}}", DECODE_LENIENT,
                   "spec.priority: 3000000000 is out of the range of a 32-bit integer");
    assert_refused("{apiVersion: v1, kind: Pod, spec: {priority: 1.5}}", DECODE_LENIENT,
                   "spec.priority: expected an integer, found 1.5");
    assert_refused("{apiVersion: v1, kind: Service, spec: []}", DECODE_LENIENT,
                   "spec: expected an object, found a list");
    assert_refused("{apiVersion: v9, kind: Pod}", DECODE_LENIENT,
                   "kind: Pod of v9 is not a kind that adze knows");
}

static void bad_values_are_refused_with_their_path(void **state)
{
    (void)state;
    struct error error = {0};
    json_t *pod = json_pack("{s:s, s:s, s:{s:{s:s}}}", "apiVersion", "v1", "kind", "Pod", "spec",
                            "overhead", "cpu", "a lot");
    assert_null(document_decode(pod, DECODE_LENIENT, &error));
    assert_int_equal(strncmp(error.message, "spec.overhead.cpu: ", 19), 0);
    json_decref(pod);
    pod = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Pod", "metadata",
                    "creationTimestamp", "yesterday");
    assert_null(document_decode(pod, DECODE_LENIENT, &error));
    assert_int_equal(strncmp(error.message, "metadata.creationTimestamp: ", 28), 0);
    assert_null(object_decode(pod, kind_get(KIND_NODE), DECODE_LENIENT, &error));
    assert_string_equal(error.message, "kind: expected Node, found Pod");
    json_decref(pod);
}

static void what_can_be_read_is_salvaged_API_603(void **state)
{
    (void)state;
    static const char text[] =
        "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", "
        "\"namespace\": \"n\", "
        "\"labels\": {\"app\": \"web\", \"bad\": 7}, \"finalizers\": [\"a\", {}, \"b\"]}, "
        "\"spec\": {\"nodeName\": \"x\", \"priority\": 3000000000, "
        "\"terminationGracePeriodSeconds\": "
        "\"soon\", \"tolerations\": [{\"key\": \"k\"}, 1, {\"key\": \"l\", \"tolerationSeconds\": "
        "[]}], "
        "\"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": \"1e1.5\", "
        "\"memory\": \"1Gi\"}}}]}, \"status\": []}";
    json_t *document = json_loads(text, 0, NULL);
    const struct kind *kind = kind_get(KIND_POD);
    struct error error = {0};
    assert_null(object_decode(document, kind, DECODE_LENIENT, &error));
    struct pod *pod = (struct pod *)object_salvage(document, kind);
    assert_non_null(pod);
    assert_string_equal(pod->meta.unreadable, error.message); // the first
    assert_int_equal(pod->meta.labels.count, 1);
    assert_int_equal(pod->meta.finalizers.count, 2);
    assert_string_equal(pod->meta.finalizers.items[1], "b");
    assert_string_equal(pod->spec.node_name, "x");
    assert_false(pod->spec.priority.present);
    assert_false(pod->spec.termination_grace_period_seconds.present);
    assert_int_equal(pod->spec.tolerations.count, 2);
    assert_string_equal(pod->spec.tolerations.items[1].key, "l");
    assert_int_equal(pod->spec.containers.items[0].resources.requests.count, 1);
    assert_null(pod->status.phase);
    // After a write and a read, as in a snapshot, it is unchanged.
    json_t *again = object_encode((const struct object *)pod);
    struct object *copy = object_decode(again, kind, DECODE_LENIENT, &error);
    assert_non_null(copy);
    assert_string_equal(copy->meta.unreadable, pod->meta.unreadable);
    json_decref(again);
    object_release(copy);
    object_release((struct object *)pod);
    json_object_set_new(json_object_get(document, "metadata"), "name", json_integer(1));
    assert_null(object_salvage(document, kind)); // the owner is unknown
    assert_null(object_salvage(document, kind_get(KIND_NODE)));
    json_decref(document);
}

// The epoch is a time like any other; times out of range saturate.
static void every_time_that_is_there_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t nanoseconds;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 1},         {"2279-11-05T08:53:20Z", INT64_MAX},
        {"9999-12-31T23:59:59Z", INT64_MAX}, {"0001-01-01T00:00:00Z", 0}, // Go's zero
        {"0002-01-01T00:00:00Z", INT64_MIN},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        json_t *pod = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Pod",
                                "metadata", "deletionTimestamp", cases[i].text);
        struct object *object = document_decode(pod, DECODE_LENIENT, NULL);
        assert_non_null(object);
        assert_true(object->meta.deletion_timestamp == cases[i].nanoseconds);
        object_release(object);
        json_decref(pod);
    }
}

static void strict_names_the_nearest_field_GUI_15(void **state)
{
    (void)state;
    assert_refused(POOL("requirments: []"), DECODE_STRICT,
                   "spec.template.spec.requirments: unknown field, did you mean \"requirements\"?");
    assert_refused(POOL("requirements: [], zzzzzzzzzz: 1"), DECODE_STRICT,
                   "spec.template.spec.zzzzzzzzzz: unknown field");
    CLEANUP_OBJECT struct object *lenient = object_of(POOL("requirements: [], requirments: 5"));
    assert_non_null(lenient);
}

static void strict_lets_the_unread_parts_of_pods_be(void **state)
{
    (void)state;
    json_t *pod = json_pack("{s:s, s:s, s:{s:b}}", "apiVersion", "v1", "kind", "Pod", "spec",
                            "automountServiceAccountToken", 0);
    struct error error = {0};
    CLEANUP_OBJECT struct object *object = document_decode(pod, DECODE_STRICT, &error);
    assert_non_null(object);
    json_decref(pod);
}

static void references_are_counted(void **state)
{
    (void)state;
    struct object *object = object_of(pod_text);
    assert_int_equal(object->references, 1);
    struct object *second = object_acquire(object);
    assert_ptr_equal(second, object);
    object_release(object);
    assert_string_equal(second->meta.name, "web-0");
    object_release(second);
    object_release(NULL);
    assert_null(object_acquire(NULL));
}

static void an_object_filled_by_hand_is_copied(void **state)
{
    (void)state;
    char name[] = "claim-1";
    struct string_pair labels[] = {{"a", "1"}, {"b", "2"}};
    struct node_claim claim = {.kind = kind_get(KIND_NODE_CLAIM)};
    claim.meta.name = name;
    claim.meta.labels = (struct string_map){labels, 2};
    claim.status.conditions.items = (struct condition[]){{.type = "Ready", .status = "True"}};
    claim.status.conditions.count = 1;
    CLEANUP_OBJECT struct object *copy = object_copy((const struct object *)&claim);
    memset(name, 'x', sizeof name - 1);
    assert_string_equal(copy->meta.name, "claim-1");
    assert_string_equal(object_label(copy, "b"), "2");
    const struct node_claim *copied = (const struct node_claim *)copy;
    assert_true(condition_is_true(&copied->status.conditions, CONDITION_READY));
    assert_false(condition_is_true(&copied->status.conditions, CONDITION_LAUNCHED));
    assert_null(condition_find(&copied->status.conditions, CONDITION_LAUNCHED));
}

// A pod as an API server sends it: 50,000 of them must fit in well under 100 MiB.
static void a_running_pod_is_small(void **state)
{
    (void)state;
    static const char text[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-6c7d8f9b5-x2x9z\","
        "\"generateName\":\"web-6c7d8f9b5-\",\"namespace\":\"shop\",\"uid\":"
        "\"9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\",\"resourceVersion\":\"123456789\","
        "\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{\"app\":\"web\","
        "\"pod-template-hash\":\"6c7d8f9b5\"},\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
        "\"kind\":\"ReplicaSet\",\"name\":\"web-6c7d8f9b5\",\"uid\":"
        "\"1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed\",\"controller\":true,"
        "\"blockOwnerDeletion\":true}],\"managedFields\":[{\"manager\":\"kube-controller-manager\"}"
        "]},\"spec\":{\"volumes\":[{\"name\":\"kube-api-access-8kz7p\",\"projected\":{}}],"
        "\"containers\":[{\"name\":\"web\",\"image\":\"registry.example/shop/web:1.2.3\","
        "\"env\":[{\"name\":\"A\",\"value\":\"B\"}],\"resources\":{\"requests\":{\"cpu\":\"250m\","
        "\"memory\":\"256Mi\"},\"limits\":{\"memory\":\"256Mi\"}}}],\"restartPolicy\":\"Always\","
        "\"terminationGracePeriodSeconds\":30,\"nodeName\":"
        "\"ip-10-0-123-45.us-west-2.compute.internal\",\"schedulerName\":\"default-scheduler\","
        "\"serviceAccountName\":\"default\",\"priority\":0,\"tolerations\":[{\"key\":"
        "\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\",\"effect\":\"NoExecute\","
        "\"tolerationSeconds\":300},{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":"
        "\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]},\"status\":{\"phase\":"
        "\"Running\",\"startTime\":\"2026-01-01T00:00:01Z\",\"conditions\":[{\"type\":"
        "\"PodReadyToStartContainers\",\"status\":\"True\",\"lastTransitionTime\":"
        "\"2026-01-01T00:00:03Z\"},{\"type\":\"Initialized\",\"status\":\"True\","
        "\"lastTransitionTime\":\"2026-01-01T00:00:01Z\"},{\"type\":\"Ready\",\"status\":\"True\","
        "\"lastTransitionTime\":\"2026-01-01T00:00:03Z\"},{\"type\":\"ContainersReady\","
        "\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:03Z\"},{\"type\":"
        "\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:00:01Z\"}],"
        "\"containerStatuses\":[{\"name\":\"web\",\"ready\":true,\"restartCount\":0,"
        "\"containerID\":\"containerd://0123456789abcdef\"}]}}";
    CLEANUP_OBJECT struct object *object = object_of(text);
    print_message("a running pod takes %u bytes\n", object->bytes);
    assert_true(object->bytes < 1600);
}

static void strings_are_shared_within_a_bound(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *a = object_of(pod_text);
    CLEANUP_OBJECT struct object *b = object_of(pod_text);
    assert_ptr_equal(a->meta.namespace, b->meta.namespace);
    assert_ptr_equal(a->meta.labels.items[0].key, b->meta.labels.items[0].key);
    for (int i = 0; i < 3 * SHARED_STRINGS_MAX; i += 512) {
        json_t *labels = json_object();
        char key[32];
        for (int k = 0; k < 512; k++) {
            snprintf(key, sizeof key, "label-%d", i + k);
            json_object_set_new(labels, key, json_string("x"));
        }
        json_t *document = json_pack("{s:s, s:s, s:{s:o}}", "apiVersion", "v1", "kind", "Namespace",
                                     "metadata", "labels", labels);
        struct error error = {0};
        CLEANUP_OBJECT struct object *object = document_decode(document, DECODE_LENIENT, &error);
        snprintf(key, sizeof key, "label-%d", i + 511);
        assert_string_equal(object_label(object, key), "x");
        json_decref(document);
    }
    assert_true(shared_strings_count() <= SHARED_STRINGS_MAX);
}

static void *decode_many(void *context)
{
    for (int i = 0; i < 200; i++) {
        struct object *object = object_of(context);
        if (strcmp(object->meta.name, "web-0") != 0)
            abort();
        object_release(object);
    }
    return NULL;
}

static void threads_decode_at_once(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, decode_many, (void *)pod_text), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_found),
        cmocka_unit_test(pod_is_decoded_field_by_field),
        cmocka_unit_test(absent_and_empty_differ),
        cmocka_unit_test(what_must_be_there_is_an_empty_text_if_it_is_not),
        cmocka_unit_test(the_copies_of_manifests_are_dropped),
        cmocka_unit_test(defaults_of_the_tables_are_applied_API_11),
        cmocka_unit_test(a_duration_keeps_its_text_API_20),
        cmocka_unit_test(errors_name_the_field_path_API_316),
        cmocka_unit_test(bad_values_are_refused_with_their_path),
        cmocka_unit_test(what_can_be_read_is_salvaged_API_603),
        cmocka_unit_test(every_time_that_is_there_is_read),
        cmocka_unit_test(strict_names_the_nearest_field_GUI_15),
        cmocka_unit_test(strict_lets_the_unread_parts_of_pods_be),
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(an_object_filled_by_hand_is_copied),
        cmocka_unit_test(a_running_pod_is_small),
        cmocka_unit_test(threads_decode_at_once),
        cmocka_unit_test(strings_are_shared_within_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
