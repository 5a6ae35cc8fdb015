// A manager with an embedded API server and a scripted AWS on virtual time: the world of a
// provider's reconcilers. JSON with single quotes.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/metrics.h"
#include "base/nanoseconds.h"
#include "cloud/aws/fake_aws.h"
#include "kube/event_recorder.h"
#include "model/reading/settings_read.h"
#include "reconcile/manager.h"
#include "reconcile/operations.h"
#include "sim/apiserver/api_server.h"
#include "sim/apiserver/sim_transport.h"
#include "sim/store/resources.h"
#include "sim/store/store.h"
#include "sim/store/store_patch.h"

#define WORLD_START_NS (INT64_C(1767225600) * SECOND) // 2026-01-01T00:00:00Z

struct provider_world {
    struct loop *loop;
    struct store *store;
    struct api_server *api;
    struct kube_transport *transport; // of the client
    struct kube_client *kube;
    struct mirror *mirror;
    struct settings settings;
    struct metrics *metrics;
    struct event_recorder *recorder;
    struct fake_aws *aws;
    struct aws_client *client;
    struct manager manager;
};

static inline int64_t world_clock(void *loop)
{
    return loop_monotonic_ns(loop);
}

static inline json_t *world_json(const char *text)
{
    char *copy = memory_copy_string(text);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_error_t error;
    json_t *value = json_loads(copy, 0, &error);
    if (value == NULL)
        fail_msg("%s in %s", error.text, copy);
    free(copy);
    return value;
}

// Settings are set between world_open() and world_begin(), reconcilers created after the latter.
static inline struct provider_world *world_open(void)
{
    struct provider_world *world = memory_allocate(sizeof *world);
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    world->loop = loop_create_virtual(WORLD_START_NS);
    world->store = store_create(world->loop, 1);
    resources_register(world->store);
    world->api = api_server_create(world->loop, world->store);
    struct sim_transport_options transport = {.seed = 1,
                                              .latency_min_ns = MILLISECOND,
                                              .latency_max_ns = 2 * MILLISECOND,
                                              .watch_latency_min_ns = MILLISECOND,
                                              .watch_latency_max_ns = 2 * MILLISECOND};
    world->transport = sim_transport_create(world->loop, world->api, &transport);
    world->kube = kube_client_create(world->loop, world->transport,
                                     &(struct kube_client_options){.qps = 200, .burst = 300});
    world->mirror = mirror_create(world->loop, world->kube);
    settings_defaults(&world->settings);
    world->settings.cluster_name = "test-cluster";
    world->metrics = metrics_create(world_clock, world->loop);
    world->recorder = event_recorder_create(world->loop, world->kube, "adze");
    world->aws = fake_aws_create(world->loop);
    world->client = fake_aws_client(world->aws);
    return world;
}

static inline void world_begin(struct provider_world *world)
{
    manager_init(&world->manager, &(struct manager_options){.loop = world->loop,
                                                            .client = world->kube,
                                                            .mirror = world->mirror,
                                                            .settings = &world->settings,
                                                            .recorder = world->recorder,
                                                            .metrics = world->metrics,
                                                            .seed = 1});
    world->manager.operations = operations_create(&world->manager);
}

// The reconcilers exist: the mirror fills, and the queues run.
static inline void world_lead(struct provider_world *world)
{
    static const enum kind_id kinds[] = {KIND_NODE, KIND_NODE_CLAIM, KIND_NODE_POOL,
                                         KIND_EC2_NODE_CLASS};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_watch(world->mirror, kinds[i], NULL, NULL, false);
    loop_run_for(world->loop, 100 * MILLISECOND);
    assert_true(mirror_synced(world->mirror));
    manager_lead(&world->manager);
    manager_start_queues(&world->manager);
}

// After the reconcilers were destroyed.
static inline void world_close(struct provider_world *world)
{
    manager_stop(&world->manager);
    fake_aws_destroy(world->aws);
    event_recorder_destroy(world->recorder);
    mirror_destroy(world->mirror);
    kube_client_destroy(world->kube);
    operations_destroy(world->manager.operations);
    manager_free(&world->manager);
    metrics_destroy(world->metrics);
    api_server_destroy(world->api);
    store_destroy(world->store);
    loop_destroy(world->loop);
    free(world);
}

static inline const struct store_resource *world_resource(struct provider_world *world,
                                                          const json_t *object)
{
    const struct store_resource *resource = store_resource_of_kind(
        world->store, json_string_value(json_object_get(object, "apiVersion")),
        json_string_value(json_object_get(object, "kind")));
    assert_non_null(resource);
    return resource;
}

static inline void world_add(struct provider_world *world, const char *text)
{
    json_t *object = world_json(text);
    struct error error = {0};
    json_t *stored = store_add(world->store, world_resource(world, object), NULL, object, &error);
    if (stored == NULL)
        fail_msg("%s", error.message);
    json_t *status = json_object_get(object, "status");
    if (status != NULL && json_object_get(stored, "status") == NULL) {
        json_t *patch = json_pack("{s:O}", "status", status);
        struct store_target target = {
            world_resource(world, object), NULL,
            json_string_value(json_object_get(json_object_get(object, "metadata"), "name")),
            "status"};
        if (store_patch(world->store, &target, "merge", patch, &error) == NULL)
            fail_msg("%s", error.message);
        json_decref(patch);
    }
    json_decref(object);
}

#define world_claim_text(name, instance, labels, more)                                             \
    "{'apiVersion':'karpenter.sh/v1','kind':'NodeClaim','metadata':{'name':'" name "',"            \
    "'finalizers':['karpenter.sh/termination'],'labels':{'karpenter.sh/nodepool':'default'" labels \
    "}},'spec':{'nodeClassRef':{'group':'karpenter.k8s.aws','kind':'EC2NodeClass',"                \
    "'name':'default'},'requirements':[{'key':'kubernetes.io/os','operator':'In',"                 \
    "'values':['linux']}]},'status':{'providerID':'aws:///us-west-2a/" instance "'" more "}}"
#define world_node_text(name, instance, labels)                                               \
    "{'apiVersion':'v1','kind':'Node','metadata':{'name':'" name "','labels':{'a':'b'" labels \
    "}},'spec':{'providerID':'aws:///us-west-2a/" instance "'}}"

static inline const struct object *world_claim(struct provider_world *world, const char *name)
{
    return mirror_get(world->mirror, KIND_NODE_CLAIM, NULL, name);
}

struct world_event_count {
    const char *reason;
    uint32_t count;
};

static inline bool world_count_event(void *context, json_t *event)
{
    struct world_event_count *wanted = context;
    wanted->count +=
        text_equal(json_string_value(json_object_get(event, "reason")), wanted->reason);
    return true;
}

static inline uint32_t world_events(struct provider_world *world, const char *reason)
{
    struct world_event_count wanted = {.reason = reason};
    store_each(world->store, store_resource_of_kind(world->store, "v1", "Event"), NULL,
               world_count_event, &wanted);
    return wanted.count;
}
