// The typed client on virtual time: bodies, rate limit, retries, cancellation.
#include "support/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "kube/client.h"
#include "kube/client_list.h"
#include "kube/fake_transport.h"

struct world {
    struct loop *loop;
    struct fake_transport *transport;
    struct kube_client *client;
    void (*serve)(struct world *world, struct kube_call *call);
    unsigned served, done;
    struct error error; // of the last result
    int64_t retry_after_ns;
    bool had_object;
    json_t *body;
    bool destroys_client;
};

static void serve(void *context, struct kube_call *call)
{
    struct world *world = context;
    world->served++;
    world->serve(world, call);
}

static void done(void *context, const struct kube_result *result)
{
    struct world *world = context;
    world->done++;
    world->error = result->error;
    world->retry_after_ns = result->retry_after_ns;
    world->had_object = result->object != NULL;
    json_decref(world->body);
    world->body = json_deep_copy(result->body);
    if (world->destroys_client) {
        kube_client_destroy(world->client);
        world->client = NULL;
    }
}

static struct world *world_create(void (*function)(struct world *, struct kube_call *), double qps,
                                  double burst)
{
    struct world *world = memory_allocate(sizeof *world);
    world->loop = loop_create_virtual(1000 * SECOND);
    world->serve = function;
    world->transport = fake_transport_create(world->loop, serve, world);
    struct kube_client_options options = {.qps = qps, .burst = burst};
    world->client = kube_client_create(world->loop, &world->transport->base, &options);
    return world;
}

static void world_destroy(struct world *world)
{
    kube_client_destroy(world->client);
    loop_destroy(world->loop);
    json_decref(world->body);
    free(world);
}

static void assert_json(const json_t *value, const char *text)
{
    char *dumped = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    assert_string_equal(dumped != NULL ? dumped : "null", text);
    free(dumped);
}

// --- bodies --------------------------------------------------------------------------------------
static void check_eviction(struct world *world, struct kube_call *call)
{
    (void)world;
    assert_int_equal(call->verb, KUBE_CREATE);
    assert_string_equal(call->path, "/api/v1/namespaces/ns/pods/p/eviction");
    assert_json(
        call->body,
        "{\"apiVersion\":\"policy/v1\",\"deleteOptions\":{\"preconditions\":{\"uid\":\"u-1\"}},"
        "\"kind\":\"Eviction\",\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"}}");
    fake_refuse(call, 429, "TooManyRequests", "Cannot evict pod");
}

static void an_eviction_names_the_pod_by_uid_LIF_123(void **state)
{
    (void)state;
    struct world *world = world_create(check_eviction, 0, 0);
    kube_evict(world->client, "ns", "p", "u-1", done, world);
    assert_int_equal(world->served, 0); // nothing happens before the call has returned
    loop_run_for(world->loop, MINUTE);
    assert_int_equal(world->done, 1); // a refusal by a PDB is left to the caller
    assert_int_equal(world->error.kind, ERROR_TOO_MANY_REQUESTS);
    world_destroy(world);
}

static void check_delete(struct world *world, struct kube_call *call)
{
    assert_int_equal(call->verb, KUBE_DELETE);
    if (world->served == 1)
        assert_json(call->body,
                    "{\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,\"kind\":\"DeleteOptions\","
                    "\"preconditions\":{\"resourceVersion\":\"7\",\"uid\":\"u\"}}");
    else
        assert_json(call->body, "null");
    fake_answer(call, 200, json_pack("{s:s, s:s}", "kind", "Status", "status", "Success"));
}

static void deletions_carry_their_preconditions(void **state)
{
    (void)state;
    struct world *world = world_create(check_delete, 0, 0);
    struct kube_delete_options options = {
        .uid = "u", .resource_version = "7", .grace_period_seconds = 0};
    kube_delete(world->client, &(struct kube_target){KIND_POD, "ns", "p"}, &options, done, world);
    loop_run_for(world->loop, SECOND);
    kube_delete(world->client, &(struct kube_target){KIND_NODE, NULL, "n"}, NULL, done, world);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->done, 2);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_false(world->had_object);
    world_destroy(world);
}

static void check_patch(struct world *world, struct kube_call *call)
{
    (void)world;
    assert_int_equal(call->verb, KUBE_PATCH);
    assert_int_equal(call->patch_type, PATCH_MERGE);
    assert_string_equal(call->path, "/api/v1/nodes/n/status");
    assert_json(call->body, "{\"a\":1}"); // as at the time of the call
    fake_answer(call, 200,
                json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Node", "metadata",
                          "name", "n"));
}

