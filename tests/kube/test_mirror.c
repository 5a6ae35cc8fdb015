// Client, reflector and mirror on virtual time against a scripted API server.
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "base/text.h"
#include "kube/fake_transport.h"
#include "kube/mirror.h"
#include "model/schema/core.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

#define PODS  "/api/v1/pods"
#define POOLS "/apis/karpenter.sh/v1/nodepools"

struct world {
    struct loop *loop;
    struct fake_transport *transport;
    struct kube_client *client;
    struct mirror *mirror;
    struct text changes; // "+a ~a -a "
    char query[512];     // of the last request
    unsigned lists, watches, invalids;
    void (*list)(struct world *world, struct kube_call *call);
    bool (*watch)(struct world *world, struct kube_call *call); // true: has answered
};

static void serve(void *context, struct kube_call *call)
{
    struct world *world = context;
    snprintf(world->query, sizeof world->query, "%s", call->query);
    if (call->verb == KUBE_LIST) {
        world->lists++;
        world->list(world, call);
    } else if (call->verb == KUBE_WATCH) {
        world->watches++;
        if (world->watch != NULL)
            world->watch(world, call);
    }
}

static void changed(void *context, enum mirror_change change, const struct object *before,
                    const struct object *after)
{
    struct world *world = context;
    assert_int_equal(before == NULL, change == MIRROR_ADDED);
    assert_int_equal(after == NULL, change == MIRROR_DELETED);
    const struct object *object = after != NULL ? after : before;
    text_format(&world->changes, "%c%s@%s ", "+~-"[change], object -> meta.name,
                object->meta.resource_version);
}

static void invalid(void *context, enum kind_id kind, const struct object *salvaged,
                    const struct error *error)
{
    struct world *world = context;
    assert_int_equal(kind, KIND_POD);
    assert_string_equal(salvaged->meta.namespace, "default");
    assert_string_equal(salvaged->meta.name, "bad");
    assert_string_equal(salvaged->meta.unreadable, error->message);
    assert_non_null(strstr(error->message, "spec"));
    world->invalids++;
}

static struct world *world_create(void (*list)(struct world *, struct kube_call *))
{
    struct world *world = memory_allocate(sizeof *world);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    world->loop = loop_create_virtual(1000 * SECOND);
    world->list = list;
    world->transport = fake_transport_create(world->loop, serve, world);
    struct kube_client_options options = {.qps = 200, .burst = 300};
    world->client = kube_client_create(world->loop, &world->transport->base, &options);
    world->mirror = mirror_create(world->loop, world->client);
    mirror_on_change(world->mirror, KIND_POD, changed, world);
    mirror_on_invalid(world->mirror, KIND_POD, invalid, world);
    return world;
}

static void world_destroy(struct world *world)
{
    mirror_destroy(world->mirror);
    kube_client_destroy(world->client);
    loop_destroy(world->loop);
    text_free(&world->changes);
    free(world);
}

static void expect(struct world *world, const char *changes)
{
    assert_string_equal(world->changes.data != NULL ? world->changes.data : "", changes);
    text_clear(&world->changes);
}

static json_t *pod(const char *name, const char *version)
{
    return fake_pod("default", name, name, version);
}

static void list_one(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_answer(call, 200, fake_list("100", "", json_pack("[o]", pod("a", "50"))));
}

static struct kube_call *open_watch(struct world *world)
{
    struct kube_call *call = fake_find(world->transport, KUBE_WATCH, PODS);
    assert_non_null(call);
    return call;
}

static struct world *watching(void)
{
    struct world *world = world_create(list_one);
    mirror_watch(world->mirror, KIND_POD, NULL, NULL, false);
    assert_false(mirror_synced(world->mirror));
    loop_run_for(world->loop, 10 * MILLISECOND);
    assert_true(mirror_synced(world->mirror));
    expect(world, "+a@50 ");
    return world;
}

static const struct object *get(struct world *world, const char *name)
{
    return mirror_get(world->mirror, KIND_POD, "default", name);
}

