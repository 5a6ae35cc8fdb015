// Kubernetes events: texts, windows, rates, counting up, the server's failures.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "kube/event_recorder.h"
#include "kube/fake_transport.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

struct world {
    struct loop *loop;
    struct fake_transport *transport;
    struct kube_client *client;
    struct event_recorder *recorder;
    struct object *pod, *node;
    unsigned creates, patches;
    int status; // the answer, unless 0
    json_t *body;
    char path[512];
};

static void serve(void *context, struct kube_call *call)
{
    struct world *world = context;
    json_decref(world->body);
    world->body = json_deep_copy(call->body);
    snprintf(world->path, sizeof world->path, "%s", call->path);
    if (call->verb == KUBE_CREATE)
        world->creates++;
    else
        world->patches++;
    if (world->status == 404 && call->verb == KUBE_PATCH)
        fake_refuse(call, 404, "NotFound", "events not found");
    else if (world->status >= 500)
        fake_refuse(call, world->status, "InternalError", "down");
    else
        fake_answer(call, 201, json_deep_copy(call->body));
}

static struct object *decode(json_t *document)
{
    struct error error = {0};
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    assert_non_null(object);
    json_decref(document);
    return object;
}

static struct world *world_create(void)
{
    struct world *world = memory_allocate(sizeof *world);
    world->loop = loop_create_virtual(1767225600 * SECOND);
    world->transport = fake_transport_create(world->loop, serve, world);
    struct kube_client_options options = {0};
    world->client = kube_client_create(world->loop, &world->transport->base, &options);
    world->recorder = event_recorder_create(world->loop, world->client, "karpenter");
    world->pod = decode(fake_pod("shop", "web", "uid-1", "17"));
    world->node = decode(json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "v1", "kind", "Node",
                                   "metadata", "name", "n1", "uid", "uid-2"));
    return world;
}

static void world_destroy(struct world *world)
{
    event_recorder_destroy(world->recorder);
    kube_client_destroy(world->client);
    object_release(world->pod);
    object_release(world->node);
    json_decref(world->body);
    loop_destroy(world->loop);
    free(world);
}

static void record(struct world *world, const struct object *about, const char *message,
                   const char *dedupe)
{
    struct event_request request = {.about = about,
                                    .reason = "Nominated",
                                    .message = message,
                                    .dedupe = dedupe,
                                    .window_ns = 2 * MINUTE};
    event_record(world->recorder, &request);
}

static const char *get(const json_t *object, const char *a, const char *b)
{
    const json_t *value = json_object_get(object, a);
    return json_string_value(b != NULL ? json_object_get(value, b) : value);
}

static void an_event_says_what_about_whom_LIF_370(void **state)
{
    (void)state;
    struct world *world = world_create();
    record(world, world->pod, "Pod should schedule on: nodeclaim/a", NULL);
    loop_run_for(world->loop, SECOND);
    assert_string_equal(world->path, "/api/v1/namespaces/shop/events");
    assert_string_equal(get(world->body, "metadata", "namespace"), "shop");
    assert_string_equal(get(world->body, "metadata", "name"), "web.18867251edfa0000");
    assert_string_equal(get(world->body, "involvedObject", "kind"), "Pod");
    assert_string_equal(get(world->body, "involvedObject", "namespace"), "shop");
    assert_string_equal(get(world->body, "involvedObject", "name"), "web");
    assert_string_equal(get(world->body, "involvedObject", "uid"), "uid-1");
    assert_string_equal(get(world->body, "involvedObject", "resourceVersion"), "17");
    assert_string_equal(get(world->body, "source", "component"), "karpenter");
    assert_string_equal(get(world->body, "type", NULL), "Normal");
    assert_string_equal(get(world->body, "reason", NULL), "Nominated");
    assert_string_equal(get(world->body, "firstTimestamp", NULL), "2026-01-01T00:00:00Z");
    assert_int_equal(json_integer_value(json_object_get(world->body, "count")), 1);
    struct event_request warning = {.about = world->node,
                                    .warning = true,
                                    .reason = "FailedDraining",
                                    .message = "no",
                                    .window_ns = 2 * MINUTE};
    event_record(world->recorder, &warning);
    loop_run_for(world->loop, SECOND);
    assert_string_equal(world->path, "/api/v1/namespaces/default/events"); // cluster-scoped
    assert_null(get(world->body, "involvedObject", "namespace"));
    assert_string_equal(get(world->body, "type", NULL), "Warning");
    world_destroy(world);
}

