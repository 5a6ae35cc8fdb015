#include "model/helpers.h"

#include <stdio.h>

#include "model/schema/decode.h"
#include "model/schema/drift_hash.h"
#include "model/schema/ec2_node_class.h"
#include "model/tables/kinds.h"

// --- NodePool ------------------------------------------------------------------------------------
#define REFERENCE                                                                   \
    "nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, " \
    "requirements: []"

static void assert_pool_hash(const char *metadata, const char *spec, const char *expected)
{
    char text[2000], hash[24];
    snprintf(text, sizeof text,
             "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: "
             "{%s spec: {" REFERENCE "%s}}}}",
             metadata, spec);
    CLEANUP_OBJECT struct object *object = object_of(text);
    node_pool_hash((const struct node_pool *)object, hash);
    assert_string_equal(hash, expected);
}

static void node_pool_vectors_API_207(void **state)
{
    (void)state;
    assert_pool_hash("", ", expireAfter: 720h", "6821555240594823858");
    assert_pool_hash("metadata: {},", ", expireAfter: 720h", "6821555240594823858");
    assert_pool_hash("metadata: {labels: {}},", ", expireAfter: 720h", "1287117484082965808");
    assert_pool_hash("", ", expireAfter: 720h, taints: []", "17700736223175069915");
    assert_pool_hash("", ", expireAfter: 720h, terminationGracePeriod: 0s", "10356118934572431967");
    assert_pool_hash("", ", expireAfter: 720h, terminationGracePeriod: 48h",
                     "15015733878877233177");
    assert_pool_hash("",
                     ", expireAfter: 720h, taints: [{key: a, effect: NoSchedule, timeAdded: "
                     "'2024-01-01T00:00:00Z'}]",
                     "12957052618173356935");
    assert_pool_hash("", ", expireAfter: Never", "17369979337536258260");
    assert_pool_hash("", ", expireAfter: 0s", "15640125381500602090");
    assert_pool_hash(
        "metadata: {labels: {team: a, x: ''}, annotations: {note: b}},",
        ", expireAfter: 720h, terminationGracePeriod: 48h, taints: [{key: a, value: v, "
        "effect: NoSchedule}], startupTaints: [{key: b, effect: NoExecute}]",
        "5495717645955319186");
}

static void equal_taints_cancel_out_API_205(void **state)
{
    (void)state;
    assert_pool_hash("",
                     ", expireAfter: 720h, taints: [{key: a, effect: NoSchedule}, {key: a, effect: "
                     "NoSchedule}]",
                     "17700736223175069915");
}

static void the_default_and_other_spellings_count_the_same_API_205(void **state)
{
    (void)state;
    assert_pool_hash("", "", "6821555240594823858");
    assert_pool_hash("", ", expireAfter: 43200m", "6821555240594823858");
    assert_pool_hash("", ", expireAfter: 720h, terminationGracePeriod: 2880m",
                     "15015733878877233177");
}

// --- EC2NodeClass --------------------------------------------------------------------------------
#define MAPPINGS(size)                                                                    \
    "blockDeviceMappings: [{deviceName: map-device-1, ebs: {deleteOnTermination: false, " \
    "encrypted: "                                                                         \
    "false, iops: 0, kmsKeyID: fakeKMSKeyID, snapshotID: fakeSnapshot, throughput: 0, "   \
    "volumeSize: " size ", volumeType: standard}}, {deviceName: map-device-2}]"
#define OPTIONS(endpoint, hops)                                                  \
    "metadataOptions: {httpEndpoint: " endpoint ", httpProtocolIPv6: disabled, " \
    "httpPutResponseHopLimit: " hops ", httpTokens: optional}"
#define TAGS  "tags: {keyTag-1: valueTag-1, keyTag-2: valueTag-2}"
#define REST  "detailedMonitoring: false, associatePublicIPAddress: false"
#define SMALL "userData: userdata-test-1, context: fake-context"

static void assert_class_hash(const char *spec, const char *expected)
{
    char text[3000], hash[24];
    snprintf(text, sizeof text,
             "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: main}, spec: "
             "{%s}}",
             spec);
    CLEANUP_OBJECT struct object *object = object_of(text);
    ec2_node_class_hash((const struct ec2_node_class *)object, "test-ca-bundle", hash);
    assert_string_equal(hash, expected);
}