// --- list ----------------------------------------------------------------------------------------
static void list_pages(struct world *world, struct kube_call *call)
{
    if (world->lists == 1) {
        assert_string_equal(call->query, "fieldSelector=spec.nodeName%3D%22%22&limit=500");
        fake_answer(call, 200, fake_list("7", "t/1", json_pack("[o]", pod("a", "1"))));
    } else if (world->lists == 2) {
        assert_string_equal(call->query,
                            "fieldSelector=spec.nodeName%3D%22%22&limit=500&continue=t%2F1");
        fake_refuse(call, 410, "Expired", "the continue token is too old");
    } else if (world->lists == 3) { // "a" has gone meanwhile
        assert_string_equal(call->query, "fieldSelector=spec.nodeName%3D%22%22&limit=500");
        fake_answer(call, 200, fake_list("9", "t/2", json_pack("[o]", pod("b", "8"))));
    } else {
        fake_answer(call, 200, fake_list("9", "", json_pack("[o]", pod("c", "3"))));
    }
}

static void a_list_is_paged_and_begins_anew_when_its_pages_expire(void **state)
{
    (void)state;
    struct world *world = world_create(list_pages);
    mirror_watch(world->mirror, KIND_POD, NULL, "spec.nodeName=\"\"", false);
    loop_run_for(world->loop, 10 * MILLISECOND);
    assert_int_equal(world->lists, 4);
    expect(world, "+a@1 +b@8 +c@3 -a@1 ");
    assert_int_equal(mirror_count(world->mirror, KIND_POD), 2);
    assert_non_null(strstr(world->query, "watch=true&allowWatchBookmarks=true&timeoutSeconds="));
    assert_non_null(strstr(world->query, "&resourceVersion=9"));
    struct mirror_iterator iterator = {0};
    int count = 0;
    while (mirror_next(world->mirror, KIND_POD, &iterator) != NULL)
        count++;
    assert_int_equal(count, 2);
    world_destroy(world);
}

// --- watch ---------------------------------------------------------------------------------------
static void events_change_the_mirror(void **state)
{
    (void)state;
    struct world *world = watching();
    struct kube_call *watch = open_watch(world);
    fake_event(watch, "ADDED", pod("b", "101"));
    fake_event(watch, "MODIFIED", pod("a", "102"));
    fake_event(watch, "DELETED", pod("b", "103"));
    fake_event(watch, "DELETED", pod("never", "104"));
    fake_event(watch, "NEWFANGLED", pod("x", "105"));
    expect(world, "+b@101 ~a@102 -b@101 ");
    fake_event(watch, "MODIFIED", pod("a", "102")); // the same version again: nothing new
    expect(world, "");
    fake_event(watch, "MODIFIED", fake_pod("default", "a", "other-uid", "110"));
    expect(world, "-a@102 +a@110 ");
    world_destroy(world);
}

static void a_watch_resumes_after_its_end_from_the_last_bookmark(void **state)
{
    (void)state;
    struct world *world = watching();
    loop_run_for(world->loop, 2 * SECOND);
    json_t *bookmark =
        json_pack("{s:s, s:{s:s}}", "kind", "Pod", "metadata", "resourceVersion", "2000");
    fake_event(open_watch(world), "BOOKMARK", bookmark);
    expect(world, "");
    fake_end(open_watch(world), ERROR_NONE);
    loop_run_for(world->loop, 2 * MILLISECOND);
    assert_int_equal(world->watches, 2);
    assert_int_equal(world->lists, 1);
    assert_non_null(strstr(world->query, "&resourceVersion=2000"));
    fake_event(open_watch(world), "MODIFIED", pod("a", "2001"));
    fake_end(open_watch(world), ERROR_UNAVAILABLE); // cut
    loop_run_for(world->loop, 2 * SECOND);
    assert_int_equal(world->watches, 3);
    assert_non_null(strstr(world->query, "&resourceVersion=2001"));
    assert_int_equal(world->lists, 1);
    world_destroy(world);
}

static void list_after_gap(struct world *world, struct kube_call *call)
{
    if (world->lists == 1)
        fake_answer(call, 200,
                    fake_list("100", "",
                              json_pack("[o, o, o]", pod("a", "1"), pod("b", "2"), pod("c", "3"))));
    else
        fake_answer(
            call, 200,
            fake_list("900", "",
                      json_pack("[o, o, o]", pod("a", "1"), pod("c", "800"), pod("d", "850"))));
}

