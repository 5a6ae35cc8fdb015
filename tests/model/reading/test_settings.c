#include "model/helpers.h"

#include "model/reading/setting_values.h"
#include "model/reading/settings.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

static void defaults_LIF_380(void **state)
{
    (void)state;
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_true(settings_finish(&settings, &error));
    assert_int_equal(settings.metrics_port, 8080);
    assert_int_equal(settings.health_probe_port, 8081);
    assert_int_equal(settings.kube_client_qps, 200);
    assert_int_equal(settings.kube_client_burst, 300);
    assert_int_equal(settings.batch_max_duration, 10 * SECOND);
    assert_int_equal(settings.batch_idle_duration, SECOND);
    assert_int_equal(settings.memory_limit_bytes, -1);
    assert_true(settings.disable_controller_warmup);
    assert_true(settings.ignore_dra_requests);
    assert_false(settings.preference_policy_ignore);
    assert_string_equal(settings.log_level, "info");
    assert_string_equal(settings.leader_election_name, "karpenter-leader-election");
    assert_true(settings.vm_memory_overhead_percent == 0.075);
    assert_true(settings.gate_reserved_capacity);
    assert_false(settings.gate_node_overlay);
    assert_int_equal(settings.packing_policy, PACKING_LOWEST_PRICE);
    assert_int_equal(settings.set_explicitly[0] | settings.set_explicitly[1], 0);
    settings_free(&settings);
}

static void learned_numbers_are_nobodys_choice_FMT_18(void **state)
{
    (void)state;
    struct settings settings;
    struct error error = {0};
    struct text text = {0};
    settings_defaults(&settings);
    settings_describe_learned(&settings, &text);
    assert_null(text.data);
    assert_true(settings_learn(&settings, "EXPECTED_CPU_USE", "0.35", &error));
    assert_true(settings.expected_cpu_use == 0.35 && settings_given(&settings, "EXPECTED_CPU_USE"));
    settings_describe_learned(&settings, &text);
    assert_string_equal(text.data, "EXPECTED_CPU_USE 0.35, learned from metrics");
    text_clear(&text);
    // What is set later is set, and upstream knows nothing of it.
    struct settings other = settings;
    assert_true(settings_set(&other, "EXPECTED_CPU_USE", "0.35", &error));
    assert_true(settings_set(&other, "COMPATIBILITY", "upstream", &error));
    assert_true(settings_finish(&other, &error));
    settings_describe_learned(&other, &text);
    assert_true(text.length == 0 && other.expected_cpu_use == 0.35);
    assert_true(settings_set(&settings, "COMPATIBILITY", "upstream", &error));
    assert_true(settings_finish(&settings, &error));
    settings_describe_learned(&settings, &text);
    assert_true(text.length == 0 && settings.expected_cpu_use == 0);
    // Nothing else is learned, and nothing impossible.
    assert_false(settings_learn(&settings, "NODE_COST", "1", &error));
    assert_false(settings_learn(&settings, "EXPECTED_CPU_USE", "1.5", &error));
    assert_false(settings_learn(&settings, "EXPECTED_USE", "1", &error));
    settings_free(&settings);
    text_free(&text);
}

static void numbers_are_written_as_they_were_FMT_9(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0.05", "0.1", "0.35", "1e-05", "0.3333333333333333",
                                          "0"};
    uint32_t count, row = 0;
    const struct setting *table = settings_table(&count);
    while (strcmp(table[row].environment, "EXPECTED_CPU_USE") != 0)
        row++;
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
        struct settings settings;
        struct error error = {0};
        struct text text = {0};
        settings_defaults(&settings);
        assert_true(settings_set(&settings, table[row].environment, numbers[i], &error));
        setting_format(&settings, &table[row], &text);
        assert_string_equal(text.data, numbers[i]);
        text_free(&text);
        settings_free(&settings);
    }
}

static void every_row_is_unique_and_reads_its_own_text(void **state)
{
    (void)state;
    uint32_t count;
    const struct setting *table = settings_table(&count);
    struct settings settings;
    settings_defaults(&settings);
    for (uint32_t i = 0; i < count; i++) {
        struct error error = {0};
        struct text text = {0};
        setting_format(&settings, &table[i], &text);
        assert_true(settings_set(&settings, table[i].environment,
                                 text.data == NULL ? "" : text.data, &error));
        assert_true(settings_is_explicit(&settings, i));
        text_free(&text);
        for (uint32_t k = 0; k < i; k++) {
            assert_string_not_equal(table[i].environment, table[k].environment);
            assert_string_not_equal(table[i].flag, table[k].flag);
        }
    }
    settings_free(&settings);
}

static void assert_bad(const char *name, const char *value, const char *message)
{
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_false(settings_set(&settings, name, value, &error));
    assert_string_equal(error.message, message);
    settings_free(&settings);
}

