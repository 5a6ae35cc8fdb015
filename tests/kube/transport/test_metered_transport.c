// The metrics of requests to the API server (LIF-358).
#include "support/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "kube/client.h"
#include "kube/client_list.h"
#include "kube/fake_transport.h"
#include "kube/transport/metered_transport.h"

struct world {
    struct loop *loop;
    struct metrics *metrics;
    struct fake_transport *fake;
    struct kube_client *client;
    int status; // of the answers; 0: none; < 0: never
    unsigned done;
};

static int64_t now_ns(void *loop)
{
    return loop_monotonic_ns(loop);
}

static void serve(void *context, struct kube_call *call)
{
    struct world *world = context;
    if (world->status < 0 || call->verb == KUBE_WATCH)
        return;
    if (world->status == 0)
        fake_fail(call, ERROR_UNAVAILABLE, "nobody there");
    else if (world->status >= 300)
        fake_refuse(call, world->status, "Refused", "no");
    else
        fake_answer(call, world->status, json_object());
}

static int setup(void **state)
{
    struct world *world = memory_allocate(sizeof *world);
    world->loop = loop_create_virtual(1000 * SECOND);
    world->metrics = metrics_create(now_ns, world->loop);
    world->fake = fake_transport_create(world->loop, serve, world);
    world->client = kube_client_create(
        world->loop, metered_transport_create(world->loop, &world->fake->base, world->metrics),
        &(struct kube_client_options){0});
    world->status = 200;
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    kube_client_destroy(world->client);
    metrics_destroy(world->metrics);
    loop_destroy(world->loop);
    free(world);
    return 0;
}

static void done(void *context, const struct kube_result *result)
{
    struct world *world = context;
    (void)result;
    world->done++;
}

static void finish(struct world *world, unsigned calls)
{
    loop_run_for(world->loop, 10 * SECOND);
    assert_int_equal(world->done, calls);
}

static double requests(const struct world *world, const char *code, const char *method)
{
    return metric_read(metrics_find(world->metrics, "client_go_request_total"), code, method);
}

static double timed(const struct world *world, const char *verb, const char *group,
                    const char *kind, const char *subresource)
{
    return metric_read(metrics_find(world->metrics, "client_go_request_duration_seconds"), verb,
                       group, "v1", kind, subresource);
}

static void requests_have_method_verb_and_resource_LIF_358(void **state)
{
    struct world *world = *state;
    json_t *body = json_object();
    kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    kube_list(world->client, &(struct kube_selection){KIND_POD}, done, world);
    kube_list(world->client, &(struct kube_selection){KIND_POD, "ns"}, done, world);
    kube_create_json(world->client, KIND_NODE_CLAIM, NULL, body, done, world);
    kube_update_json(world->client, &(struct kube_target){KIND_LEASE, "ns", "l"}, body, done,
                     world);
    kube_patch(world->client, &(struct kube_target){KIND_NODE_CLAIM, NULL, "c", "status"},
               PATCH_MERGE, body, done, world);
    kube_delete(world->client, &(struct kube_target){KIND_NODE, NULL, "n"}, NULL, done, world);
    kube_evict(world->client, "ns", "p", "u", done, world);
    kube_get(world->client, KIND_NAMESPACE, NULL, "ns", done, world);
    json_decref(body);
    finish(world, 9);
    assert_int_equal(requests(world, "200", "GET"), 4);
    assert_int_equal(requests(world, "200", "POST"), 2);
    assert_int_equal(requests(world, "200", "PUT"), 1);
    assert_int_equal(requests(world, "200", "PATCH"), 1);
    assert_int_equal(requests(world, "200", "DELETE"), 1);
    assert_int_equal(timed(world, "GET", "", "nodes", ""), 1);
    assert_int_equal(timed(world, "LIST", "", "pods", ""), 2);
    assert_int_equal(timed(world, "CREATE", "karpenter.sh", "nodeclaims", ""), 1);
    assert_int_equal(timed(world, "UPDATE", "coordination.k8s.io", "leases", ""), 1);
    assert_int_equal(timed(world, "PATCH", "karpenter.sh", "nodeclaims", "status"), 1);
    assert_int_equal(timed(world, "DELETE", "", "nodes", ""), 1);
    assert_int_equal(timed(world, "CREATE", "", "pods", "eviction"), 1);
    assert_int_equal(timed(world, "GET", "", "namespaces", ""), 1);
}

