#include "model/helpers.h"

#include "model/schema/encode.h"
#include "model/schema/karpenter.h"
#include "model/tables/kinds.h"

static void assert_encoded(const char *text, const char *expected)
{
    CLEANUP_OBJECT struct object *object = object_of(text);
    json_t *json = object_encode(object);
    char *dumped = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(json);
    assert_string_equal(dumped, expected);
    // Reading it back changes nothing.
    CLEANUP_OBJECT struct object *again = object_of(dumped);
    json = object_encode(again);
    char *dumped_again = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(json);
    assert_string_equal(dumped_again, expected);
    free(dumped);
    free(dumped_again);
}

static void absent_stays_absent_and_empty_empty(void **state)
{
    (void)state;
    assert_encoded("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {}}}",
                   "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s\"},"
                   "\"spec\":{\"selector\":{}}}");
    assert_encoded("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {}}",
                   "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"s\"}}");
    assert_encoded("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: "
                   "{selector: {}, maxUnavailable: 0}, status: {disruptionsAllowed: 0}}",
                   "{\"apiVersion\":\"policy/v1\",\"kind\":\"PodDisruptionBudget\",\"metadata\":{"
                   "\"name\":\"b\"},\"spec\":{\"maxUnavailable\":0,\"selector\":{}},\"status\":{"
                   "\"disruptionsAllowed\":0,\"currentHealthy\":0,\"desiredHealthy\":0,"
                   "\"expectedPods\":0}}");
}

static void quantities_are_canonical(void **state)
{
    (void)state;
    assert_encoded(
        "{apiVersion: v1, kind: Node, metadata: {name: node}, status: {capacity: {memory: "
        "2048Mi, cpu: '1.5', pods: 110}}}",
        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"node\"},"
        "\"status\":{\"capacity\":{\"cpu\":\"1500m\",\"memory\":\"2Gi\",\"pods\":"
        "\"110\"}}}");
}

static void times_have_the_precision_of_the_api(void **state)
{
    (void)state;
    assert_encoded("{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, "
                   "creationTimestamp: 2026-01-01T01:00:00+01:00}, spec: {renewTime: "
                   "2026-01-01T00:00:00.25Z, leaseDurationSeconds: 15}}",
                   "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{"
                   "\"name\":\"l\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{"
                   "\"leaseDurationSeconds\":15,\"renewTime\":\"2026-01-01T00:00:00.250000Z\"}}");
}

static void prices_and_false_with_a_default_are_written(void **state)
{
    (void)state;
    assert_encoded(
        "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: c}, spec: "
        "{instanceTypes: [{name: t, capacity: {cpu: 2}, offerings: [{price: 0.096, available: "
        "false, requirements: [{key: z, operator: In, values: [a], minValues: 1}]}]}]}}",
        "{\"apiVersion\":\"adze/v1\",\"kind\":\"InstanceTypeCatalog\",\"metadata\":{\"name\":\"c\"}"
        ",\"spec\":{\"instanceTypes\":[{\"name\":\"t\",\"capacity\":{\"cpu\":\"2\"},\"offerings\":"
        "[{\"requirements\":[{\"key\":\"z\",\"operator\":\"In\",\"values\":[\"a\"],\"minValues\":1}"
        "],\"price\":0.096,\"available\":false}]}]}}");
}

static void an_object_filled_by_hand_is_encoded(void **state)
{
    (void)state;
    struct event event = {.kind = kind_get(KIND_EVENT), .reason = "Evicted", .count = 2};
    event.meta.name = "e";
    event.involved_object.name = "web";
    json_t *json = object_encode((const struct object *)&event);
    char *dumped = json_dumps(json, JSON_COMPACT);
    assert_string_equal(dumped, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
                                "\"e\"},\"involvedObject\":{\"name\":\"web\"},\"reason\":"
                                "\"Evicted\",\"count\":2}");
    json_decref(json);
    free(dumped);
}