static void a_version_too_old_lists_again_and_tells_the_differences(void **state)
{
    (void)state;
    struct world *world = world_create(list_after_gap);
    mirror_watch(world->mirror, KIND_POD, NULL, NULL, false);
    loop_run_for(world->loop, 10 * MILLISECOND);
    expect(world, "+a@1 +b@2 +c@3 ");
    fake_end(open_watch(world), ERROR_GONE);
    loop_run_for(world->loop, 10 * MILLISECOND);
    expect(world, "~c@800 +d@850 -b@2 ");
    assert_non_null(strstr(world->query, "&resourceVersion=900"));
    world_destroy(world);
}

static bool always_gone(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_end(call, ERROR_GONE);
    return true;
}

static void list_and_watch_do_not_chase_each_other(void **state)
{
    (void)state;
    struct world *world = world_create(list_one);
    world->watch = always_gone;
    mirror_watch(world->mirror, KIND_POD, NULL, NULL, false);
    loop_run_for(world->loop, 5 * MINUTE);
    assert_in_range(world->lists, 5, 20); // 30 to 60 s apart in the end
    world_destroy(world);
}

static bool ends_at_once(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_end(call, ERROR_NONE);
    return true;
}

static void watches_that_end_at_once_are_not_asked_for_endlessly(void **state)
{
    (void)state;
    struct world *world = world_create(list_one);
    world->watch = ends_at_once;
    mirror_watch(world->mirror, KIND_POD, NULL, NULL, false);
    loop_run_for(world->loop, 5 * MINUTE);
    assert_in_range(world->watches, 5, 20);
    assert_int_equal(world->lists, 1);
    world_destroy(world);
}

static void list_down(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_refuse(call, 503, "ServiceUnavailable", "starting");
}

static void errors_back_off_to_half_a_minute_and_recover(void **state)
{
    (void)state;
    struct world *world = world_create(list_down);
    mirror_watch(world->mirror, KIND_POD, NULL, NULL, false);
    loop_run_for(world->loop, 500 * MILLISECOND);
    assert_int_equal(world->lists, 1); // not before 800 ms
    loop_run_for(world->loop, 1200 * MILLISECOND);
    assert_int_equal(world->lists, 2);
    loop_run_for(world->loop, 10 * MINUTE);
    assert_in_range(world->lists, 12, 27);
    assert_false(mirror_synced(world->mirror));
    world->list = list_one;
    loop_run_for(world->loop, 61 * SECOND);
    assert_true(mirror_synced(world->mirror));
    world_destroy(world);
}

static void a_watch_that_hangs_is_cut_and_resumed(void **state)
{
    (void)state;
    struct world *world = watching();
    loop_run_for(world->loop, 12 * MINUTE); // the server never ends it
    assert_in_range(world->watches, 2, 3);
    assert_int_equal(world->lists, 1);
    assert_int_not_equal(world->transport->cancelled, 0);
    world_destroy(world);
}

// --- optional kinds ------------------------------------------------------------------------------
static void list_pools(struct world *world, struct kube_call *call)
{
    if (world->lists == 1)
        fake_answer(call, 404, NULL);
    else
        fake_answer(call, 200, fake_list("5", "", json_array()));
}

static void an_optional_kind_may_be_missing_and_come_later(void **state)
{
    (void)state;
    struct world *world = world_create(list_pools);
    mirror_watch(world->mirror, KIND_NODE_POOL, NULL, NULL, true);
    loop_run_for(world->loop, 10 * MILLISECOND);
    assert_true(mirror_kind_synced(world->mirror, KIND_NODE_POOL));
    assert_int_equal(world->lists, 1);
    loop_run_for(world->loop, 3 * MINUTE);
    assert_int_equal(world->lists, 2);
    assert_non_null(fake_find(world->transport, KUBE_WATCH, POOLS));
    world_destroy(world);
}

// --- objects that do not decode ------------------------------------------------------------------
static json_t *bad_pod(const char *version)
{
    json_t *bad = pod("bad", version);
    json_object_set_new(json_object_get(bad, "spec"), "containers", json_string("no list"));
    return bad;
}