static void a_patch_is_copied_and_answered_with_the_object(void **state)
{
    (void)state;
    struct world *world = world_create(check_patch, 1, 1);
    json_t *patch = json_pack("{s:i}", "a", 1);
    kube_patch(world->client, &(struct kube_target){KIND_NODE, NULL, "n", "status"}, PATCH_MERGE,
               patch, done, world);
    kube_patch(world->client, &(struct kube_target){KIND_NODE, NULL, "n", "status"}, PATCH_MERGE,
               patch, done, world);
    json_object_set_new(patch, "a", json_integer(2));
    json_decref(patch);
    loop_run_for(world->loop, 5 * SECOND);
    assert_int_equal(world->done, 2);
    assert_true(world->had_object);
    world_destroy(world);
}

static void serve_pages(struct world *world, struct kube_call *call)
{
    bool first = strstr(call->query, "continue=") == NULL;
    assert_non_null(strstr(call->query, "labelSelector=a%3Db&limit=500"));
    fake_answer(call, 200,
                first ? fake_list("10", "next", json_pack("[i, i]", 1, 2))
                      : fake_list("10", "", json_pack("[i]", 3)));
    (void)world;
}

static void a_list_comes_whole(void **state)
{
    (void)state;
    struct world *world = world_create(serve_pages, 0, 0);
    kube_list(world->client, &(struct kube_selection){KIND_NODE, NULL, "a=b"}, done, world);
    loop_run_for(world->loop, SECOND);
    assert_json(world->body, "{\"apiVersion\":\"v1\",\"items\":[1,2,3],\"kind\":\"NodeList\","
                             "\"metadata\":{\"resourceVersion\":\"10\"}}");
    world_destroy(world);
}

// --- rate limit ----------------------------------------------------------------------------------
static void serve_nothing_found(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_refuse(call, 404, "NotFound", "nodes \"n\" not found");
}

static void calls_are_limited_LIF_380(void **state)
{
    (void)state;
    struct world *world = world_create(serve_nothing_found, 10, 20);
    for (int i = 0; i < 50; i++)
        kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    loop_run_for(world->loop, 50 * MILLISECOND);
    assert_int_equal(world->done, 20);
    loop_run_for(world->loop, SECOND);
    assert_in_range(world->done, 30, 31);
    loop_run_for(world->loop, 3 * SECOND);
    assert_int_equal(world->done, 50);
    assert_int_equal(world->error.kind, ERROR_NOT_FOUND);
    world_destroy(world);
}

// Thousands of Events must not delay a node's last writes.
static void events_have_a_limit_of_their_own_LIF_380(void **state)
{
    (void)state;
    struct world *world = world_create(serve_nothing_found, 10, 20);
    json_t *body = json_object();
    for (int i = 0; i < 30; i++)
        kube_create_json(world->client, KIND_EVENT, "default", body, done, world);
    json_decref(body);
    loop_run_for(world->loop, 50 * MILLISECOND);
    assert_int_equal(world->done, 10);
    for (int i = 0; i < 20; i++)
        kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    loop_run_for(world->loop, 50 * MILLISECOND);
    assert_int_equal(world->done, 30);
    loop_run_for(world->loop, 2 * SECOND); // a fifth of the rate
    assert_in_range(world->done, 34, 35);
    world_destroy(world);
}

// --- retries -------------------------------------------------------------------------------------
static void serve_later(struct world *world, struct kube_call *call)
{
    if (world->served < 3)
        fake_refuse_later(call, 429, 5 * SECOND);
    else
        fake_answer(call, 200, json_object());
}

static void throttled_reads_wait_as_long_as_they_are_told(void **state)
{
    (void)state;
    struct world *world = world_create(serve_later, 0, 0);
    kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    loop_run_for(world->loop, 9 * SECOND);
    assert_int_equal(world->served, 2);
    loop_run_for(world->loop, 2 * SECOND);
    assert_int_equal(world->done, 1);
    assert_int_equal(world->error.kind, ERROR_NONE);
    world_destroy(world);
}

static void throttled_writes_are_told_to_the_caller(void **state)
{
    (void)state;
    struct world *world = world_create(serve_later, 0, 0);
    kube_evict(world->client, "ns", "p", NULL, done, world);
    loop_run_for(world->loop, 9 * SECOND);
    assert_int_equal(world->served, 1);
    assert_int_equal(world->error.kind, ERROR_TOO_MANY_REQUESTS);
    assert_int_equal(world->retry_after_ns, 5 * SECOND);
    world_destroy(world);
}