static void errors_say_what_is_allowed_LIF_470(void **state)
{
    (void)state;
    assert_bad("PREFERENCE_POLICY", "ignore",
               "PREFERENCE_POLICY: \"ignore\" is none of Respect, Ignore");
    assert_bad("LOG_LEVEL", "verbose",
               "LOG_LEVEL: \"verbose\" is none of \"\", debug, info, error");
    assert_bad("METRICS_PORT", "80a", "METRICS_PORT: \"80a\" is not a whole number");
    assert_bad("METRICS_PORT", "70000", "METRICS_PORT: 70000 is not between 0 and 65535");
    assert_bad("ENABLE_PROFILING", "yes", "ENABLE_PROFILING: \"yes\" is neither true nor false");
    assert_bad("VM_MEMORY_OVERHEAD_PERCENT", "-1",
               "VM_MEMORY_OVERHEAD_PERCENT: -1 is not between 0 and 1e+06");
    assert_bad("AMI_REFRESH_INTERVAL", "30s",
               "AMI_REFRESH_INTERVAL: 30s is not between 1m0s and 24000h0m0s");
    assert_bad("CLUSTER_ENDPOINT", "example",
               "CLUSTER_ENDPOINT: \"example\" is not an absolute URL such as https://HOST");
    assert_bad("METRIC_PORT", "1", "no setting is called METRIC_PORT; did you mean METRICS_PORT?");
    assert_bad("FEATURE_GATES", "NodeOverlay",
               "FEATURE_GATES: \"NodeOverlay\" is not of the form NAME=true|false");
    assert_bad("FEATURE_GATES", "NodeOverlay=maybe",
               "FEATURE_GATES: NodeOverlay: \"maybe\" is neither true nor false");
}

static void gates_LIF_381(void **state)
{
    (void)state;
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_true(settings_set(&settings, "FEATURE_GATES",
                             "ReservedCapacity=false, NodeOverlay=True,Unheard=true", &error));
    assert_false(settings.gate_reserved_capacity);
    assert_true(settings.gate_node_overlay);
    assert_false(settings.gate_node_repair);
    // An omitted gate has its default; a bad value changes nothing.
    assert_true(settings_set(&settings, "FEATURE_GATES", "NodeRepair=true", &error));
    assert_true(settings.gate_reserved_capacity);
    assert_false(settings.gate_node_overlay);
    assert_false(settings_set(&settings, "FEATURE_GATES", "NodeRepair=false,X", &error));
    assert_true(settings.gate_node_repair);
    settings_free(&settings);
}

static void compatibility_sets_what_was_not_given_FMT_18(void **state)
{
    (void)state;
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_true(settings_set(&settings, "COMPATIBILITY", "upstream", &error));
    assert_true(settings_finish(&settings, &error));
    assert_int_equal(settings.packing_policy, PACKING_GREEDY);
    assert_true(settings.node_cost == 0);
    settings_free(&settings);
    settings_defaults(&settings);
    assert_true(settings.node_cost == 0.02);
    assert_false(settings_given(&settings, "NODE_COST"));
    assert_true(settings_set(&settings, "NODE_COST", "0.02", &error));
    assert_true(settings_given(&settings, "NODE_COST"));
    assert_true(settings_set(&settings, "PACKING_POLICY", "LowestPrice", &error));
    assert_true(settings_set(&settings, "COMPATIBILITY", "upstream", &error));
    assert_true(settings_finish(&settings, &error));
    assert_int_equal(settings.packing_policy, PACKING_LOWEST_PRICE);
    assert_true(settings.node_cost == 0.02);
    settings_free(&settings);
}

static void cross_field_checks(void **state)
{
    (void)state;
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_true(settings_set(&settings, "CPU_REQUESTS", "0", &error));
    assert_true(settings_set(&settings, "METRICS_PORT", "9", &error));
    assert_true(settings_set(&settings, "HEALTH_PROBE_PORT", "9", &error));
    assert_false(settings_finish(&settings, &error));
    assert_int_equal(settings.cpu_requests_millicores, 1000);
    settings_free(&settings);
}

