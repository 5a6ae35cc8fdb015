// Recorded launch templates: user data byte for byte, and block device mappings (AWN-211, 220, 236
// to 239, 270 to 316).
#include "base/text.h"
#include "cloud/aws/families/block_devices.h"
#include "cloud/aws/families/helpers.h"

static struct string_map map_of(struct arena *arena, json_t *object)
{
    struct string_map map = {0};
    const char *key;
    json_t *value;
    map.items = arena_allocate_array(arena, json_object_size(object) + 1, sizeof *map.items);
    json_object_foreach (object, key, value)
        map.items[map.count++] = (struct string_pair){key, json_string_value(value)};
    qsort(map.items, map.count, sizeof *map.items, string_pair_compare);
    return map;
}

static taint_list taints_of(struct arena *arena, json_t *list)
{
    taint_list taints = {0};
    size_t i;
    json_t *item;
    taints.items = arena_allocate_array(arena, json_array_size(list) + 1, sizeof *taints.items);
    json_array_foreach (list, i, item)
        taints.items[taints.count++] = (struct taint){
            .key = json_string_value(json_object_get(item, "key")),
            .value = json_string_value(json_object_get(item, "value")),
            .effect = json_string_value(json_object_get(item, "effect")),
        };
    return taints;
}

static const char *member(json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

// Leaves as texts, as they are recorded.
static json_t *as_texts(const json_t *value)
{
    char number[30];
    const char *key;
    size_t i;
    json_t *item, *copy;
    if (json_is_object(value)) {
        copy = json_object();
        json_object_foreach ((json_t *)value, key, item)
            json_object_set_new(copy, key, as_texts(item));
        return copy;
    }
    if (json_is_array(value)) {
        copy = json_array();
        json_array_foreach (value, i, item)
            json_array_append_new(copy, as_texts(item));
        return copy;
    }
    snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_integer(value))
        return json_string(number);
    if (json_is_boolean(value))
        return json_string(json_is_true(value) ? "true" : "false");
    return json_copy((json_t *)value);
}

static void check_devices(const char *name, const struct ec2_node_class *node_class,
                          json_t *expected)
{
    json_t *devices = block_devices_json(node_class);
    struct error error;
    assert_true(block_devices_check(node_class, &error));
    if (devices == NULL) {
        assert_true(json_is_null(expected));
        return;
    }
    json_t *texts = as_texts(devices);
    if (!json_equal(texts, expected))
        fail_msg("%s: %s", name, json_dumps(texts, JSON_SORT_KEYS));
    json_decref(texts);
    json_decref(devices);
}

// Recordings of what upstream spoils and adze mends: a script inside another (AWN-712), and scripts
// of comments that are taken for a NodeConfig (AWN-709).
static bool is_mended(const char *name)
{
    return strstr(name, "power-tagged") != NULL || strstr(name, "too-large") != NULL ||
           strstr(name, "toolarge") != NULL;
}

static void check_template(json_t *scenario, json_t *template,
                           const struct ec2_node_class *node_class)
{
    const char *name = member(scenario, "name");
    json_t *facts = json_object_get(scenario, "cluster");
    struct arena *arena = arena_create(16384);
    struct error error = {0};
    struct cluster_facts cluster = {
        .name = member(facts, "name"),
        .endpoint = member(facts, "endpoint"),
        .ca_bundle = member(facts, "ca"),
        .cidr = member(facts, "cidr"),
        .kube_dns = member(facts, "dns"),
    };
    struct kubelet_config kubelet;
    struct kubelet_values values;
    struct kubelet_variables variables = {.vcpus = 2, .max_pods = 29};
    assert_true(kubelet_config_read(&kubelet, arena, node_class->spec.kubelet, &error));
    assert_true(kubelet_resolve(&kubelet, &variables,
                                json_is_true(json_object_get(scenario, "gate")), arena, &values,
                                &error));
    taint_list taints = taints_of(arena, json_object_get(template, "taints"));
    taint_list startup = taints_of(arena, json_object_get(template, "startupTaints"));
    struct user_data_options options = {
        .node_class = node_class,
        .cluster = &cluster,
        .kubelet = &kubelet,
        .values = &values,
        .max_pods = json_integer_value(json_object_get(template, "maxPods")),
        .labels = map_of(arena, json_object_get(template, "labels")),
        .capacity_type = member(template, "capacityType"),
        .taints = &taints,
        .startup_taints = &startup,
        .compatibility_upstream = is_mended(name),
    };
    const char *rendered = user_data_render(&options, arena, &error);
    if (rendered == NULL)
        fail_msg("%s: %s", name, error.message);
    if (strcmp(rendered, member(template, "userData")) != 0)
        fail_msg("%s:\n%s\n--- expected\n%s", name, rendered, member(template, "userData"));
    check_devices(name, node_class, json_object_get(template, "devices"));
    kubelet_config_free(&kubelet);
    arena_destroy(arena);
}

static void test_recorded(void **state)
{
    (void)state;
    size_t i, j;
    json_error_t problem;
    json_t *scenario, *template;
    json_t *scenarios = json_load_file(TEST_DATA "/launch_templates.json", 0, &problem);
    if (scenarios == NULL)
        fail_msg("%s", problem.text);
    assert_true(json_array_size(scenarios) > 100);
    json_array_foreach (scenarios, i, scenario) {
        struct error error;
        struct object *object =
            document_decode(json_object_get(scenario, "nodeClass"), DECODE_LENIENT, &error);
        if (object == NULL)
            fail_msg("%s", error.message);
        json_array_foreach (json_object_get(scenario, "templates"), j, template)
            check_template(scenario, template, (struct ec2_node_class *)object);
        object_release(object);
    }
    json_decref(scenarios);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