static void list_with_bad(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_answer(call, 200,
                fake_list("100", "", json_pack("[o, o]", bad_pod("50"), pod("a", "51"))));
}

// The readable parts of a pod represent it: it runs somewhere.
static void a_pod_that_does_not_decode_is_there_API_318_API_603(void **state)
{
    (void)state;
    struct world *world = world_create(list_with_bad);
    mirror_watch(world->mirror, KIND_POD, NULL, NULL, false);
    loop_run_for(world->loop, 10 * MILLISECOND);
    assert_true(mirror_synced(world->mirror));
    expect(world, "+bad@50 +a@51 ");
    assert_int_equal(world->invalids, 1);
    assert_true(mirror_is_invalid(world->mirror, KIND_POD, "default", "bad"));
    const struct object *bad = mirror_get(world->mirror, KIND_POD, "default", "bad");
    assert_non_null(bad->meta.unreadable);
    assert_null(((const struct pod *)bad)->spec.containers.items);
    fake_event(open_watch(world), "MODIFIED", bad_pod("50")); // the same version: reported once
    assert_int_equal(world->invalids, 1);
    fake_event(open_watch(world), "MODIFIED", pod("bad", "101")); // fixed
    expect(world, "~bad@101 ");
    assert_int_equal(mirror_invalid_count(world->mirror, KIND_POD), 0);
    assert_null(mirror_get(world->mirror, KIND_POD, "default", "bad")->meta.unreadable);
    fake_event(open_watch(world), "MODIFIED", bad_pod("102"));
    expect(world, "~bad@102 ");
    assert_int_equal(world->invalids, 2);
    fake_event(open_watch(world), "DELETED", bad_pod("103"));
    expect(world, "-bad@102 ");
    assert_int_equal(mirror_invalid_count(world->mirror, KIND_POD), 0);
    world_destroy(world);
}

static json_t *node(const char *name, const char *version, json_t *unschedulable)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s, s:s}, s:{s:o}}", "apiVersion", "v1", "kind", "Node",
                     "metadata", "name", name, "uid", name, "resourceVersion", version, "spec",
                     "unschedulable", unschedulable);
}

static void list_nodes(struct world *world, struct kube_call *call)
{
    (void)world;
    fake_answer(call, 200,
                fake_list("100", "",
                          json_pack("[o, o]", node("bad", "50", json_string("no")),
                                    node("good", "51", json_false()))));
}

// Of other kinds no half-read object is used, but its existence is known.
static void a_node_that_does_not_decode_is_left_out_API_318_API_603(void **state)
{
    (void)state;
    struct world *world = world_create(list_nodes);
    mirror_watch(world->mirror, KIND_NODE, NULL, NULL, false);
    loop_run_for(world->loop, 10 * MILLISECOND);
    assert_true(mirror_synced(world->mirror));
    assert_null(mirror_get(world->mirror, KIND_NODE, NULL, "bad"));
    assert_non_null(mirror_get(world->mirror, KIND_NODE, NULL, "good"));
    struct mirror_iterator iterator = {0};
    const struct object *salvaged = mirror_next_salvaged(world->mirror, KIND_NODE, &iterator);
    assert_string_equal(salvaged->meta.uid, "bad");
    assert_non_null(strstr(salvaged->meta.unreadable, "spec.unschedulable: expected a boolean"));
    assert_null(mirror_next_salvaged(world->mirror, KIND_NODE, &iterator));
    assert_null(mirror_next_salvaged(world->mirror, KIND_NODE, &iterator));
    fake_event(fake_find(world->transport, KUBE_WATCH, "/api/v1/nodes"), "MODIFIED",
               node("bad", "101", json_true()));
    iterator = (struct mirror_iterator){0};
    assert_null(mirror_next_salvaged(world->mirror, KIND_NODE, &iterator));
    assert_non_null(mirror_get(world->mirror, KIND_NODE, NULL, "bad"));
    world_destroy(world);
}

// --- mirror_observe ------------------------------------------------------------------------------
static void observe(struct world *world, json_t *document)
{
    struct error error = {0};
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    assert_non_null(object);
    mirror_observe(world->mirror, object);
    object_release(object);
    json_decref(document);
}

