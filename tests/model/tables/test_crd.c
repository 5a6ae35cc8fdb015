#include "model/helpers.h"

#include <stdio.h>

#include "model/manifest/yaml_write.h"
#include "model/tables/crd.h"
#include "model/tables/kinds.h"

static const json_t *at(const json_t *value, const char *path)
{
    char copy[300];
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part = strtok(copy, "."); part != NULL && value != NULL; part = strtok(NULL, "."))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part))
                                     : json_object_get(value, part);
    return value;
}

static const char *text_at(const json_t *value, const char *path)
{
    const char *text = json_string_value(at(value, path));
    if (text == NULL)
        fail_msg("no text at %s", path);
    return text;
}

// Length of a JSON list, or number at a path.
static json_int_t number_at(const json_t *value, const char *path)
{
    const json_t *found = at(value, path);
    return json_is_array(found) ? (json_int_t)json_array_size(found) : json_integer_value(found);
}

#define SCHEMA "spec.versions.0.schema.openAPIV3Schema."
#define SPEC   SCHEMA "properties.spec."

static json_t *definition_of(enum kind_id id, bool core)
{
    struct crd_options options = {.core = core};
    return crd_encode(kind_get(id), &options);
}

static void names_and_scopes_API_30_75_85_105(void **state)
{
    (void)state;
    json_t *pool = definition_of(KIND_NODE_POOL, false);
    assert_string_equal(text_at(pool, "metadata.name"), "nodepools.karpenter.sh");
    assert_string_equal(text_at(pool, "spec.names.listKind"), "NodePoolList");
    assert_string_equal(text_at(pool, "spec.names.categories.0"), "karpenter");
    assert_null(at(pool, "spec.names.shortNames"));
    assert_string_equal(text_at(pool, "spec.scope"), "Cluster");
    assert_string_equal(text_at(pool, "spec.versions.0.subresources.scale.specReplicasPath"),
                        ".spec.replicas");
    assert_string_equal(text_at(pool, "spec.versions.0.subresources.scale.statusReplicasPath"),
                        ".status.nodes");
    assert_int_equal(json_array_size(at(pool, "spec.versions")), 1);
    json_decref(pool);
    json_t *buffer = definition_of(KIND_CAPACITY_BUFFER, false);
    assert_string_equal(text_at(buffer, "spec.names.shortNames.0"), "cb");
    assert_string_equal(text_at(buffer, "spec.names.categories.0"), "autoscaling");
    assert_string_equal(text_at(buffer, "spec.scope"), "Namespaced");
    assert_non_null(at(buffer, "spec.versions.0.subresources.status"));
    // LIF-240, LIF-466: the version in the documentation, too, of the same shape.
    assert_int_equal(json_array_size(at(buffer, "spec.versions")), 2);
    assert_string_equal(text_at(buffer, "spec.versions.0.name"), "v1beta1");
    assert_true(json_is_true(at(buffer, "spec.versions.0.storage")));
    assert_string_equal(text_at(buffer, "spec.versions.1.name"), "v1alpha1");
    assert_true(json_is_true(at(buffer, "spec.versions.1.served")));
    assert_false(json_is_true(at(buffer, "spec.versions.1.storage")));
    assert_true(
        json_equal(at(buffer, "spec.versions.0.schema"), at(buffer, "spec.versions.1.schema")));
    assert_ptr_equal(kind_find("autoscaling.x-k8s.io/v1alpha1", "CapacityBuffer"),
                     kind_get(KIND_CAPACITY_BUFFER));
    assert_null(kind_find("autoscaling.x-k8s.io/v1alpha2", "CapacityBuffer"));
    assert_null(kind_find("karpenter.sh/v1alpha1", "NodePool"));
    json_decref(buffer);
    json_t *node_class = definition_of(KIND_EC2_NODE_CLASS, false);
    assert_string_equal(text_at(node_class, "spec.names.shortNames.1"), "ec2ncs");
    assert_null(at(node_class, SCHEMA "required"));
    json_decref(node_class);
    json_t *kwok = definition_of(KIND_KWOK_NODE_CLASS, false);
    assert_null(at(kwok, "spec.versions.0.additionalPrinterColumns"));
    assert_string_equal(text_at(kwok, SCHEMA "properties.status.default.conditions.0.type"),
                        "Ready");
    json_decref(kwok);
}

