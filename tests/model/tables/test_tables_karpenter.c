#include "model/helpers.h"

#include "base/pattern.h"
#include "model/schema/decode.h"
#include "model/schema/encode.h"
#include "model/schema/tables.h"
#include "model/tables/kinds.h"
#include "model/tables/well_known.h"
#include "model/validate/validate.h"

static const enum kind_id kinds[] = {KIND_NODE_POOL,      KIND_NODE_CLAIM,
                                     KIND_NODE_OVERLAY,   KIND_CAPACITY_BUFFER,
                                     KIND_EC2_NODE_CLASS, KIND_KWOK_NODE_CLASS};

static void check_rules(const struct rule *rules, uint32_t count)
{
    for (const struct rule *rule = rules; rule < rules + count; rule++) {
        assert_non_null(rule->id);
        assert_true(strlen(rule->message) > 0 && strlen(rule->expression) > 0);
        int functions = (rule->violated != NULL) + (rule->item_violated != NULL) +
                        (rule->text_violated != NULL);
        assert_int_equal(functions, 1);
        assert_int_equal(rule->transition, strstr(rule->expression, "oldSelf") != NULL);
        if (strstr(rule->expression, "@LIST@") != NULL)
            assert_non_null(rule->arguments);
    }
}

static void check_type(const struct type *type)
{
    check_rules(type->rules, type->rules_count);
    for (uint32_t i = 0; i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        assert_ptr_equal(type_field(type, field->name), field);
        if (!(field->flags & FIELD_SCHEMA_ONLY))
            assert_true(field->offset < type->size);
        check_rules(field->rules, field->rules_count);
        check_rules(field->item_rules, field->item_rules_count);
        if (field->pattern != NULL) // compiles, or the program ends
            pattern_matches(field->pattern, "x");
        if (field->default_json != NULL) {
            json_t *value = json_loads(field->default_json, JSON_DECODE_ANY, NULL);
            assert_non_null(value);
            json_decref(value);
        }
        if (field->flags & FIELD_LIST_MAP)
            assert_non_null(type_field(field->type, field->list_key));
        if (field->type == &type_object_meta)
            continue;
        assert_non_null(field->documentation);
        if (field->type != NULL)
            check_type(field->type);
    }
}

static void rows_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        const struct kind *kind = kind_get(kinds[i]);
        assert_true(kind->custom);
        assert_true(kind->custom_facts->status_subresource);
        const struct field *spec = type_field(kind->type, "spec");
        assert_int_equal(kind->custom_facts->spec_required, (spec->flags & FIELD_REQUIRED) != 0);
        check_type(kind->type);
    }
}

static bool is_sorted(const char *const *list)
{
    for (; list[0] != NULL && list[1] != NULL; list++)
        if (strcmp(list[0], list[1]) >= 0)
            return false;
    return true;
}

static size_t length_of(const char *const *list)
{
    size_t length = 0;
    while (list[length] != NULL)
        length++;
    return length;
}

static void known_keys_API_47_68_170(void **state)
{
    (void)state;
    assert_int_equal(length_of(aws_admitted_keys), 29);
    assert_int_equal(length_of(aws_admitted_overlay_keys), 23);
    assert_int_equal(length_of(well_known_core), 8);
    assert_true(is_sorted(well_known_core) && is_sorted(provider_labels_aws.well_known) &&
                is_sorted(provider_labels_kwok.well_known));
    assert_true(is_sorted(aws_admitted_keys) && is_sorted(aws_admitted_overlay_keys));
    // All of the provider's known labels can be used in requirements.
    for (const char *const *key = provider_labels_aws.well_known; *key != NULL; key++)
        assert_true(text_list_has(aws_admitted_keys, *key) ||
                    strcmp(*key, "topology.k8s.aws/zone-id") == 0);
}

static void restricted_keys_API_150(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        bool restricted;
    } cases[] = {
        {"karpenter.sh/foo", true},
        {"sub.karpenter.sh/foo", true},
        {"notkarpenter.sh/foo", false},
        {"karpenter.sh", false},
        {"karpenter.sh/nodepool", false},
        {"kubernetes.io/hostname", true},
        {"kubernetes.io/custom", false},
        {"karpenter.k8s.aws/ec2nodeclass", true},
        {"karpenter.k8s.aws/instance-family", false},
        {"team", false},
    };
    const struct provider_labels *aws = &provider_labels_aws, *kwok = &provider_labels_kwok;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_int_equal(label_is_restricted(cases[i].key, aws->well_known, aws->restricted),
                         cases[i].restricted);
    assert_false(label_is_restricted("karpenter.k8s.aws/ec2nodeclass", NULL, NULL));
    assert_true(label_is_restricted("karpenter.kwok.sh/foo", kwok->well_known, kwok->restricted));
}

static void restricted_text_API_150(void **state)
{
    (void)state;
    struct text text = {0};
    label_restricted_text(&text, "karpenter.sh/foo", provider_labels_kwok.well_known,
                          provider_labels_kwok.restricted);
    assert_string_equal(
        text.data,
        "using label karpenter.sh/foo is not allowed as it might interfere with the internal "
        "provisioning logic; specify a well known label: [karpenter.kwok.sh/instance-cpu "
        "karpenter.kwok.sh/instance-family karpenter.kwok.sh/instance-memory "
        "karpenter.kwok.sh/instance-size karpenter.sh/capacity-type karpenter.sh/nodepool "
        "kubernetes.io/arch kubernetes.io/os node.kubernetes.io/instance-type "
        "node.kubernetes.io/windows-build topology.kubernetes.io/region "
        "topology.kubernetes.io/zone], or a custom label that does not use a restricted domain: "
        "[karpenter.kwok.sh karpenter.sh]");
    text_free(&text);
}