static void an_observed_write_counts_at_once(void **state)
{
    (void)state;
    struct world *world = watching();
    observe(world, pod("a", "120"));
    observe(world, pod("new", "121"));
    expect(world, "~a@120 +new@121 ");
    observe(world, pod("a", "60")); // older
    struct kube_call *watch = open_watch(world);
    fake_event(watch, "MODIFIED", pod("a", "110")); // the watch is behind
    fake_event(watch, "MODIFIED", pod("a", "120"));
    fake_event(watch, "ADDED", pod("new", "121"));
    expect(world, "");
    fake_event(watch, "MODIFIED", pod("a", "130"));
    expect(world, "~a@130 ");
    world_destroy(world);
}

static void an_answer_does_not_bring_back_what_was_deleted(void **state)
{
    (void)state;
    struct world *world = watching();
    fake_event(open_watch(world), "DELETED", pod("a", "140"));
    expect(world, "-a@50 ");
    observe(world, pod("a", "130")); // the patch came before the deletion, its answer after
    expect(world, "");
    assert_null(get(world, "a"));
    world_destroy(world);
}

static void the_deletion_of_a_predecessor_spares_its_successor(void **state)
{
    (void)state;
    struct world *world = watching();
    observe(world, fake_pod("default", "a", "second", "160"));
    expect(world, "-a@50 +a@160 ");
    fake_event(open_watch(world), "DELETED", pod("a", "150"));
    expect(world, "");
    fake_event(open_watch(world), "ADDED", fake_pod("default", "a", "second", "160"));
    expect(world, "");
    fake_event(open_watch(world), "DELETED", fake_pod("default", "a", "second", "170"));
    expect(world, "-a@160 ");
    world_destroy(world);
}

static void a_list_keeps_what_was_observed_after_it_was_made(void **state)
{
    (void)state;
    struct world *world = watching();
    observe(world, pod("a", "200"));
    observe(world, pod("new", "201"));
    observe(world, fake_pod("default", "stale", "s", "101"));
    expect(world, "~a@200 +new@201 +stale@101 ");
    fake_event(open_watch(world), "BOOKMARK", pod("x", "150"));
    // The list is of version 100: older than all observed objects.
    fake_end(open_watch(world), ERROR_GONE);
    loop_run_for(world->loop, 10 * MILLISECOND);
    expect(world, "");
    assert_string_equal(get(world, "a")->meta.resource_version, "200");
    world_destroy(world);
}

static void only_the_namespace_that_is_mirrored_is_observed_LIF_336(void **state)
{
    (void)state;
    struct world *world = world_create(list_one);
    mirror_watch(world->mirror, KIND_POD, "kube-node-lease", NULL, false);
    observe(world, pod("elsewhere", "300"));
    expect(world, "");
    assert_non_null(
        fake_find(world->transport, KUBE_LIST, "/api/v1/namespaces/kube-node-lease/pods"));
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_paged_and_begins_anew_when_its_pages_expire),
        cmocka_unit_test(events_change_the_mirror),
        cmocka_unit_test(a_watch_resumes_after_its_end_from_the_last_bookmark),
        cmocka_unit_test(a_version_too_old_lists_again_and_tells_the_differences),
        cmocka_unit_test(list_and_watch_do_not_chase_each_other),
        cmocka_unit_test(watches_that_end_at_once_are_not_asked_for_endlessly),
        cmocka_unit_test(errors_back_off_to_half_a_minute_and_recover),
        cmocka_unit_test(a_watch_that_hangs_is_cut_and_resumed),
        cmocka_unit_test(an_optional_kind_may_be_missing_and_come_later),
        cmocka_unit_test(a_pod_that_does_not_decode_is_there_API_318_API_603),
        cmocka_unit_test(a_node_that_does_not_decode_is_left_out_API_318_API_603),
        cmocka_unit_test(an_observed_write_counts_at_once),
        cmocka_unit_test(an_answer_does_not_bring_back_what_was_deleted),
        cmocka_unit_test(the_deletion_of_a_predecessor_spares_its_successor),
        cmocka_unit_test(a_list_keeps_what_was_observed_after_it_was_made),
        cmocka_unit_test(only_the_namespace_that_is_mirrored_is_observed_LIF_336),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
