#include "model/helpers.h"

#include "model/devices/device_selector.h"

// A device as its ResourceSlice has it, in YAML.
static const char *const gpu =
    "{name: gpu-0, allowMultipleAllocations: true, attributes: {type: {string: gpu}, "
    "productName: {string: 'NVIDIA H100 80GB HBM3'}, architecture: {string: Hopper}, "
    "index: {int: 3}, mig: {bool: false}, cudaComputeCapability: {version: 9.0.0}, "
    "resource.kubernetes.io/pcieRoot: {string: 'pci0000:55'}}, "
    "capacity: {memory: {value: 81559Mi}, other.example.com/share: {value: 500m}}}";

static const struct resource_slice *slice_of(const char *device)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: "
             "{driver: gpu.nvidia.com, nodeName: node, pool: {name: node, generation: 1, "
             "resourceSliceCount: 1}, devices: [%s]}}",
             device);
    return (const struct resource_slice *)object_of(text);
}

// "yes", "no", "failed", or what is wrong with the expression.
static const char *matched(const char *expression)
{
    static char message[1600];
    static const char *const names[] = {"no", "yes", "failed"};
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct resource_slice *slice = slice_of(gpu);
    struct device_facts facts;
    struct error error = {0};
    assert_true(device_facts_read(arena, slice->spec.driver, &slice->spec.devices.items[0], &facts,
                                  &error));
    const struct device_selector_program *program =
        device_selector_compile(arena, expression, &error);
    const char *answer = message;
    if (program == NULL)
        snprintf(message, sizeof message, "%s", error.message);
    else
        answer = names[device_selector_match(program, &facts, NULL)];
    object_release((const struct object *)slice);
    return answer;
}

#define OWN "device.attributes['gpu.nvidia.com']"

// SCH-427: selectors as they are written for drivers.
static void expressions_of_drivers(void **state)
{
    (void)state;
    static const struct {
        const char *expression, *answer;
    } cases[] = {
        {"device.driver == 'gpu.nvidia.com'", "yes"},
        {"device.driver == \"gpu.nvidia.com\" && " OWN ".type == 'gpu'", "yes"},
        {"device.driver == 'other' && device.attributes['other'].missing", "no"},
        {"device.attributes['other'].missing || device.driver == 'gpu.nvidia.com'", "yes"},
        {"device.attributes['other'].missing", "failed"},
        {OWN ".productName.lowerAscii().matches('^.*h100.*$')", "yes"},
        {OWN ".productName.startsWith('NVIDIA H') && " OWN ".productName.contains(\"80GB\")",
         "yes"},
        {OWN ".productName.matches('A100')", "no"},
        {OWN "['architecture'] in ['Ampere', 'Hopper']", "yes"},
        {"'architecture' in " OWN " && !('brand' in " OWN ")", "yes"},
        {"'other.example.com' in device.capacity", "yes"},
        {"has(" OWN ".brand)", "no"},
        {"has(" OWN ".type) ? " OWN ".index >= 3 : false", "yes"},
        {OWN ".?brand.orValue('none') == 'none'", "yes"},
        {OWN "[?'type'].hasValue()", "yes"},
        {"cel.bind(gpu, " OWN ", gpu.index == 3 && !gpu.mig)", "yes"},
        {"['Volta', 'Hopper'].exists(a, a == " OWN ".architecture)", "yes"},
        {"['a', 'b'].all(a, a != " OWN ".type) && [1, 2].exists_one(n, n == 2)", "yes"},
        {"device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0", "yes"},
        {"device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('80Gi'))", "no"},
        {"device.capacity['gpu.nvidia.com'].memory == quantity('81559Mi')", "yes"},
        {"device.capacity['other.example.com'].share.isInteger()", "no"},
        {OWN ".cudaComputeCapability.isGreaterThan(semver('8.9.9'))", "yes"},
        {OWN ".cudaComputeCapability.compareTo(semver('9.0.0-rc.1')) == 1", "yes"},
        {OWN ".cudaComputeCapability.major() == 9", "yes"},
        {"device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0000:55'", "yes"},
        {"device.allowMultipleAllocations", "yes"},
        {"1 + 2 * 3 - -1 == 8 && 7 % 4 == 3 && (1 + 2) * 2 == 6", "yes"},
        {OWN ".index / 0 == 1", "failed"},
        {OWN ".index == '3'", "no"},
        {OWN ".index < '3'", "failed"},
        {"size(" OWN ".type) == 3 && " OWN ".type.size() == 3", "yes"},
        {"r'a\\d' == 'a\\\\d' && '''it's''' == 'it\\'s' // a comment", "yes"},
        {OWN ".index", "failed"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const char *answer = matched(cases[i].expression);
        if (strcmp(answer, cases[i].answer) != 0)
            fail_msg("%s: %s", cases[i].expression, answer);
    }
}

// SCH-427: what is not understood is named.
static void unknown_parts_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *expression, *answer;
    } cases[] = {
        {"", "expression expected at offset 0"},
        {"device.driver ==", "expression expected at offset 16"},
        {"device.driver == 'a", "string that does not end, or an unknown escape, at offset 19"},
        {"node.name == 'a'", "node is not known"},
        {"device.uuid == 'a'", "device has no field uuid"},
        {"device.driver.replace('a', 'b') == ''",
         "function replace, which is not supported, at offset 31"},
        {"device.driver == 'a' extra", "unexpected text at offset 21"},
        {"1.5 < 2", "floating-point number, which is not supported, at offset 1"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_string_equal(matched(cases[i].expression), cases[i].answer);
}

// Expressions come from anybody: depth, parts and steps are bounded.
static void costly_expressions_end(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 3000; i++)
        text_add(&text, "(");
    assert_non_null(strstr(matched(text.data), "nested too deeply"));
    text_clear(&text);
    for (int i = 0; i < 2500; i++)
        text_add(&text, "1+1+");
    assert_non_null(strstr(matched(text.data), "too many parts"));
    text_clear(&text);
    for (int i = 0; i < 6; i++)
        text_format(&text, "[1,2,3,4,5,6,7,8,9].all(x%d, ", i);
    text_add(&text, "true))))))");
    assert_string_equal(matched(text.data), "failed");
    text_free(&text);
}

// A slice's attributes in a form that is not known make it unreadable, not empty.
static void unknown_attributes_are_errors(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct resource_slice *slice = slice_of("{name: d, attributes: {a: {list: [x]}}}");
    struct device_facts facts;
    struct error error = {0};
    assert_false(device_facts_read(arena, "d", &slice->spec.devices.items[0], &facts, &error));
    assert_string_equal(error.message,
                        "device d, attribute a is neither string, version, int nor bool");
    object_release((const struct object *)slice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_of_drivers),
        cmocka_unit_test(unknown_parts_are_named),
        cmocka_unit_test(costly_expressions_end),
        cmocka_unit_test(unknown_attributes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