static void refusals_have_their_code_and_silence_is_an_error_LIF_358(void **state)
{
    struct world *world = *state;
    json_t *body = json_object();
    world->status = 409;
    kube_patch(world->client, &(struct kube_target){KIND_NODE, NULL, "n"}, PATCH_MERGE, body, done,
               world);
    finish(world, 1);
    world->status = 0;
    kube_patch(world->client, &(struct kube_target){KIND_NODE, NULL, "n"}, PATCH_MERGE, body, done,
               world);
    finish(world, 2);
    json_decref(body);
    assert_int_equal(requests(world, "409", "PATCH"), 1);
    assert_int_equal(requests(world, "<error>", "PATCH"), 1);
}

static void every_attempt_counts_LIF_358(void **state)
{
    struct world *world = *state;
    world->status = 0;
    kube_get(world->client, KIND_NODE, NULL, "n", done, world); // retried three times
    finish(world, 1);
    assert_int_equal(requests(world, "<error>", "GET"), 4);
}

static void what_is_no_resource_has_no_duration_LIF_358(void **state)
{
    struct world *world = *state;
    kube_get_path(world->client, "/version", done, world);
    kube_get_path(world->client, "/api/v1", done, world);
    kube_get_path(world->client, "/apis", done, world);
    finish(world, 3);
    assert_int_equal(requests(world, "200", "GET"), 3);
    assert_int_equal(
        metric_series_count(metrics_find(world->metrics, "client_go_request_duration_seconds")), 0);
}

// --- watches -------------------------------------------------------------------------------------
static unsigned watch_events, watch_ends;

static void watch_event(void *context, const json_t *event)
{
    (void)context;
    (void)event;
    watch_events++;
}

static void watch_done(void *context, const struct kube_response *response)
{
    (void)context;
    (void)response;
    watch_ends++;
}

static struct kube_call *watch(struct world *world)
{
    struct kube_transport *transport = kube_client_transport(world->client);
    struct kube_request request = {
        .verb = KUBE_WATCH, .path = "/api/v1/pods", .query = "watch=true"};
    struct kube_handlers handlers = {.done = watch_done, .event = watch_event, .context = world};
    struct kube_call *call = transport->operations->start(transport, &request, &handlers);
    loop_run_for(world->loop, SECOND);
    return call;
}

static void a_watch_counts_once_LIF_358(void **state)
{
    struct world *world = *state;
    watch_events = watch_ends = 0;
    watch(world);
    struct kube_call *served = fake_find(world->fake, KUBE_WATCH, "/api/v1/pods");
    assert_int_equal(requests(world, "200", "GET"), 0);
    fake_event(served, "ADDED", json_object());
    fake_event(served, "MODIFIED", json_object());
    assert_int_equal(requests(world, "200", "GET"), 1);
    fake_end(served, ERROR_NONE);
    assert_int_equal(watch_events, 2);
    assert_int_equal(watch_ends, 1);
    assert_int_equal(requests(world, "200", "GET"), 1);
}

static void calls_end_with_the_transport_or_before_LIF_358(void **state)
{
    struct world *world = *state;
    struct kube_transport *transport = kube_client_transport(world->client);
    watch_events = watch_ends = 0;
    transport->operations->cancel(transport, watch(world));
    assert_int_equal(world->fake->cancelled, 1);
    world->status = -1;
    kube_get(world->client, KIND_NODE, NULL, "n", done, world);
    finish(world, 0); // teardown destroys the client, and it the transport
    assert_int_equal(watch_ends, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(requests_have_method_verb_and_resource_LIF_358),
        TEST(refusals_have_their_code_and_silence_is_an_error_LIF_358),
        TEST(every_attempt_counts_LIF_358),
        TEST(what_is_no_resource_has_no_duration_LIF_358),
        TEST(a_watch_counts_once_LIF_358),
        TEST(calls_end_with_the_transport_or_before_LIF_358),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
