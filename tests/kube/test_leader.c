// Leader election between replicas on virtual time, over one Lease with optimistic locking.
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
#include "kube/leader.h"

struct world;
struct replica {
    struct world *world;
    struct fake_transport *transport;
    struct kube_client *client;
    struct leader *leader;
    unsigned started, lost, released;
    bool unreachable; // the server does not answer it
};
struct world {
    struct loop *loop;
    json_t *lease;
    unsigned version, writes;
    struct replica replicas[2];
};

static void store(struct world *world, const json_t *body)
{
    json_decref(world->lease);
    world->lease = json_deep_copy(body);
    char version[16];
    snprintf(version, sizeof version, "%u", ++world->version);
    json_object_set_new(json_object_get(world->lease, "metadata"), "resourceVersion",
                        json_string(version));
    world->writes++;
}

static void serve(void *context, struct kube_call *call)
{
    struct replica *replica = context;
    struct world *world = replica->world;
    const char *version = json_string_value(
        json_object_get(json_object_get(call->body, "metadata"), "resourceVersion"));
    const char *current = json_string_value(
        json_object_get(json_object_get(world->lease, "metadata"), "resourceVersion"));
    if (replica->unreachable)
        return;
    if (call->verb == KUBE_CREATE && world->lease != NULL) {
        fake_refuse(call, 409, "AlreadyExists", "leases already exists");
    } else if (call->verb == KUBE_CREATE) {
        assert_string_equal(call->path,
                            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases");
        store(world, call->body);
        fake_answer(call, 201, json_deep_copy(world->lease));
    } else if (world->lease == NULL) {
        fake_refuse(call, 404, "NotFound", "leases not found");
    } else if (call->verb == KUBE_UPDATE && !text_equal(version, current)) {
        fake_refuse(call, 409, "Conflict", "the object has been modified");
    } else {
        if (call->verb == KUBE_UPDATE)
            store(world, call->body);
        fake_answer(call, 200, json_deep_copy(world->lease));
    }
}

static void started(void *context)
{
    ((struct replica *)context)->started++;
}
static void lost(void *context)
{
    ((struct replica *)context)->lost++;
}
static void released(void *context)
{
    struct replica *replica = context;
    replica->released++;
    leader_destroy(replica->leader); // allowed here
    replica->leader = NULL;
}

static void replica_start(struct world *world, int number)
{
    struct replica *replica = &world->replicas[number];
    *replica = (struct replica){.world = world};
    replica->transport = fake_transport_create(world->loop, serve, replica);
    struct kube_client_options options = {0};
    replica->client = kube_client_create(world->loop, &replica->transport->base, &options);
    struct leader_options leader = {.namespace = "kube-system",
                                    .name = "karpenter-leader-election",
                                    .identity = number == 0 ? "host-a_1" : "host-b_2",
                                    .lease_duration_ns = 15 * SECOND,
                                    .renew_deadline_ns = 10 * SECOND,
                                    .retry_period_ns = 2 * SECOND,
                                    .started = started,
                                    .lost = lost,
                                    .context = replica};
    replica->leader = leader_create(world->loop, replica->client, &leader);
}

static void replica_kill(struct replica *replica)
{
    leader_destroy(replica->leader);
    replica->leader = NULL;
    kube_client_destroy(replica->client);
    replica->client = NULL;
}

static struct world *world_create(void)
{
    struct world *world = memory_allocate(sizeof *world);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    world->loop = loop_create_virtual(1767225600 * SECOND); // 2026-01-01
    return world;
}

static void world_destroy(struct world *world)
{
    for (int i = 0; i < 2; i++)
        replica_kill(&world->replicas[i]);
    json_decref(world->lease);
    loop_destroy(world->loop);
    free(world);
}

static bool leads(const struct world *world, int number)
{
    const struct leader *leader = world->replicas[number].leader;
    return leader != NULL && leader_is_leading(leader);
}

// Second by second: never two leaders at once.
static void run(struct world *world, int seconds)
{
    for (int i = 0; i < seconds * 10; i++) {
        loop_run_for(world->loop, 100 * MILLISECOND);
        assert_false(leads(world, 0) && leads(world, 1));
    }
}

static const json_t *spec(const struct world *world, const char *name)
{
    return json_object_get(json_object_get(world->lease, "spec"), name);
}

static void the_first_one_leads_and_renews_LIF_330(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    assert_true(leads(world, 0));
    assert_string_equal(json_string_value(spec(world, "holderIdentity")), "host-a_1");
    assert_int_equal(json_integer_value(spec(world, "leaseDurationSeconds")), 15);
    assert_int_equal(json_integer_value(spec(world, "leaseTransitions")), 0);
    const char *acquired = json_string_value(spec(world, "acquireTime"));
    assert_true(text_starts_with(acquired, "2026-01-01T00:00:00."));
    assert_int_equal(strlen(acquired), strlen("2026-01-01T00:00:00.000000Z"));
    CLEANUP_FREE char *before = memory_copy_string(acquired);
    replica_start(world, 1);
    run(world, 60);
    assert_true(leads(world, 0));
    assert_in_range(world->writes, 29, 32); // every 2 s
    assert_string_equal(json_string_value(spec(world, "acquireTime")), before);
    assert_string_not_equal(json_string_value(spec(world, "renewTime")), before);
    assert_int_equal(world->replicas[0].started, 1);
    assert_int_equal(world->replicas[1].started, 0);
    world_destroy(world);
}

static void another_takes_over_when_the_lease_expires_LIF_330(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    replica_start(world, 1);
    run(world, 20);
    replica_kill(&world->replicas[0]);
    run(world, 14);
    assert_false(leads(world, 1));
    run(world, 10);
    assert_true(leads(world, 1));
    assert_int_equal(json_integer_value(spec(world, "leaseTransitions")), 1);
    assert_string_equal(json_string_value(spec(world, "holderIdentity")), "host-b_2");
    world_destroy(world);
}

static void a_wrong_clock_of_the_holder_does_not_matter(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    // To the other replica, all renewals look an hour old.
    loop_skew_wall_clock(world->loop, HOUR);
    replica_start(world, 1);
    run(world, 60);
    assert_true(leads(world, 0));
    assert_int_equal(world->replicas[1].started, 0);
    world_destroy(world);
}

static void who_cannot_renew_stops_leading_before_the_lease_ends_LIF_330(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    replica_start(world, 1);
    run(world, 20);
    world->replicas[0].unreachable = true;
    run(world, 11);
    assert_false(leads(world, 0));
    assert_int_equal(world->replicas[0].lost, 1);
    run(world, 15);
    assert_true(leads(world, 1));
    world->replicas[0].unreachable = false;
    run(world, 60);
    assert_int_equal(world->replicas[0].lost, 1); // and does not return by itself
    assert_int_equal(world->replicas[0].started, 1);
    world_destroy(world);
}

static void a_lease_given_back_is_taken_at_once_LIF_474(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    replica_start(world, 1);
    run(world, 20);
    leader_release(world->replicas[0].leader, released, &world->replicas[0]);
    loop_run_for(world->loop, 10 * MILLISECOND);
    assert_int_equal(world->replicas[0].released, 1);
    assert_int_equal(world->replicas[0].lost, 0);
    assert_string_equal(json_string_value(spec(world, "holderIdentity")), "");
    assert_int_equal(json_integer_value(spec(world, "leaseDurationSeconds")), 1);
    run(world, 5);
    assert_true(leads(world, 1));
    assert_int_equal(json_integer_value(spec(world, "leaseTransitions")), 1);
    assert_int_equal(json_integer_value(spec(world, "leaseDurationSeconds")), 15);
    world_destroy(world);
}

static void giving_back_does_not_wait_for_ever(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    world->replicas[0].unreachable = true;
    leader_release(world->replicas[0].leader, released, &world->replicas[0]);
    loop_run_for(world->loop, 6 * SECOND);
    assert_int_equal(world->replicas[0].released, 1);
    world_destroy(world);
}

static void who_has_never_led_is_released_too(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    world->replicas[0].unreachable = true;
    run(world, 1);
    leader_release(world->replicas[0].leader, released, &world->replicas[0]);
    assert_int_equal(world->replicas[0].released, 0);
    loop_run_for(world->loop, MILLISECOND);
    assert_int_equal(world->replicas[0].released, 1);
    assert_null(world->lease);
    world_destroy(world);
}

static void a_lease_taken_by_force_ends_the_leader(void **state)
{
    (void)state;
    struct world *world = world_create();
    replica_start(world, 0);
    run(world, 1);
    json_t *stolen = json_deep_copy(world->lease);
    json_object_set_new(json_object_get(stolen, "spec"), "holderIdentity", json_string("thief"));
    store(world, stolen);
    json_decref(stolen);
    run(world, 3);
    assert_false(leads(world, 0));
    assert_int_equal(world->replicas[0].lost, 1);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_one_leads_and_renews_LIF_330),
        cmocka_unit_test(another_takes_over_when_the_lease_expires_LIF_330),
        cmocka_unit_test(a_wrong_clock_of_the_holder_does_not_matter),
        cmocka_unit_test(who_cannot_renew_stops_leading_before_the_lease_ends_LIF_330),
        cmocka_unit_test(a_lease_given_back_is_taken_at_once_LIF_474),
        cmocka_unit_test(giving_back_does_not_wait_for_ever),
        cmocka_unit_test(who_has_never_led_is_released_too),
        cmocka_unit_test(a_lease_taken_by_force_ends_the_leader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