// NodePools are checked with the labels of their node class's group; an unknown one may be of AWS,
// unless the CRDs are those of the core.
static void labels_of_a_node_class_API_47_108(void **state)
{
    (void)state;
    assert_ptr_equal(provider_labels_of("karpenter.kwok.sh", false), &provider_labels_kwok);
    assert_ptr_equal(provider_labels_of("karpenter.kwok.sh", true), &provider_labels_kwok);
    assert_ptr_equal(provider_labels_of("karpenter.k8s.aws", false), &provider_labels_aws);
    assert_null(provider_labels_of("karpenter.k8s.aws", true));
    assert_ptr_equal(provider_labels_of("karpenter.azure.com", false), &provider_labels_aws);
    assert_ptr_equal(provider_labels_of(NULL, false), &provider_labels_aws);
    assert_null(provider_labels_of(NULL, true));
}

static void aliases_and_old_names_API_172_MIG_60(void **state)
{
    (void)state;
    assert_string_equal(label_alias_target("beta.kubernetes.io/arch"), "kubernetes.io/arch");
    assert_string_equal(label_alias_target("team"), "team");
    assert_string_equal(label_successor("karpenter.sh/provisioner-name"), "karpenter.sh/nodepool");
    assert_string_equal(label_successor("karpenter.k8s.aws/instance-pods"), "");
    assert_null(label_successor("team"));
    assert_true(text_list_has(label_known_values("karpenter.sh/capacity-type", NULL), "reserved"));
    assert_null(label_known_values("karpenter.k8s.aws/instance-tenancy", NULL));
    assert_non_null(label_known_values("karpenter.k8s.aws/instance-tenancy", &provider_labels_aws));
    // AWI-83.
    static const char *const resources[] = {"vpc.amazonaws.com/pod-eni", "aws.amazon.com/neuron",
                                            "aws.amazon.com/neuroncore", "habana.ai/gaudi",
                                            "vpc.amazonaws.com/efa"};
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        assert_true(text_list_has(provider_labels_aws.resources, resources[i]));
}

// A decode and an encode give the stored form of an API server.
static void an_object_comes_through_the_structs_unchanged(void **state)
{
    (void)state;
    static const char text[] =
        "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: main}, spec: {"
        "amiFamily: AL2023, amiSelectorTerms: [{id: ami-1}, {name: x, owner: self}, {ssmParameter: "
        "/x}, {tags: {a: b}}], associatePublicIPAddress: false, blockDeviceMappings: [{deviceName: "
        "/dev/xvda, rootVolume: true, ebs: {deleteOnTermination: true, encrypted: false, iops: "
        "3000, "
        "kmsKeyID: k, snapshotID: s, throughput: 125, volumeInitializationRate: 100, volumeSize: "
        "20Gi, volumeType: gp3}}], capacityReservationSelectorTerms: [{id: cr-1}, {ownerID: "
        "'012345678901', instanceMatchCriteria: open}], connectionTracking: {udpTimeout: 30}, "
        "context: c, cpuOptions: {nestedVirtualization: enabled}, detailedMonitoring: true, "
        "instanceStorePolicy: RAID0, ipPrefixCount: 1, kubelet: {maxPods: 20, x: {y: [1, null]}}, "
        "metadataOptions: {httpEndpoint: enabled, httpProtocolIPv6: disabled, "
        "httpPutResponseHopLimit: 2, httpTokens: required}, networkInterfaces: [{networkCardIndex: "
        "0, deviceIndex: 0, interfaceType: interface}], placementGroupSelector: {name: g}, role: "
        "r, "
        "securityGroupSelectorTerms: [{id: sg-1}, {name: main}], subnetSelectorTerms: [{id: "
        "subnet-1}],"
        "tags: {a: ''}, userData: u}, status: {amis: [{id: ami-1, name: a, requirements: [{key: k, "
        "operator: Exists}]}], subnets: [{id: subnet-1, zone: a, zoneID: b}]}}";
    struct documents documents = {0};
    struct error error = {0};
    assert_true(documents_read_text(&documents, text, strlen(text), "test", false, &error));
    CLEANUP_OBJECT struct object *object =
        document_decode(documents.items[0].value, DECODE_STRICT, &error);
    if (object == NULL)
        fail_msg("%s", error.message);
    json_t *encoded = object_encode(object);
    assert_true(json_equal(json_object_get(encoded, "spec"),
                           json_object_get(documents.items[0].value, "spec")));
    assert_true(json_equal(json_object_get(encoded, "status"),
                           json_object_get(documents.items[0].value, "status")));
    json_decref(encoded);
    documents_free(&documents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(known_keys_API_47_68_170),
        cmocka_unit_test(restricted_keys_API_150),
        cmocka_unit_test(restricted_text_API_150),
        cmocka_unit_test(labels_of_a_node_class_API_47_108),
        cmocka_unit_test(aliases_and_old_names_API_172_MIG_60),
        cmocka_unit_test(an_object_comes_through_the_structs_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