// Excerpts of recorded inputs: every field that adze reads is written unchanged.
static const char *const excerpts[] = {
    "{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{\"name\":\"p\","
    "\"labels\":{\"testing/cluster\":\"unspecified\"}},\"spec\":{\"disruption\":{\"budgets\":[{"
    "\"nodes\":\"100%\",\"reasons\":[\"Drifted\"]}],\"consolidateAfter\":\"0s\","
    "\"consolidationPolicy\":\"WhenEmpty\"},\"limits\":{\"cpu\":\"2k\"},\"template\":{\"metadata\":"
    "{\"labels\":{\"a\":\"b\"},\"annotations\":{}},\"spec\":{\"expireAfter\":\"Never\","
    "\"nodeClassRef\":{\"group\":\"karpenter.test.sh\",\"kind\":\"TestNodeClass\",\"name\":"
    "\"default\"},\"requirements\":[{\"key\":\"node.kubernetes.io/instance-type\",\"operator\":"
    "\"Exists\",\"minValues\":2}],\"taints\":[{\"key\":\"t\",\"value\":\"v\",\"effect\":"
    "\"NoSchedule\"}]}},\"weight\":10},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":"
    "\"True\",\"lastTransitionTime\":\"2026-11-21T03:42:02Z\",\"reason\":\"Ready\",\"message\":\"\""
    ",\"observedGeneration\":1}],\"nodes\":0}}",
    "{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"generateName\":"
    "\"p-\",\"name\":\"p-1\",\"finalizers\":[\"karpenter.sh/termination\"],\"ownerReferences\":[{"
    "\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"name\":\"p\",\"uid\":\"u\","
    "\"blockOwnerDeletion\":true}]},\"spec\":{\"expireAfter\":\"Never\",\"nodeClassRef\":{\"group\""
    ":\"g\",\"kind\":\"K\",\"name\":\"n\"},\"requirements\":[],\"resources\":{\"requests\":{\"cpu\""
    ":\"100m\"}},\"startupTaints\":[{\"key\":\"s\",\"effect\":\"NoExecute\"}],"
    "\"terminationGracePeriod\":\"5m\"},\"status\":{\"allocatable\":{\"cpu\":\"3900m\"},"
    "\"capacity\":{\"cpu\":\"4\"},\"nodeName\":\"n\",\"providerID\":\"fake:///1\"}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{"
    "\"topology.kubernetes.io/zone\":\"z\"}},\"spec\":{\"providerID\":\"fake:///1\",\"taints\":[{"
    "\"key\":\"karpenter.sh/disrupted\",\"effect\":\"NoSchedule\"}]},\"status\":{\"allocatable\":{"
    "\"pods\":\"5\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":"
    "\"KubeletReady\"}]}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"PersistentVolume\",\"metadata\":{\"name\":\"v\"},\"spec\":{"
    "\"accessModes\":[\"ReadWriteOnce\"],\"csi\":{\"driver\":\"ebs.csi.aws.com\",\"volumeHandle\":"
    "\"h\"},\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":"
    "\"topology.kubernetes.io/zone\",\"operator\":\"In\",\"values\":[\"z\"]}]}]}}}}",
    "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"StorageClass\",\"metadata\":{\"name\":\"s\"},"
    "\"provisioner\":\"ebs.csi.aws.com\",\"volumeBindingMode\":\"WaitForFirstConsumer\","
    "\"allowedTopologies\":[{\"matchLabelExpressions\":[{\"key\":\"topology.kubernetes.io/zone\","
    "\"values\":[\"z\"]}]}]}",
    "{\"apiVersion\":\"storage.k8s.io/v1\",\"kind\":\"CSINode\",\"metadata\":{\"name\":\"n\"},"
    "\"spec\":{\"drivers\":[{\"name\":\"ebs.csi.aws.com\",\"nodeID\":\"n\",\"allocatable\":{"
    "\"count\":10}}]}}",
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"metadata\":{\"name\":\"d\",\"namespace\":"
    "\"default\"},\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"d\"}},\"template\":{"
    "\"metadata\":{\"labels\":{\"app\":\"d\"}},\"spec\":{\"containers\":[{\"name\":\"c\","
    "\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"ports\":[{\"containerPort\":80,\"hostPort\":80,"
    "\"protocol\":\"TCP\"}]}],\"schedulerName\":\"default-scheduler\",\"restartPolicy\":\"Always\","
    "\"terminationGracePeriodSeconds\":30}}}}",
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"default\""
    "},\"spec\":{\"schedulerName\":\"default-scheduler\",\"restartPolicy\":\"Always\","
    "\"terminationGracePeriodSeconds\":30,\"affinity\":{\"podAffinity\":{"
    "\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":50,\"podAffinityTerm\":{"
    "\"labelSelector\":{\"matchLabels\":{\"a\":\"b\"}},\"topologyKey\":\"zone\"}}]}},"
    "\"topologySpreadConstraints\":[{\"maxSkew\":1,\"topologyKey\":\"zone\",\"whenUnsatisfiable\":"
    "\"DoNotSchedule\",\"labelSelector\":{\"matchExpressions\":[{\"key\":\"a\",\"operator\":"
    "\"Exists\"}]},\"minDomains\":3,\"nodeTaintsPolicy\":\"Honor\",\"matchLabelKeys\":[\"x\"]}],"
    "\"containers\":[{\"name\":\"c\"}],\"volumes\":[{\"name\":\"e\",\"ephemeral\":{"
    "\"volumeClaimTemplate\":{\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{"
    "\"requests\":{\"storage\":\"1Gi\"}},\"storageClassName\":\"s\"}}}}],\"resourceClaims\":[{"
    "\"name\":\"gpu\",\"resourceClaimName\":\"g\"}]},\"status\":{\"phase\":\"Pending\","
    "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":\"Unschedulable\"}]"
    "}}",
};

static void recorded_excerpts_come_out_as_they_went_in(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(excerpts); i++) {
        json_t *before = json_loads(excerpts[i], 0, NULL);
        assert_non_null(before);
        CLEANUP_OBJECT struct object *object = object_of(excerpts[i]);
        json_t *after = object_encode(object);
        if (!json_equal(before, after)) {
            char *text = json_dumps(after, JSON_COMPACT);
            fail_msg("excerpt %zu became %s", i, text);
        }
        json_decref(before);
        json_decref(after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_stays_absent_and_empty_empty),
        cmocka_unit_test(quantities_are_canonical),
        cmocka_unit_test(times_have_the_precision_of_the_api),
        cmocka_unit_test(prices_and_false_with_a_default_are_written),
        cmocka_unit_test(an_object_filled_by_hand_is_encoded),
        cmocka_unit_test(recorded_excerpts_come_out_as_they_went_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
