// The kubelet object as the controller reads it, and its values for a type: AWN-230, 233 to 236,
// 723; AWI-10.
#include "cloud/aws/families/helpers.h"
#include "cloud/aws/families/kubelet_config.h"

static const struct kubelet_variables large = {
    .vcpus = 2,
    .memory_mib = 8192,
    .default_enis = 3,
    .ips_per_eni = 10,
    .max_pods = 29,
    .instance_type = "m5.large",
};

struct fixture {
    struct arena *arena;
    struct kubelet_config config;
    struct kubelet_values values;
    struct error error;
};

static void read_config(struct fixture *fixture, const char *text)
{
    *fixture = (struct fixture){.arena = arena_create(4096)};
    if (!kubelet_config_read(&fixture->config, fixture->arena, text, &fixture->error))
        fail_msg("%s", fixture->error.message);
}

static void end(struct fixture *fixture)
{
    kubelet_config_free(&fixture->config);
    arena_destroy(fixture->arena);
}

static void test_twelve_fields(void **state) // AWN-230
{
    struct fixture fixture;
    (void)state;
    read_config(&fixture,
                "{\"clusterDNS\": [\"10.0.0.10\"], \"maxPods\": 40, \"podsPerCore\": 8,"
                "\"systemReserved\": {\"memory\": \"1Gi\", \"cpu\": \"1\"},"
                "\"kubeReserved\": {\"cpu\": \"90m\"}, \"evictionHard\": {\"memory.available\": "
                "\"5%\"}, \"evictionSoft\": {\"memory.available\": \"8%\"},"
                "\"evictionSoftGracePeriod\": {\"memory.available\": \"1m\"},"
                "\"evictionMaxPodGracePeriod\": 30, \"imageGCHighThresholdPercent\": 80,"
                "\"imageGCLowThresholdPercent\": 60, \"cpuCFSQuota\": false, \"other\": 1}");
    const struct kubelet_config *config = &fixture.config;
    assert_string_equal(config->cluster_dns.items[0], "10.0.0.10");
    assert_int_equal(config->max_pods.value, 40);
    assert_int_equal(config->pods_per_core.value, 8);
    assert_string_equal(config->system_reserved.items[0].key, "cpu"); // sorted
    assert_string_equal(string_map_get(&config->kube_reserved, "cpu"), "90m");
    assert_string_equal(string_map_get(&config->eviction_hard, "memory.available"), "5%");
    assert_string_equal(string_map_get(&config->eviction_soft, "memory.available"), "8%");
    assert_string_equal(string_map_get(&config->eviction_soft_grace_period, "memory.available"),
                        "1m");
    assert_int_equal(config->eviction_max_pod_grace_period.value, 30);
    assert_int_equal(config->image_gc_high_threshold_percent.value, 80);
    assert_int_equal(config->image_gc_low_threshold_percent.value, 60);
    assert_true(config->cpu_cfs_quota.present && !config->cpu_cfs_quota.value);
    assert_false(kubelet_has_expressions(config));
    assert_int_equal(json_integer_value(json_object_get(config->json, "other")), 1);
    end(&fixture);
}

static void test_absent(void **state)
{
    static const char *const texts[] = {NULL, "", "null", "{}"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        struct fixture fixture;
        read_config(&fixture, texts[i]);
        assert_false(fixture.config.max_pods.present);
        assert_null(fixture.config.kube_reserved.items);
        assert_true(kubelet_resolve(&fixture.config, &large, true, fixture.arena, &fixture.values,
                                    &fixture.error));
        assert_false(fixture.values.max_pods.present);
        assert_null(fixture.values.kube_reserved.items);
        end(&fixture);
    }
}

static void test_unreadable(void **state) // AWI-10
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{", "parsing spec.kubelet, "},
        {"[]", "parsing spec.kubelet, it is no object"},
        {"{\"maxPods\": 1.5}", "parsing spec.kubelet, maxPods must be a 32-bit integer"},
        {"{\"maxPods\": 3000000000}", "maxPods must be a 32-bit integer"},
        {"{\"podsPerCore\": \"4\"}", "podsPerCore must be a 32-bit integer"},
        {"{\"cpuCFSQuota\": \"true\"}", "cpuCFSQuota must be true or false"},
        {"{\"kubeReserved\": {\"cpu\": 1}}", "kubeReserved must be a map of strings"},
        {"{\"evictionHard\": []}", "evictionHard must be a map of strings"},
        {"{\"clusterDNS\": \"10.0.0.10\"}", "clusterDNS must be a list of strings"},
        {"{\"clusterDNS\": [1]}", "clusterDNS must be a list of strings"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct arena *arena = arena_create(1024);
        struct kubelet_config config;
        struct error error = {0};
        assert_false(kubelet_config_read(&config, arena, cases[i].text, &error));
        assert_null(config.json);
        if (strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].text, error.message);
        arena_destroy(arena);
    }
}