static void assert_scheduler_config(const char *text, const char *message)
{
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    assert_true(settings_set(&settings, "SCHEDULER_CONFIG", text, &error));
    bool good = settings_finish(&settings, &error);
    if (message == NULL && !good)
        fail_msg("%s", error.message);
    if (message != NULL) {
        assert_false(good);
        if (strstr(error.message, message) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", error.message, message);
    }
    settings_free(&settings);
}

#define ZONE_CONSTRAINT(more)                                                      \
    "{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: a/zone, " \
    "whenUnsatisfiable: DoNotSchedule" more "}]}}"
#define PATH "validating scheduler config, podTopologySpread.defaultConstraints"

static void scheduler_config_is_checked_LIF_382(void **state)
{
    (void)state;
    assert_scheduler_config("", NULL);
    assert_scheduler_config("{}", NULL);
    assert_scheduler_config("podTopologySpread:\n  defaultConstraints: []\n", NULL);
    assert_scheduler_config(ZONE_CONSTRAINT(", minDomains: 2, nodeTaintsPolicy: Honor"), NULL);
    assert_scheduler_config(ZONE_CONSTRAINT("}, {maxSkew: 2, topologyKey: a/zone, "
                                            "whenUnsatisfiable: ScheduleAnyway"),
                            NULL);
    assert_scheduler_config(
        "{podTopologySpread: {defaultConstraints: [{maxSkew: 0, topologyKey: z, "
        "whenUnsatisfiable: DoNotSchedule}]}}",
        PATH "[0].maxSkew must be greater than 0");
    assert_scheduler_config("{podTopologySpread: {defaultConstraints: [{topologyKey: z}]}}",
                            PATH "[0].maxSkew must be greater than 0");
    assert_scheduler_config(
        "{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: '-z'}]}}",
        PATH "[0].topologyKey is not a qualified name");
    assert_scheduler_config(
        "{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: z}]}}",
        PATH "[0].whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
    assert_scheduler_config(
        "{podTopologySpread: {defaultConstraints: [{maxSkew: 1, topologyKey: z, "
        "whenUnsatisfiable: Perhaps}]}}",
        PATH "[0].whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway");
    assert_scheduler_config(ZONE_CONSTRAINT(", labelSelector: {}"),
                            PATH "[0].labelSelector must not be set");
    assert_scheduler_config(ZONE_CONSTRAINT(", matchLabelKeys: [a]"),
                            PATH "[0].matchLabelKeys must not be set");
    assert_scheduler_config(ZONE_CONSTRAINT(", maxskew: 1"), PATH "[0].maxskew is unknown");
    assert_scheduler_config(ZONE_CONSTRAINT(", minDomains: many"),
                            PATH "[0].minDomains must be an integer");
    assert_scheduler_config(ZONE_CONSTRAINT("}, {maxSkew: 2, topologyKey: a/zone, "
                                            "whenUnsatisfiable: DoNotSchedule"),
                            PATH "[1] repeats an earlier constraint's");
    assert_scheduler_config("{profiles: []}", "validating scheduler config, profiles is unknown");
    assert_scheduler_config("{podTopologySpread: {defaultingType: List}}",
                            "podTopologySpread.defaultingType is unknown");
    assert_scheduler_config("[]", "must be an object");
    assert_scheduler_config("{podTopologySpread: [", "parsing scheduler config");
}

static void strings_are_owned_and_copied(void **state)
{
    (void)state;
    struct settings settings, copy;
    struct error error = {0};
    char name[] = "first";
    settings_defaults(&settings);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_true(settings_set(&settings, "CLUSTER_NAME", name, &error));
    }
    settings_copy(&copy, &settings);
    settings_free(&settings);
    assert_string_equal(copy.cluster_name, "n99");
    assert_true(settings_set(&copy, "CLUSTER_NAME", "", &error));
    assert_int_equal(copy.strings_count, 0);
    settings_free(&copy);
}

static void the_environment_is_read_LIF_380(void **state)
{
    (void)state;
    struct settings settings;
    struct error error = {0};
    settings_defaults(&settings);
    setenv("BATCH_IDLE_DURATION", "1.5s", 1);
    setenv("KUBE_CLIENT_QPS", "", 1);
    assert_true(settings_from_environment(&settings, &error));
    assert_int_equal(settings.batch_idle_duration, 1500 * MILLISECOND);
    assert_int_equal(settings.kube_client_qps, 200);
    setenv("KUBE_CLIENT_QPS", "many", 1);
    assert_false(settings_from_environment(&settings, &error));
    assert_non_null(strstr(error.message, "KUBE_CLIENT_QPS: \"many\" is not a whole number"));
    unsetenv("KUBE_CLIENT_QPS");
    unsetenv("BATCH_IDLE_DURATION");
    settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_LIF_380),
        cmocka_unit_test(learned_numbers_are_nobodys_choice_FMT_18),
        cmocka_unit_test(numbers_are_written_as_they_were_FMT_9),
        cmocka_unit_test(every_row_is_unique_and_reads_its_own_text),
        cmocka_unit_test(errors_say_what_is_allowed_LIF_470),
        cmocka_unit_test(gates_LIF_381),
        cmocka_unit_test(compatibility_sets_what_was_not_given_FMT_18),
        cmocka_unit_test(cross_field_checks),
        cmocka_unit_test(scheduler_config_is_checked_LIF_382),
        cmocka_unit_test(strings_are_owned_and_copied),
        cmocka_unit_test(the_environment_is_read_LIF_380),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
