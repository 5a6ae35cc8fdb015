// Figures that EC2 does not tell, built in and from a file: AWI-911.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cloud/aws/types/instance_infos.h"

static bool add(struct type_figures *figures, const char *text, struct error *error)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    bool added = type_figures_add(figures, value, error);
    json_decref(value);
    return added;
}

static struct instance_info info_of(const struct type_figures *figures, const char *name,
                                    bool known)
{
    struct instance_info info = {.name = name};
    assert_int_equal(type_figures_fill(figures, &info), known);
    return info;
}

// A newer type gets its figures, a known one those that the file corrects.
static void a_file_adds_and_corrects_AWI_911(void **state)
{
    (void)state;
    struct type_figures *figures = type_figures_create();
    struct error error = {0};
    assert_int_equal(info_of(figures, "m5.large", true).branch_interfaces, 9);
    assert_int_equal(info_of(figures, "trn2u.48xlarge", true).network_mbps, 3200000);
    info_of(figures, "m9x.large", false);
    assert_true(add(figures,
                    "{\"types\": [{\"name\": \"m9x.large\", \"networkMbps\": 937, "
                    "\"branchInterfaces\": 9, \"ipv4PerEni\": 10}, {\"name\": \"m5.large\", "
                    "\"networkMbps\": 800, \"ipv4PerEni\": null}]}",
                    &error));
    struct instance_info info = info_of(figures, "m9x.large", true);
    assert_int_equal(info.network_mbps, 937);
    assert_int_equal(info.branch_interfaces, 9);
    assert_int_equal(info.windows_addresses, 10);
    info = info_of(figures, "m5.large", true);
    assert_int_equal(info.network_mbps, 800);
    assert_int_equal(info.branch_interfaces, 9);
    assert_int_equal(info.windows_addresses, 10);
    type_figures_destroy(figures);
}

// The table of a newer release as it is; rows without trunking have no branch interfaces.
static void the_table_itself_is_such_a_file_AWI_911(void **state)
{
    (void)state;
    struct type_figures *figures = type_figures_create();
    struct error error = {0};
    assert_true(type_figures_load(figures, BUILT_IN_TYPES, &error));
    assert_int_equal(info_of(figures, "m5.large", true).branch_interfaces, 9);
    assert_int_equal(info_of(figures, "t3.large", true).branch_interfaces, 0);
    assert_int_equal(info_of(figures, "trn2u.48xlarge", true).network_mbps, 3200000);
    type_figures_destroy(figures);
}

static void hostile_files_are_refused_AWI_911(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"[]", "types must be a list"},
        {"{\"types\": {}}", "types must be a list"},
        {"{\"types\": [1]}", "types[0] has no name"},
        {"{\"types\": [{\"networkMbps\": 1}]}", "types[0] has no name"},
        {"{\"types\": [{\"name\": \"a b\", \"networkMbps\": 1}]}", "types[0] has no name"},
        {"{\"types\": [{\"name\": \"m9.large\"}]}", "m9.large has none of networkMbps"},
        {"{\"types\": [{\"name\": \"m9.large\", \"networkMbs\": 5}]}", "m9.large has none of"},
        {"{\"types\": [{\"name\": \"m9.large\", \"networkMbps\": -1}]}", "networkMbps of m9.large"},
        {"{\"types\": [{\"name\": \"m9.large\", \"ipv4PerEni\": 1e3}]}", "ipv4PerEni of m9.large"},
        {"{\"types\": [{\"name\": \"m9.large\", \"branchInterfaces\": 9223372036854775807}]}",
         "branchInterfaces of m9.large"},
        {"{\"types\": [{\"name\": \"m5.large\", \"networkMbps\": 1}, {\"name\": \"m9.large\", "
         "\"networkMbps\": \"2\"}]}",
         "networkMbps of m9.large"},
    };
    (void)state;
    struct type_figures *figures = type_figures_create();
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct error error = {0};
        assert_false(add(figures, wrong[i].text, &error));
        assert_int_equal(error.kind, ERROR_INVALID);
        if (strstr(error.message, wrong[i].message) == NULL)
            fail_msg("%s: %s", wrong[i].text, error.message);
    }
    assert_int_equal(info_of(figures, "m5.large", true).network_mbps, 750); // all or nothing
    struct error error = {0};
    assert_false(type_figures_load(figures, "/nonexistent/figures.json", &error));
    assert_true(text_starts_with(error.message, "/nonexistent/figures.json, line"));
    type_figures_destroy(figures);
}

static void keep_line(void *context, const char *line)
{
    text_format(context, "%s\n", line);
}

static void finish_list_of(struct type_figures *figures, const char *const *names, uint32_t count)
{
    struct instance_infos *infos = instance_infos_create();
    json_t *types = json_array(), *page = json_pack("{s:o}", "InstanceTypes", types);
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(types, json_pack("{s:s, s:{s:i}}", "InstanceType", names[i],
                                               "VCpuInfo", "DefaultVCpus", 2));
    assert_int_equal(instance_infos_add_page(infos, page), 0);
    instance_infos_finish(infos, figures);
    assert_int_equal(infos->count, count);
    json_decref(page);
    instance_infos_destroy(infos);
}

// In the first list that has it, not in the next ones.
static void an_unknown_type_is_logged_once_AWI_911(void **state)
{
    static const char *const names[] = {"m5.large", "m9x.large", "m9x.xlarge"};
    (void)state;
    struct text logged = {0};
    struct log_options log = {.level = LOG_INFO, .sink = keep_line, .sink_context = &logged};
    assert_true(log_configure(&log, NULL));
    struct type_figures *figures = type_figures_create();
    text_add(&logged, "");
    finish_list_of(figures, names, 1);
    assert_string_equal(logged.data, "");
    finish_list_of(figures, names, 2);
    assert_non_null(strstr(logged.data, "\"instance-types\":\"m9x.large\""));
    text_clear(&logged);
    text_add(&logged, "");
    finish_list_of(figures, names, 2);
    assert_string_equal(logged.data, "");
    finish_list_of(figures, names, 3);
    assert_non_null(strstr(logged.data, "\"instance-types\":\"m9x.xlarge\""));
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    type_figures_destroy(figures);
    text_free(&logged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_adds_and_corrects_AWI_911),
        cmocka_unit_test(the_table_itself_is_such_a_file_AWI_911),
        cmocka_unit_test(hostile_files_are_refused_AWI_911),
        cmocka_unit_test(an_unknown_type_is_logged_once_AWI_911),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
