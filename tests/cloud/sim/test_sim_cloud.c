// The simulated provider: idempotence, stock-outs, memory, faults.
#include "cloud/sim/sim_cloud.h"

#include <stdlib.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "cloud/kwok/kwok_catalog.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

struct fixture {
    struct loop *loop;
    struct sim_instances *park;
    struct cloud *cloud;
    enum sim_cloud_fault fault;
    struct machine_result last;
    char provider_id[200];
    uint32_t answers, listed, launched, gone;
};

static void launched(void *context, const struct sim_instance *machine)
{
    (void)machine;
    ((struct fixture *)context)->launched++;
}

static void gone(void *context, const struct sim_instance *machine)
{
    assert_int_equal(machine->phase, MACHINE_GONE);
    ((struct fixture *)context)->gone++;
}

static enum sim_cloud_fault fault(void *context, enum sim_cloud_call call,
                                  const struct node_claim *claim, struct error *error)
{
    (void)call;
    (void)claim;
    (void)error;
    return ((struct fixture *)context)->fault;
}

static int setup(void **state)
{
    struct fixture *fixture = memory_allocate(sizeof *fixture);
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    fixture->loop = loop_create_virtual(INT64_C(1700000000) * SECOND);
    struct sim_instances_options park = {.seed = 7,
                                         .catalog = catalog,
                                         .stop_delay_min = SECOND,
                                         .stop_delay_max = 2 * SECOND,
                                         .launched = launched,
                                         .gone = gone,
                                         .context = fixture};
    fixture->park = sim_instances_create(fixture->loop, &park);
    object_release((const struct object *)catalog);
    struct sim_cloud_options options = {.seed = 9,
                                        .latency_min = 10 * MILLISECOND,
                                        .latency_max = 50 * MILLISECOND,
                                        .fault = fault,
                                        .fault_context = fixture};
    fixture->cloud = sim_cloud_create(fixture->loop, fixture->park, &options);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    fixture->cloud->operations->destroy(fixture->cloud);
    sim_instances_destroy(fixture->park);
    loop_destroy(fixture->loop);
    free(fixture);
    return 0;
}

static struct node_claim *claim_named(const char *uid, const char *type)
{
    struct error error = {0};
    json_t *document = json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:{s:{s:s, s:s, s:s}, s:[{s:s, s:s, s:[s]}]}}", "apiVersion",
        "karpenter.sh/v1", "kind", "NodeClaim", "metadata", "name", uid, "uid", uid, "spec",
        "nodeClassRef", "group", "karpenter.kwok.sh", "kind", "KWOKNodeClass", "name", "default",
        "requirements", "key", LABEL_INSTANCE_TYPE, "operator", "In", "values", type);
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    assert_non_null(object);
    return (struct node_claim *)object;
}

static void answered(void *context, const struct machine_result *result)
{
    struct fixture *fixture = context;
    fixture->answers++;
    fixture->last = *result;
    if (result->machine != NULL)
        strcpy(fixture->provider_id, result->machine->provider_id);
}

static void create(struct fixture *fixture, const struct node_claim *claim)
{
    uint32_t before = fixture->answers;
    fixture->cloud->operations->create(fixture->cloud, claim, answered, fixture);
    assert_int_equal(fixture->answers, before); // never before the call returns
    loop_run_for(fixture->loop, SECOND);
    assert_int_equal(fixture->answers, before + 1);
}

static void same_uid_same_machine_LIF_445(void **state)
{
    struct fixture *fixture = *state;
    struct node_claim *claim = claim_named("u1", "c-2x-amd64-linux");
    create(fixture, claim);
    char first[200];
    strcpy(first, fixture->provider_id);
    create(fixture, claim);
    assert_string_equal(first, fixture->provider_id);
    assert_int_equal(sim_instances_launches(fixture->park), 1);
    assert_int_equal(fixture->launched, 1);
    object_release((struct object *)claim);
}

static void lost_answer_then_adopted_STO_18(void **state)
{
    struct fixture *fixture = *state;
    struct node_claim *claim = claim_named("u1", "c-2x-amd64-linux");
    fixture->fault = SIM_FAIL_AFTER;
    create(fixture, claim);
    assert_int_equal(fixture->last.error.kind, ERROR_UNAVAILABLE);
    assert_int_equal(sim_instances_count(fixture->park), 1);
    fixture->fault = SIM_FINE;
    create(fixture, claim);
    assert_int_equal(sim_instances_count(fixture->park), 1);
    object_release((struct object *)claim);
}

