// The number of pods that a workload wants at a time (SCH-527).
#include "support/cmocka_all.h"

#include <stdio.h>

#include "model/reading/workload_counts.h"
#include "model/schema/decode.h"

static struct workload_counts *decode(enum kind_id id, const char *spec, const char *status)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"metadata\": {\"name\": \"w\", \"namespace\": \"n\", \"uid\": \"u\", "
             "\"resourceVersion\": \"7\", \"labels\": {\"a\": \"b\"}}, \"spec\": %s, "
             "\"status\": %s}",
             spec, status);
    struct error error = {0};
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    struct object *object =
        object_decode(document, workload_counts_kind(id), DECODE_LENIENT, &error);
    json_decref(document);
    assert_non_null(object);
    return (struct workload_counts *)object;
}

static void wanted_pods_SCH_527(void **state)
{
    (void)state;
    static const struct {
        enum kind_id kind;
        const char *spec, *status;
        int64_t wanted;
    } cases[] = {
        {KIND_REPLICA_SET, "{\"replicas\": 5, \"template\": {\"spec\": {}}}", "{}", 5},
        {KIND_REPLICA_SET, "{\"replicas\": 0}", "{}", 0},
        {KIND_REPLICA_SET, "{}", "{}", 1},
        {KIND_STATEFUL_SET, "{\"replicas\": 3, \"podManagementPolicy\": \"Parallel\"}", "{}", 3},
        {KIND_STATEFUL_SET, "{\"replicas\": 3, \"podManagementPolicy\": \"OrderedReady\"}", "{}",
         1},
        {KIND_STATEFUL_SET, "{\"replicas\": 3}", "{}", 1},
        {KIND_STATEFUL_SET, "{\"replicas\": 0}", "{}", 0},
        {KIND_JOB, "{}", "{}", 1},
        {KIND_JOB, "{\"parallelism\": 4}", "{\"succeeded\": 2}", 4},
        {KIND_JOB, "{\"parallelism\": 4, \"completions\": 10}", "{}", 4},
        {KIND_JOB, "{\"parallelism\": 4, \"completions\": 10}", "{\"succeeded\": 9}", 1},
        {KIND_JOB, "{\"parallelism\": 4, \"suspend\": true}", "{}", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct workload_counts *workload = decode(cases[i].kind, cases[i].spec, cases[i].status);
        assert_int_equal(workload_wanted(workload), cases[i].wanted);
        object_release((const struct object *)workload);
    }
}

static void little_is_kept_of_an_object(void **state)
{
    (void)state;
    struct workload_counts *workload =
        decode(KIND_REPLICA_SET,
               "{\"replicas\": 5, \"template\": {\"spec\": {\"containers\": []}}}", "{}");
    assert_int_equal(workload->kind->id, KIND_REPLICA_SET);
    assert_string_equal(workload->meta.resource_version, "7");
    assert_int_equal(workload->meta.labels.count, 0);
    assert_true(workload->bytes < 600);
    object_release((const struct object *)workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wanted_pods_SCH_527),
        cmocka_unit_test(little_is_kept_of_an_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
