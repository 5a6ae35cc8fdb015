// Tables: kubectl's durations, JSONPath of printer columns, the columns of kinds; and the protobuf
// reader.
#include "sim/store_helpers.h"

#include "base/random.h"
#include "base/text.h"
#include "sim/apiserver/api_server.h"
#include "sim/printing/cells.h"
#include "sim/printing/protobuf.h"
#include "sim/printing/table.h"

static void durations_in_kubectls_short_form(void **state)
{
    (void)state;
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {-5, "<invalid>"},
        {-1, "0s"},
        {0, "0s"},
        {119, "119s"},
        {120, "2m"},
        {130, "2m10s"},
        {599, "9m59s"},
        {600, "10m"},
        {3 * 3600 - 1, "179m"},
        {3 * 3600, "3h"},
        {3 * 3600 + 60, "3h1m"},
        {8 * 3600, "8h"},
        {47 * 3600, "47h"},
        {48 * 3600, "2d"},
        {50 * 3600, "2d2h"},
        {8 * 86400, "8d"},
        {729 * 86400, "729d"},
        {730 * 86400, "2y"},
        {(730 + 40) * 86400, "2y40d"},
        {8 * 365 * 86400, "8y"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char text[32];
        duration_human(cases[i].seconds * SECOND, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void json_paths_of_printer_columns(void **state)
{
    (void)state;
    json_t *object = json_of(
        "{'metadata':{'labels':{'karpenter.sh/nodepool':'p','a.b':'dot'}},'list':[{'x':1},{'x':2}],"
        "'status':{'conditions':[{'type':'A','status':'False'},{'type':'Ready','status':'True'}]}"
        "}");
    static const struct {
        const char *path, *value;
    } cases[] = {
        {".metadata.labels.karpenter\\.sh/nodepool", "'p'"},
        {".metadata.labels['a.b']", "'dot'"},
        {".status.conditions[?(@.type==\"Ready\")].status", "'True'"},
        {".status.conditions[?(@.type=='A')].status", "'False'"},
        {".list[1].x", "2"},
        {".list[*].x", "1"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_json(json_path_first(object, cases[i].path), cases[i].value);
    static const char *const none[] = {
        ".absent", ".list[9]", ".status.conditions[?(@.type==\"B\")].status",
        ".list[",  ".list[?(", ".metadata.labels.x.y"};
    for (size_t i = 0; i < ARRAY_LENGTH(none); i++)
        assert_null(json_path_first(object, none[i]));
    json_decref(object);
}

// The row of one object as text, cells joined by '|'.
static char *row_of_text(const struct store_resource *resource, const char *text)
{
    json_t *object = json_of(text);
    json_t *table = table_of_object(resource, object, "None", START_NS + 300 * SECOND, true);
    json_t *cells = store_path(json_array_get(json_object_get(table, "rows"), 0), "cells");
    struct text row = {0};
    size_t i;
    json_t *cell;
    json_array_foreach (cells, i, cell) {
        char *value = json_dumps(cell, JSON_ENCODE_ANY);
        text_format(&row, "%s%s", i > 0 ? "|" : "", value);
        free(value);
    }
    assert_int_equal(json_array_size(cells),
                     json_array_size(json_object_get(table, "columnDefinitions")));
    json_decref(object);
    json_decref(table);
    return text_take(&row);
}

static void check_row(struct world_of_test *t, const char *group, const char *plural,
                      const char *object, const char *expected)
{
    const struct store_resource *resource = store_resource_find(t->store, group, "v1", plural);
    char *row = row_of_text(resource, object);
    char *quoted = memory_copy_string(expected);
    for (char *c = quoted; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    assert_string_equal(row, quoted);
    free(row);
    free(quoted);
}

#define BORN "'metadata':{'name':'x','creationTimestamp':'2026-01-01T00:00:00Z'}"

static void rows_of_built_in_kinds(void **state)
{
    struct world_of_test *t = *state;
    check_row(t, "", "pods",
              "{" BORN ",'spec':{'nodeName':'n','containers':[{},{}]},'status':{'phase':'Running',"
              "'podIP':'10.0.0.1','containerStatuses':[{'ready':true,'restartCount':2},{'ready':"
              "false}]}}",
              "'x'|'1/2'|'Running'|'2'|'5m'|'10.0.0.1'|'n'|'<none>'|'<none>'");
    check_row(t, "", "pods",
              "{" BORN
              ",'spec':{'containers':[{}]},'status':{'phase':'Pending','conditions':[{'type':"
              "'PodScheduled','status':'False','reason':'SchedulingGated'}]}}",
              "'x'|'0/1'|'SchedulingGated'|'0'|'5m'|'<none>'|'<none>'|'<none>'|'<none>'");
    check_row(t, "", "nodes",
              "{" BORN
              ",'spec':{'unschedulable':true},'status':{'nodeInfo':{'kubeletVersion':'v1'},"
              "'conditions':[{'type':'Ready','status':'False'}]}}",
              "'x'|'NotReady,SchedulingDisabled'|'<none>'|'5m'|'v1'|'<none>'|'<none>'|'<unknown>'|"
              "'<unknown>'|'<unknown>'");
    check_row(
        t, "apps", "deployments",
        "{" BORN ",'spec':{'replicas':3,'selector':{'matchLabels':{'a':'b'}},'template':{'spec':"
        "{'containers':[{'name':'c','image':'i'}]}}},'status':{'readyReplicas':2,'updatedReplicas':"
        "3,'availableReplicas':2}}",
        "'x'|'2/3'|3|2|'5m'|'c'|'i'|'a=b'");
    check_row(t, "policy", "poddisruptionbudgets",
              "{" BORN ",'spec':{'minAvailable':'50%'},'status':{'disruptionsAllowed':1}}",
              "'x'|'50%'|'N/A'|1|'5m'");
    check_row(t, "", "events",
              "{" BORN ",'involvedObject':{'kind':'Pod','name':'p'},'type':'Warning','reason':'R',"
              "'message':'M','count':4,'lastTimestamp':'2026-01-01T00:04:00Z','firstTimestamp':"
              "'2026-01-01T00:00:00Z','source':{'component':'c'}}",
              "'60s'|'Warning'|'R'|'pod/p'|''|'c'|'M'|'5m'|4|'x'");
    check_row(t, "batch", "jobs",
              "{" BORN ",'spec':{'completions':3},'status':{'succeeded':1,'startTime':"
              "'2026-01-01T00:00:00Z'}}",
              "'x'|'Running'|'1/3'|'5m'|'5m'|'<none>'|'<none>'|'<none>'");
}

static void every_kind_has_a_table(void **state)
{
    struct world_of_test *t = *state;
    uint32_t count;
    const struct store_resource *resources = store_resources(t->store, &count);
    for (uint32_t i = 0; i < count; i++) {
        char *row = row_of_text(&resources[i], "{" BORN "}");
        assert_true(text_starts_with(row, "\"x\"") || strcmp(resources[i].plural, "events") == 0);
        free(row);
    }
}

// --- protobuf ------------------------------------------------------------------------------------

// Namespace "team" as kubectl sends it: the envelope, an empty status and spec, no creation time.
static const char namespace_body[] =
    "k8s\0\n\x0f\n\x02v1\x12\tNamespace\x12\x12\n\x0c\n\x04team\x12\0\x1a\0"
    "B\0\x12\0\x1a\0\x1a\0\"\0";

static void protobuf_bodies_are_read(void **state)
{
    (void)state;
    struct failure failure = {0};
    json_t *object = protobuf_read(namespace_body, sizeof namespace_body - 1, &failure);
    if (object == NULL)
        fail_msg("%s", failure.message);
    assert_json(object,
                "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'team'},'spec':{},"
                "'status':{}}");
    json_decref(object);
    assert_null(protobuf_read("k8s\0", 4, &failure));
    assert_int_equal(failure.code, 415);
    assert_null(protobuf_read("json", 4, &failure));
    static const char unknown[] = "k8s\0\n\x0b\n\x02v1\x12\x05Thing\x12\0";
    assert_null(protobuf_read(unknown, sizeof unknown - 1, &failure));
    failure_clear(&failure);
}

static void damaged_protobuf_is_survived(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 17);
    for (int i = 0; i < 20000; i++) {
        char body[sizeof namespace_body];
        memcpy(body, namespace_body, sizeof body);
        size_t length = 4 + random_below(&random, sizeof body - 4);
        for (uint64_t changes = random_below(&random, 4); changes > 0; changes--)
            body[4 + random_below(&random, sizeof body - 4)] = (char)random_next(&random);
        struct failure failure = {0};
        json_t *object = protobuf_read(body, length, &failure);
        assert_int_equal(object == NULL, failure.code != 0);
        json_decref(object);
        failure_clear(&failure);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_setup, test_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_in_kubectls_short_form),
        cmocka_unit_test(json_paths_of_printer_columns),
        TEST(rows_of_built_in_kinds),
        TEST(every_kind_has_a_table),
        cmocka_unit_test(protobuf_bodies_are_read),
        cmocka_unit_test(damaged_protobuf_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