static void test_formats(void **state) // AWN-234
{
    struct fixture fixture;
    (void)state;
    read_config(&fixture,
                "{\"maxPods\": \"vcpus * 10\", \"kubeReserved\": {\"cpu\": \"vcpus * 31\","
                "\"memory\": \"11 * max_pods + 255\", \"ephemeral-storage\": \"1 + 1\","
                "\"pid\": \"max_pods * 10\"}, \"systemReserved\": {\"cpu\": \"100m\","
                "\"memory\": \"double(memory_mib) * 0.01\"}}");
    assert_true(kubelet_has_expressions(&fixture.config));
    assert_true(kubelet_check_expressions(&fixture.config, &fixture.error));
    assert_true(kubelet_resolve(&fixture.config, &large, true, fixture.arena, &fixture.values,
                                &fixture.error));
    const struct kubelet_values *values = &fixture.values;
    assert_int_equal(values->max_pods.value, 20);
    assert_string_equal(string_map_get(&values->kube_reserved, "cpu"), "70m");
    // 11 × 20 + 255 = 475, with the resolved maxPods, and the next multiple of 16.
    assert_string_equal(string_map_get(&values->kube_reserved, "memory"), "480Mi");
    assert_string_equal(string_map_get(&values->kube_reserved, "ephemeral-storage"), "2Gi");
    assert_string_equal(string_map_get(&values->kube_reserved, "pid"), "200");
    assert_string_equal(string_map_get(&values->system_reserved, "cpu"), "100m");
    assert_string_equal(string_map_get(&values->system_reserved, "memory"), "96Mi");
    end(&fixture);
}

static void test_gate(void **state) // AWN-235, 723
{
    struct fixture fixture;
    (void)state;
    read_config(&fixture, "{\"maxPods\": \"vcpus\", \"kubeReserved\": {\"cpu\": \"vcpus\"},"
                          "\"systemReserved\": {\"cpu\": \"vcpus\", \"memory\": \"1Gi\"}}");
    assert_true(kubelet_resolve(&fixture.config, &large, false, fixture.arena, &fixture.values,
                                &fixture.error));
    assert_false(fixture.values.max_pods.present);
    assert_null(fixture.values.kube_reserved.items);
    assert_int_equal(fixture.values.system_reserved.count, 1);
    assert_string_equal(string_map_get(&fixture.values.system_reserved, "memory"), "1Gi");
    end(&fixture);
}

static void test_failures(void **state) // AWN-234, 236
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"maxPods\": \"vcpus - 1000\"}",
         "maxPods expression evaluated to a value outside the valid range [0, 2147483647] "
         "(expression=vcpus - 1000, instance-type=m5.large, result=-998)"},
        {"{\"maxPods\": \"2147483647 + vcpus\"}", "outside the valid range"},
        {"{\"maxPods\": \"1 / 0\"}",
         "evaluating expression, division by zero (expression=1 / 0, instance-type=m5.large)"},
        {"{\"kubeReserved\": {\"cpu\": \"0 - vcpus\"}}",
         "kubeReserved[cpu] expression evaluated to a negative value (expression=0 - vcpus, "
         "instance-type=m5.large, result=-2)"},
        {"{\"kubeReserved\": {\"memory\": \"9223372036854775807\"}}", NULL},
        {"{\"kubeReserved\": {\"memory\": \"9223372036854775800 + vcpus\"}}", "too large"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct fixture fixture;
        read_config(&fixture, cases[i].text);
        bool resolved = kubelet_resolve(&fixture.config, &large, true, fixture.arena,
                                        &fixture.values, &fixture.error);
        assert_true(resolved == (cases[i].message == NULL));
        if (!resolved && strstr(fixture.error.message, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].text, fixture.error.message);
        assert_false(fixture.values.max_pods.present);
        if (!resolved)
            assert_null(fixture.values.kube_reserved.items);
        end(&fixture);
    }
}

static void test_check(void **state) // AWN-233
{
    struct fixture fixture;
    (void)state;
    read_config(&fixture, "{\"kubeReserved\": {\"cpu\": \"string(vcpus * 10) + 'm'\"}}");
    assert_false(kubelet_check_expressions(&fixture.config, &fixture.error));
    assert_string_equal(fixture.error.message,
                        "validating expression, expression must return int or double "
                        "(expression=string(vcpus * 10) + 'm', output-type=string) "
                        "(field=spec.kubelet.kubeReserved[cpu])");
    end(&fixture);
    read_config(&fixture, "{\"maxPods\": \"vcpus *\"}");
    assert_false(kubelet_check_expressions(&fixture.config, &fixture.error));
    assert_string_equal(
        fixture.error.message,
        "validating expression, compiling expression, ERROR: <input>:1:8: Syntax error: mismatched "
        "input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', "
        "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | vcpus *\n | .......^ "
        "(expression=vcpus *) (field=spec.kubelet.maxPods)");
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twelve_fields), cmocka_unit_test(test_absent),
        cmocka_unit_test(test_unreadable),    cmocka_unit_test(test_formats),
        cmocka_unit_test(test_gate),          cmocka_unit_test(test_failures),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