static void ec2_node_class_vectors_AWN_76(void **state)
{
    (void)state;
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
                      "11148166120438674859");
    assert_class_hash("role: role-1, " TAGS
                      ", userData: userdata-test-2, context: fake-context, " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
                      "11774429238106843388");
    assert_class_hash(
        "role: role-1, tags: {keyTag-1: valueTag-1, keyTag-2: valueTag-2, keyTag-test-3: "
        "valueTag-test-3}, " SMALL ", " REST ", " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
        "9327338697296909506");
    assert_class_hash("role: role-1, " TAGS ", userData: userdata-test-1, context: context-2, " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
                      "2279761750428738028");
    assert_class_hash(
        "role: role-1, " TAGS ", " SMALL ", detailedMonitoring: true, "
        "associatePublicIPAddress: false, " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
        "1936848126751988570");
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", instanceStorePolicy: RAID0, " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
                      "16697988646989909967");
    assert_class_hash(
        "role: role-1, " TAGS ", " SMALL ", detailedMonitoring: false, "
        "associatePublicIPAddress: true, " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
        "16141801171825097963");
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("enabled", "1") ", " MAPPINGS("2G"),
                      "14969742554812447671");
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("disabled", "10") ", " MAPPINGS("2G"),
                      "14046948658064232764");
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS("10G"),
                      "10372902467896351912");
    assert_class_hash("instanceProfile: test-instance-profile, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS("2G"),
                      "10323991363677716244");
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS(
                          "2G") ", connectionTracking: {tcpEstablishedTimeout: 300}",
                      "1619669030802245540");
    assert_class_hash("role: role-1, " TAGS ", " SMALL ", " REST
                      ", " OPTIONS("disabled", "1") ", " MAPPINGS(
                          "2G") ", cpuOptions: {nestedVirtualization: enabled}",
                      "6157846767212910604");
}

static void order_and_selectors_do_not_count_AWN_74(void **state)
{
    (void)state;
    assert_class_hash("role: role-1, tags: {keyTag-2: valueTag-2, keyTag-1: valueTag-1}, " SMALL
                      ", " REST ", " OPTIONS("disabled", "1") ", " MAPPINGS(
                          "2G") ", subnetSelectorTerms: [{id: subnet-1}], ipPrefixCount: 3",
                      "11148166120438674859");
}

static void sizes_count_in_their_normal_form_AWN_75(void **state)
{
    (void)state;
    char one[24], other[24];
    static const char text[] =
        "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: "
        "main}, spec: {blockDeviceMappings: [{ebs: {volumeSize: %s}}]}}";
    static const char *const pairs[][2] = {{"1024Gi", "1Ti"}, {"1000G", "1T"}, {"2048Ki", "2Mi"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (size_t k = 0; k < 2; k++) {
            char document[400];
            snprintf(document, sizeof document, "%.*s%s%s", (int)(strstr(text, "%s") - text), text,
                     pairs[i][k], strstr(text, "%s") + 2);
            CLEANUP_OBJECT struct object *object = object_of(document);
            ec2_node_class_hash((const struct ec2_node_class *)object, NULL, k == 0 ? one : other);
            if (k == 1)
                assert_string_equal(one, other);
        }
}

// --- recordings ----------------------------------------------------------------------------------
static json_t *recordings(const char *name)
{
    char path[1000];
    const char *folder = getenv("ADZE_TESTS");
    assert_non_null(folder);
    snprintf(path, sizeof path, "%s/conformance/%s", folder, name);
    json_error_t why;
    json_t *cases = json_load_file(path, 0, &why);
    if (cases == NULL)
        fail_msg("%s: %s", path, why.text);
    assert_true(json_array_size(cases) > 0);
    return cases;
}

static struct object *object_of_case(const json_t *recorded)
{
    struct error error = {0};
    struct object *object =
        document_decode(json_object_get(recorded, "object"), DECODE_LENIENT, &error);
    if (object == NULL)
        fail_msg("%s", error.message);
    return object;
}

static void recorded_node_pools_API_200(void **state)
{
    (void)state;
    json_t *cases = recordings("hashes-nodepool.json"), *recorded;
    size_t index;
    json_array_foreach (cases, index, recorded) {
        char hash[24];
        CLEANUP_OBJECT struct object *object = object_of_case(recorded);
        node_pool_hash((const struct node_pool *)object, hash);
        assert_string_equal(hash, json_string_value(json_object_get(recorded, "hash")));
    }
    json_decref(cases);
}

// No API server had filled in metadataOptions at the time of these recordings.
static void recorded_ec2_node_classes_AWN_70(void **state)
{
    (void)state;
    json_t *cases = recordings("hashes-nodeclass.json"), *recorded;
    size_t index;
    json_array_foreach (cases, index, recorded) {
        char hash[24];
        CLEANUP_OBJECT struct object *object = object_of_case(recorded);
        struct ec2_node_class *node_class = (struct ec2_node_class *)object;
        const json_t *spec = json_object_get(json_object_get(recorded, "object"), "spec");
        if (json_object_get(spec, "metadataOptions") == NULL)
            node_class->spec.metadata_options = NULL;
        ec2_node_class_hash(node_class, json_string_value(json_object_get(recorded, "caBundle")),
                            hash);
        assert_string_equal(hash, json_string_value(json_object_get(recorded, "hash")));
    }
    json_decref(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_pool_vectors_API_207),
        cmocka_unit_test(equal_taints_cancel_out_API_205),
        cmocka_unit_test(the_default_and_other_spellings_count_the_same_API_205),
        cmocka_unit_test(ec2_node_class_vectors_AWN_76),
        cmocka_unit_test(order_and_selectors_do_not_count_AWN_74),
        cmocka_unit_test(sizes_count_in_their_normal_form_AWN_75),
        cmocka_unit_test(recorded_node_pools_API_200),
        cmocka_unit_test(recorded_ec2_node_classes_AWN_70),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