static bool type_is_available(struct fixture *fixture, const char *name)
{
    bool available = false;
    const struct instance_type_catalog *catalog =
        fixture->cloud->operations->instance_types(fixture->cloud, NULL, NULL);
    list_for_each (type, &catalog->spec.instance_types) {
        if (strcmp(type->name, name) == 0)
            list_for_each (offering, &type->offerings)
                available = available || offering->available;
    }
    object_release((const struct object *)catalog);
    return available;
}

static void stock_out_is_an_error_and_remembered_AWI_180(void **state)
{
    struct fixture *fixture = *state;
    struct node_claim *claim = claim_named("u1", "c-2x-amd64-linux");
    sim_instances_stock(fixture->park, "c-2x-amd64-linux", NULL, NULL, 0);
    create(fixture, claim);
    assert_int_equal(fixture->last.error.kind, ERROR_INSUFFICIENT_CAPACITY);
    assert_false(type_is_available(fixture, "c-2x-amd64-linux"));
    assert_true(type_is_available(fixture, "c-4x-amd64-linux"));
    loop_run_for(fixture->loop, SIM_CLOUD_MEMORY);
    assert_true(type_is_available(fixture, "c-2x-amd64-linux"));
    object_release((struct object *)claim);
}

static void falls_back_to_the_next_offering_STO_27(void **state)
{
    struct fixture *fixture = *state;
    struct node_claim *claim = claim_named("u1", "c-2x-amd64-linux");
    sim_instances_stock(fixture->park, NULL, NULL, "spot", 0);
    create(fixture, claim);
    assert_int_equal(fixture->last.error.kind, ERROR_NONE);
    assert_string_equal(sim_instances_find(fixture->park, fixture->provider_id)->capacity_type,
                        "on-demand");
    object_release((struct object *)claim);
}

static void limited_stock_runs_out_and_comes_back(void **state)
{
    struct fixture *fixture = *state;
    sim_instances_stock(fixture->park, NULL, NULL, NULL, 1);
    struct node_claim *one = claim_named("u1", "c-2x-amd64-linux");
    struct node_claim *two = claim_named("u2", "c-2x-amd64-linux");
    create(fixture, one);
    create(fixture, two);
    assert_int_equal(fixture->last.error.kind, ERROR_INSUFFICIENT_CAPACITY);
    assert_true(sim_instances_reclaim(fixture->park, fixture->provider_id));
    assert_int_equal(fixture->gone, 1);
    loop_run_for(fixture->loop, SIM_CLOUD_MEMORY);
    create(fixture, two);
    assert_int_equal(fixture->last.error.kind, ERROR_NONE);
    object_release((struct object *)one);
    object_release((struct object *)two);
}

static void listed(void *context, const struct machine_list_result *result)
{
    ((struct fixture *)context)->listed = result->count;
}

static void deletion_takes_time_then_not_found_LIF_83(void **state)
{
    struct fixture *fixture = *state;
    struct node_claim *claim = claim_named("u1", "c-2x-amd64-linux");
    const struct cloud_operations *operations = fixture->cloud->operations;
    create(fixture, claim);
    operations->delete (fixture->cloud, fixture->provider_id, answered, fixture);
    loop_run_for(fixture->loop, 100 * MILLISECOND);
    assert_int_equal(fixture->last.error.kind, ERROR_NONE);
    operations->list(fixture->cloud, listed, fixture);
    loop_run_for(fixture->loop, 100 * MILLISECOND);
    assert_int_equal(fixture->listed, 0); // machines being terminated are left out
    loop_run_for(fixture->loop, 3 * SECOND);
    assert_int_equal(fixture->gone, 1);
    operations->delete (fixture->cloud, fixture->provider_id, answered, fixture);
    loop_run_for(fixture->loop, 100 * MILLISECOND);
    assert_int_equal(fixture->last.error.kind, ERROR_NOT_FOUND);
    object_release((struct object *)claim);
}

static void destroyed_with_calls_under_way(void **state)
{
    struct fixture *fixture = *state;
    struct node_claim *claim = claim_named("u1", "c-2x-amd64-linux");
    fixture->cloud->operations->create(fixture->cloud, claim, answered, fixture);
    object_release((struct object *)claim); // teardown destroys the cloud: no answer, no leak
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(same_uid_same_machine_LIF_445),
        TEST(lost_answer_then_adopted_STO_18),
        TEST(stock_out_is_an_error_and_remembered_AWI_180),
        TEST(falls_back_to_the_next_offering_STO_27),
        TEST(limited_stock_runs_out_and_comes_back),
        TEST(deletion_takes_time_then_not_found_LIF_83),
        TEST(destroyed_with_calls_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