static void a_key_is_silent_within_its_window_LIF_370(void **state)
{
    (void)state;
    struct world *world = world_create();
    record(world, world->pod, "one", "uid-1");
    loop_run_for(world->loop, MINUTE);
    record(world, world->pod, "another message, the same key", "uid-1");
    record(world, world->pod, "one", "uid-9");
    loop_run_for(world->loop, 59 * SECOND);
    record(world, world->pod, "three", "uid-1"); // the window counts from the first
    loop_run_for(world->loop, 2 * SECOND);
    assert_int_equal(world->creates, 1);
    assert_int_equal(world->patches, 1); // uid-9: the same event again
    record(world, world->pod, "four", "uid-1");
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 2);
    struct event_request longer = {.about = world->pod,
                                   .reason = "FailedScheduling",
                                   .message = "why",
                                   .dedupe = "uid-1",
                                   .window_ns = 5 * MINUTE};
    event_record(world->recorder, &longer);
    loop_run_for(world->loop, 4 * MINUTE);
    event_record(world->recorder, &longer);
    loop_run_for(world->loop, 2 * MINUTE);
    assert_int_equal(world->creates, 3);
    world_destroy(world);
}

static void what_is_said_of_one_object_silences_no_other_LIF_459(void **state)
{
    (void)state;
    struct world *world = world_create();
    record(world, world->pod, "Evicted pod: Drifted", NULL);
    record(world, world->node, "Evicted pod: Drifted", NULL);
    record(world, world->pod, "Evicted pod: Empty", NULL); // another message, the same object
    record(world, world->pod, "Evicted pod: Drifted", NULL);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 3);
    world_destroy(world);
}

static void the_rate_holds_for_a_reason_and_uses_up_windows_LIF_370(void **state)
{
    (void)state;
    struct world *world = world_create();
    char key[24];
    struct event_request request = {.about = world->pod,
                                    .reason = "Nominated",
                                    .rate_per_second = 5,
                                    .burst = 10,
                                    .window_ns = 2 * MINUTE,
                                    .dedupe = key,
                                    .message = key};
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof key, "uid-%d", i);
        event_record(world->recorder, &request);
    }
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 10);
    event_record(world->recorder, &request); // uid-49 was dropped, and is in its window
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 10);
    snprintf(key, sizeof key, "uid-new");
    event_record(world->recorder, &request);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 11);
    world_destroy(world);
}

static void a_repeated_event_is_counted_up(void **state)
{
    (void)state;
    struct world *world = world_create();
    for (int i = 0; i < 3; i++) {
        record(world, world->pod, "again", NULL);
        loop_run_for(world->loop, 3 * MINUTE);
    }
    assert_int_equal(world->creates, 1);
    assert_int_equal(world->patches, 2);
    assert_string_equal(world->path, "/api/v1/namespaces/shop/events/web.18867251edfa0000");
    assert_int_equal(json_integer_value(json_object_get(world->body, "count")), 3);
    assert_string_equal(get(world->body, "lastTimestamp", NULL), "2026-01-01T00:06:00Z");
    world->status = 404; // the server has no such event any more
    record(world, world->pod, "again", NULL);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 2);
    loop_run_for(world->loop, HOUR);
    record(world, world->pod, "again", NULL); // certainly forgotten
    loop_run_for(world->loop, SECOND);
    assert_int_equal(world->creates, 3);
    assert_int_equal(json_integer_value(json_object_get(world->body, "count")), 1);
    world_destroy(world);
}

static void an_outage_is_waited_out_with_a_bounded_queue(void **state)
{
    (void)state;
    struct world *world = world_create();
    world->status = 503;
    char message[32];
    for (int i = 0; i < 27000; i++) { // a sweep over 10,000 nodes reports them and their NodeClaims
        snprintf(message, sizeof message, "m%d", i);
        record(world, world->pod, message, NULL);
    }
    loop_run_for(world->loop, 30 * SECOND);
    assert_in_range(world->creates, 1, 100); // not all of them every time
    world->status = 0;
    world->creates = 0;
    loop_run_for(world->loop, 10 * MINUTE);
    assert_in_range(world->creates, 24900, 25020);
    world_destroy(world);
}

static void long_messages_are_cut_at_a_character(void **state)
{
    (void)state;
    struct world *world = world_create();
    char message[1100] = "a";
    for (int i = 0; i < 540; i++)
        strcat(message, "\xc3\xa9");
    record(world, world->pod, message, NULL);
    loop_run_for(world->loop, SECOND);
    assert_int_equal(strlen(get(world->body, "message", NULL)), 1023);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_says_what_about_whom_LIF_370),
        cmocka_unit_test(a_key_is_silent_within_its_window_LIF_370),
        cmocka_unit_test(what_is_said_of_one_object_silences_no_other_LIF_459),
        cmocka_unit_test(the_rate_holds_for_a_reason_and_uses_up_windows_LIF_370),
        cmocka_unit_test(a_repeated_event_is_counted_up),
        cmocka_unit_test(an_outage_is_waited_out_with_a_bounded_queue),
        cmocka_unit_test(long_messages_are_cut_at_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