static void printer_columns_API_31_56_65_76_LIF_21_240(void **state)
{
    (void)state;
    static const struct {
        enum kind_id id;
        const char *names;
    } cases[] = {
        {KIND_NODE_POOL, "NodeClass Nodes Ready Age Weight:1 CPU:1 Memory:1"},
        {KIND_NODE_CLAIM, "Type Capacity Zone Node Ready Age ImageID:1 ID:1 NodePool:1 NodeClass:1 "
                          "Drifted:1"},
        {KIND_NODE_OVERLAY, "Ready Age Weight:1"},
        {KIND_CAPACITY_BUFFER, "Strategy PodTemplate Replicas ConditionsType ConditionsStatus "
                               "ConditionsReason Age"},
        {KIND_EC2_NODE_CLASS, "Ready Age Role:1"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        json_t *definition = definition_of(cases[i].id, false), *column;
        struct text names = {0};
        size_t index;
        json_array_foreach (at(definition, "spec.versions.0.additionalPrinterColumns"), index,
                            column) {
            text_join(&names, " ", text_at(column, "name"));
            if (number_at(column, "priority") != 0)
                text_format(&names, ":%d", (int)number_at(column, "priority"));
        }
        assert_string_equal(names.data, cases[i].names);
        text_free(&names);
        json_decref(definition);
    }
}

static void schema_says_what_the_table_says_API_32(void **state)
{
    (void)state;
    json_t *pool = definition_of(KIND_NODE_POOL, false);
    assert_string_equal(text_at(pool, SCHEMA "required.0"), "spec");
    assert_string_equal(text_at(pool, SPEC "required.0"), "template");
    assert_int_equal(number_at(pool, SPEC "properties.weight.maximum"), 100);
    assert_string_equal(text_at(pool, SPEC "properties.weight.format"), "int32");
    assert_string_equal(text_at(pool, SPEC "properties.replicas.format"), "int64");
    assert_true(json_is_true(
        at(pool, SPEC "properties.limits.additionalProperties.x-kubernetes-int-or-string")));
    assert_int_equal(number_at(pool, SPEC "properties.limits.additionalProperties.anyOf"), 2);
    assert_string_equal(text_at(pool, SPEC
                                "properties.disruption.properties.budgets.items.properties.reasons."
                                "x-kubernetes-list-type"),
                        "set");
    assert_string_equal(
        text_at(pool, SPEC "properties.disruption.properties.budgets.default.0.nodes"), "10%");
    assert_string_equal(text_at(pool,
                                SPEC "properties.template.properties.metadata.properties.labels."
                                     "x-kubernetes-map-type"),
                        "atomic");
    assert_int_equal(number_at(pool,
                               SPEC "properties.template.properties.metadata.properties.labels."
                                    "additionalProperties.maxLength"),
                     63);
    assert_string_equal(text_at(pool, SCHEMA "properties.status.properties.conditions."
                                             "x-kubernetes-list-map-keys.0"),
                        "type");
    assert_int_equal(number_at(pool, SPEC "x-kubernetes-validations"), 3);
    json_decref(pool);
}

static void kubelet_is_left_open_API_86(void **state)
{
    (void)state;
    json_t *node_class = definition_of(KIND_EC2_NODE_CLASS, false);
    const json_t *kubelet = at(node_class, SPEC "properties.kubelet");
    assert_true(json_is_true(json_object_get(kubelet, "x-kubernetes-preserve-unknown-fields")));
    assert_true(
        json_is_true(at(kubelet, "additionalProperties.x-kubernetes-preserve-unknown-fields")));
    json_decref(node_class);
}

#define KEY_RULES                                                             \
    SPEC "properties.template.properties.spec.properties.requirements.items." \
         "properties.key.x-kubernetes-validations"

static void rules_are_written_out_API_45(void **state)
{
    (void)state;
    json_t *pool = definition_of(KIND_NODE_POOL, false),
           *core = definition_of(KIND_NODE_POOL, true);
    assert_int_equal(number_at(pool, KEY_RULES), 4);
    assert_int_equal(number_at(core, KEY_RULES), 3);
    assert_string_equal(text_at(pool, KEY_RULES ".0.rule"),
                        "self in ['karpenter.sh/capacity-type', 'karpenter.sh/nodepool'] || "
                        "!self.find('^[^/]*').endsWith('karpenter.sh')");
    char *text = json_dumps(pool, 0);
    assert_null(strstr(text, "@LIST@"));
    assert_non_null(strstr(text, "karpenter.k8s.aws/placement-group-partition"));
    free(text);
    json_decref(pool);
    json_decref(core);
}

static void yaml_reads_back_the_same(void **state)
{
    (void)state;
    static const enum kind_id kinds[] = {KIND_NODE_POOL,      KIND_NODE_CLAIM,
                                         KIND_NODE_OVERLAY,   KIND_CAPACITY_BUFFER,
                                         KIND_EC2_NODE_CLASS, KIND_KWOK_NODE_CLASS};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        json_t *definition = definition_of(kinds[i], false);
        struct text text = {0};
        struct documents documents = {0};
        struct error error = {0};
        yaml_write(definition, &text);
        if (!documents_read_text(&documents, text.data, text.length, "test", false, &error))
            fail_msg("%s", error.message);
        assert_true(json_equal(documents.items[0].value, definition));
        documents_free(&documents);
        text_free(&text);
        json_decref(definition);
    }
}

static void yaml_quotes_what_would_read_otherwise(void **state)
{
    (void)state;
    json_t *value = json_pack("{s:s,s:s,s:s,s:s,s:s,s:i,s:b,s:n,s:s,s:[],s:{},s:s}", "a", "yes",
                              "b", "10", "c", "", "d", "x: y", "e", "two\nlines\n", "f", 3, "g", 1,
                              "h", "i", "plain", "j", "k", "l", "1e3");
    struct text text = {0};
    yaml_write(value, &text);
    assert_string_equal(text.data,
                        "a: 'yes'\nb: '10'\nc: ''\nd: 'x: y'\ne: |\n  two\n  lines\nf: 3\n"
                        "g: true\nh: null\ni: plain\nj: []\nk: {}\nl: '1e3'\n");
    text_free(&text);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_scopes_API_30_75_85_105),
        cmocka_unit_test(printer_columns_API_31_56_65_76_LIF_21_240),
        cmocka_unit_test(schema_says_what_the_table_says_API_32),
        cmocka_unit_test(kubelet_is_left_open_API_86),
        cmocka_unit_test(rules_are_written_out_API_45),
        cmocka_unit_test(yaml_reads_back_the_same),
        cmocka_unit_test(yaml_quotes_what_would_read_otherwise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