static void serve_resets(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_fail(call, ERROR_UNAVAILABLE, "connection reset");
}

static void resets_are_retried_a_few_times_for_what_may_be_repeated(void **state)
{
    (void)state;
    struct world *world = world_create(serve_resets, 0, 0);
    kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    loop_run_for(world->loop, 10 * SECOND);
    assert_int_equal(world->served, 4);
    assert_int_equal(world->done, 1);
    assert_int_equal(world->error.kind, ERROR_UNAVAILABLE);
    json_t *body = json_object();
    kube_create_json(world->client, KIND_NODE, NULL, body, done, world);
    json_decref(body);
    loop_run_for(world->loop, 10 * SECOND);
    assert_int_equal(world->served, 5); // a creation may have succeeded: no retry
    assert_int_equal(world->done, 2);
    world_destroy(world);
}

// --- cancellation --------------------------------------------------------------------------------
static void serve_never(struct world *world, struct kube_call *call)
{
    (void)world, (void)call;
}

static void what_is_cancelled_is_not_told(void **state)
{
    (void)state;
    struct world *world = world_create(serve_never, 1, 1);
    kube_get(world->client, KIND_NODE, NULL, "n", done, world); // under way
    kube_get(world->client, KIND_NODE, NULL, "n", done, world); // waits for its turn
    int other = 0;
    kube_get(world->client, KIND_NODE, NULL, "n", done, &other);
    loop_run_for(world->loop, 10 * MILLISECOND);
    kube_cancel(world->client, world);
    loop_run_for(world->loop, 10 * SECOND);
    assert_int_equal(world->transport->cancelled, 1);
    assert_int_equal(world->served, 2); // the first, and that of the other context
    assert_int_equal(world->done, 0);
    world_destroy(world);
}

static void serve_config_maps(struct world *world, struct kube_call *call)
{
    (void)world;
    if (call->verb == KUBE_LIST) {
        assert_string_equal(call->path, "/api/v1/configmaps");
        assert_string_equal(call->query, "labelSelector=a%2Fb&limit=500");
        fake_answer(call, 200, fake_list("7", "", json_pack("[{s:s}]", "kind", "ConfigMap")));
        return;
    }
    assert_string_equal(call->path, "/api/v1/namespaces/n/configmaps/c");
    assert_int_equal(call->verb, KUBE_PATCH);
    assert_int_equal(call->patch_type, PATCH_MERGE);
    fake_answer(call, 200, json_incref(call->body));
}

static void kinds_without_a_table_go_by_their_path(void **state)
{
    (void)state;
    struct world *world = world_create(serve_config_maps, 0, 0);
    kube_list_path(world->client, "/api/v1/configmaps", "a/b", done, world);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->error.kind, ERROR_NONE);
    assert_json(world->body,
                "{\"items\":[{\"kind\":\"ConfigMap\"}],\"metadata\":{\"resourceVersion\":\"7\"}}");
    json_t *patch = json_pack("{s:{s:s}}", "data", "k", "v");
    kube_merge_path(world->client, "/api/v1/namespaces/n/configmaps/c", patch, done, world);
    json_decref(patch);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->done, 2);
    assert_false(world->had_object);
    assert_json(world->body, "{\"data\":{\"k\":\"v\"}}");
    world_destroy(world);
}

static void a_callback_may_destroy_the_client(void **state)
{
    (void)state;
    struct world *world = world_create(serve_nothing_found, 0, 0);
    world->destroys_client = true;
    kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    kube_get(world->client, KIND_NODE, NULL, "m", done, world);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->done, 1);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_eviction_names_the_pod_by_uid_LIF_123),
        cmocka_unit_test(deletions_carry_their_preconditions),
        cmocka_unit_test(a_patch_is_copied_and_answered_with_the_object),
        cmocka_unit_test(a_list_comes_whole),
        cmocka_unit_test(calls_are_limited_LIF_380),
        cmocka_unit_test(events_have_a_limit_of_their_own_LIF_380),
        cmocka_unit_test(throttled_reads_wait_as_long_as_they_are_told),
        cmocka_unit_test(throttled_writes_are_told_to_the_caller),
        cmocka_unit_test(resets_are_retried_a_few_times_for_what_may_be_repeated),
        cmocka_unit_test(what_is_cancelled_is_not_told),
        cmocka_unit_test(kinds_without_a_table_go_by_their_path),
        cmocka_unit_test(a_callback_may_destroy_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
