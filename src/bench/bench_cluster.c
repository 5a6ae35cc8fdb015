// Running clusters for `adze bench disrupt` (FMT-15): nodes from nearly empty to full, of several
// NodePools, zones, capacity types and sizes. Their pods have spreads, affinity and anti-affinity,
// PodDisruptionBudgets or karpenter.sh/do-not-disrupt. Every NodeClaim is consolidatable.
//
//   settled   no move pays, but every node is examined: each has a pod that fits no other node,
//             and a machine without a cheaper replacement
//   loose     the pods can move, and most machines are larger than necessary
//   drifting  loose, and each tenth node has drifted
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_builder.h"
#include "bench/bench_cluster_pools.h"
#include "bench/bench_nodes.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"

#define MEBIBYTE          (INT64_C(1) << 20)
#define NAMESPACES        20
#define REPLICAS          20 // of an application, on average
#define DAEMON_MILLICORES 100
#define DAEMON_BYTES      (128 * MEBIBYTE)
#define STEP_MILLICORES   250 // the smallest request of an application
#define TRIES             8

static const char *const zones[] = {"us-east-1a", "us-east-1b", "us-east-1c"};
#define ZONES ARRAY_LENGTH(zones)

struct application {
    uint32_t number, pool;
    int64_t cpu_millicores, memory_bytes;
    enum arrangement { FREELY, OVER_ZONES, OVER_NODES, APART, TOGETHER, ARRANGEMENTS } arrangement;
    uint32_t in_zone[ARRAY_LENGTH(zones)], replicas, last_node; // number of the node + 1
    bool guarded, frozen; // has a PodDisruptionBudget; that allows no disruption
    bool undisturbed;     // its pods have do-not-disrupt
};

struct cluster {
    struct bench_builder *builder;
    bool settled, drifting;
    struct application *applications; // those of a pool are adjacent
    uint32_t first[CLUSTER_POOLS + 1];
    const struct node_pool *pools[CLUSTER_POOLS];
    const struct instance_type **types[CLUSTER_POOLS]; // cheapest first
    uint32_t types_count[CLUSTER_POOLS];
};

struct node_plan { // one node under construction
    uint32_t index, pool, zone;
    char name[32], provider_id[48];
    struct application **pods;
    uint32_t pods_count;
    int64_t cpu_millicores, memory_bytes; // the requests of its pods and its daemon
};

static bool add_settled_environment(struct bench_builder *builder, struct error *error)
{
    return cluster_pools_add(builder, true, error);
}

static bool add_loose_environment(struct bench_builder *builder, struct error *error)
{
    return cluster_pools_add(builder, false, error);
}

// --- machines ------------------------------------------------------------------------------------

static const struct offering *offering_of(const struct cluster_pool *pool,
                                          const struct instance_type *type, const char *zone)
{
    const char *wanted = pool->spot_allowed ? CAPACITY_TYPE_SPOT : CAPACITY_TYPE_ON_DEMAND;
    list_for_each (offering, &type->offerings)
        if (offering->available &&
            text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                       wanted) &&
            text_equal(requirement_single_value(&offering->requirements, LABEL_ZONE), zone))
            return offering;
    return NULL;
}

// Spot prices are proportional to these.
static int64_t price_of(const struct instance_type *type)
{
    list_for_each (offering, &type->offerings)
        if (text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                       CAPACITY_TYPE_ON_DEMAND))
            return offering->price;
    return INT64_MAX;
}

static int by_price(const void *a, const void *b)
{
    const struct instance_type *x = *(const struct instance_type *const *)a;
    const struct instance_type *y = *(const struct instance_type *const *)b;
    int64_t left = price_of(x), right = price_of(y);
    return left != right ? (left > right) - (left < right) : strcmp(x->name, y->name);
}

static void list_types(struct cluster *cluster, uint32_t pool)
{
    const struct instance_type_catalog *catalog =
        (const struct instance_type_catalog *)cluster->builder->snapshot
            ->objects[KIND_INSTANCE_TYPE_CATALOG]
            .items[0];
    cluster->types[pool] =
        memory_allocate_array(catalog->spec.instance_types.count + 1, sizeof *cluster->types[pool]);
    list_for_each (type, &catalog->spec.instance_types)
        if (cluster_pool_has_type(&cluster_pools[pool], type) &&
            offering_of(&cluster_pools[pool], type, zones[0]) != NULL)
            cluster->types[pool][cluster->types_count[pool]++] = type;
    assert(cluster->types_count[pool] > 0);
    qsort(cluster->types[pool], cluster->types_count[pool], sizeof *cluster->types[pool], by_price);
}

struct room {
    int64_t cpu_millicores, memory_bytes, pods;
};

static struct room room_on(const struct cluster *cluster, const struct instance_type *type)
{
    struct arena *arena = cluster->builder->arena;
    struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
    struct room room = {resource_map_get(&allocatable, "cpu"),
                        resource_map_get(&allocatable, "memory"),
                        resource_map_get(&allocatable, "pods")};
    arena_reset(arena);
    return room;
}

// The cheapest machine with `times` the pods' requests, or else the largest.
static const struct instance_type *choose_type(const struct cluster *cluster,
                                               const struct node_plan *node, int64_t times)
{
    const struct instance_type *largest = cluster->types[node->pool][0];
    for (uint32_t i = 0; i < cluster->types_count[node->pool]; i++) {
        const struct instance_type *type = cluster->types[node->pool][i];
        struct room room = room_on(cluster, type);
        if (room.cpu_millicores >= times * node->cpu_millicores &&
            room.memory_bytes >= times * node->memory_bytes && room.pods > node->pods_count + 2 &&
            offering_of(&cluster_pools[node->pool], type, zones[node->zone]) != NULL)
            return type;
        if (room.cpu_millicores > room_on(cluster, largest).cpu_millicores)
            largest = type;
    }
    return largest;
}

// --- applications --------------------------------------------------------------------------------

static enum arrangement draw_arrangement(struct random *random)
{
    static const uint32_t percent[ARRANGEMENTS] = {55, 20, 10, 10, 5};
    uint32_t dice = (uint32_t)random_below(random, 100), arrangement = 0;
    while (dice >= percent[arrangement])
        dice -= percent[arrangement++];
    return (enum arrangement)arrangement;
}

static struct application draw_application(struct random *random, uint32_t number, uint32_t pool)
{
    static const int64_t cpus[] = {STEP_MILLICORES, 500, 500, 1000, 2000};
    static const int64_t gibibytes[] = {1, 2, 4};
    struct application drawn = {.number = number, .pool = pool};
    drawn.cpu_millicores = cpus[random_below(random, ARRAY_LENGTH(cpus))];
    drawn.memory_bytes = drawn.cpu_millicores *
                         gibibytes[random_below(random, ARRAY_LENGTH(gibibytes))] * 1024 / 1000 *
                         MEBIBYTE;
    drawn.arrangement = draw_arrangement(random);
    drawn.guarded = random_chance(random, 0.2);
    drawn.frozen = random_chance(random, 0.05);
    drawn.undisturbed = random_chance(random, 0.005);
    return drawn;
}

static void draw_applications(struct cluster *cluster, uint32_t pods)
{
    struct random *random = &cluster->builder->random;
    uint32_t total = 0, number = 0;
    for (uint32_t p = 0; p < CLUSTER_POOLS; p++)
        total += pods * cluster_pools[p].share / 100 / REPLICAS + 2;
    cluster->applications = memory_allocate_array(total, sizeof *cluster->applications);
    for (uint32_t p = 0; p < CLUSTER_POOLS; p++) {
        cluster->first[p] = number;
        for (uint32_t i = 0; i < pods * cluster_pools[p].share / 100 / REPLICAS + 2; i++, number++)
            cluster->applications[number] = draw_application(random, number, p);
    }
    cluster->first[CLUSTER_POOLS] = number;
}

static void name_application(const struct application *application, char name[32],
                             char namespace[32])
{
    snprintf(name, 32, "app-%u", application->number);
    snprintf(namespace, 32, "team-%u", application->number % NAMESPACES);
}

static bool add_budgets(const struct cluster *cluster, struct error *error)
{
    for (uint32_t i = 0; i < cluster->first[CLUSTER_POOLS]; i++) {
        const struct application *application = &cluster->applications[i];
        char name[32], namespace[32];
        name_application(application, name, namespace);
        if (application->guarded &&
            !bench_add_document(
                cluster->builder,
                json_pack("{s:s, s:s, s:{s:s, s:s, s:s}, s:{s:s, s:{s:{s:s}}}, s:{s:i}}",
                          "apiVersion", "policy/v1", "kind", "PodDisruptionBudget", "metadata",
                          "name", name, "namespace", namespace, "uid", name, "spec",
                          "maxUnavailable", "10%", "selector", "matchLabels", "app", name, "status",
                          "disruptionsAllowed", application->frozen ? 0 : 2),
                error))
            return false;
    }
    return true;
}

// --- pods ----------------------------------------------------------------------------------------

static struct pod *running_pod(struct bench_builder *builder, const char *app,
                               const char *namespace, const char *name, int64_t cpu_millicores,
                               int64_t memory_bytes, const struct node_plan *node)
{
    struct pod *pod = bench_pod(builder, name, app, cpu_millicores, memory_bytes);
    pod->meta.namespace = arena_copy_string(builder->arena, namespace);
    bench_pod_label(builder, pod, "app", app);
    if (cluster_pools[node->pool].tainted) {
        bench_pod_node_selector(builder, pod, "tier", cluster_pools[node->pool].name);
        bench_pod_tolerate(builder, pod, "tier", cluster_pools[node->pool].name);
    }
    bench_pod_bind(pod, node->name);
    return pod;
}

static void arrange(struct bench_builder *builder, struct pod *pod, const char *app,
                    enum arrangement arrangement)
{
    struct label_selector *self = bench_selector(builder, "app", app);
    if (arrangement == OVER_ZONES)
        bench_pod_spread(builder, pod, LABEL_ZONE, 1, self);
    else if (arrangement == OVER_NODES)
        bench_pod_spread(builder, pod, LABEL_HOSTNAME, 1, self);
    else if (arrangement == APART)
        bench_pod_anti_affinity(builder, pod, LABEL_HOSTNAME, self);
    else if (arrangement == TOGETHER)
        bench_pod_affinity(builder, pod, LABEL_ZONE, self);
}

static void add_replica(struct bench_builder *builder, struct application *application,
                        const struct node_plan *node)
{
    char app[32], namespace[32], name[64];
    name_application(application, app, namespace);
    snprintf(name, sizeof name, "%s-%u", app, application->replicas++);
    struct pod *pod = running_pod(builder, app, namespace, name, application->cpu_millicores,
                                  application->memory_bytes, node);
    arrange(builder, pod, app, application->arrangement);
    if (application->undisturbed)
        bench_label(builder, &pod->meta.annotations, ANNOTATION_DO_NOT_DISRUPT, "true");
    bench_add(builder, (const struct object *)pod);
}

static void add_daemon_pod(struct bench_builder *builder, const struct node_plan *node)
{
    char name[64];
    snprintf(name, sizeof name, "agent-%s", node->name);
    struct toleration everything = {.operator= "Exists" };
    struct pod *pod = bench_pod(builder, name, "agent", DAEMON_MILLICORES, DAEMON_BYTES);
    pod->meta.namespace = "kube-system";
    pod->meta.owner_references.items[0].kind = "DaemonSet";
    bench_pod_label(builder, pod, "app", "agent");
    pod->spec.tolerations.items = &everything;
    pod->spec.tolerations.count = 1;
    bench_pod_bind(pod, node->name);
    bench_add(builder, (const struct object *)pod);
}

static void add_plain_pod(struct bench_builder *builder, const char *app, bool apart,
                          int64_t cpu_millicores, int64_t memory_bytes,
                          const struct node_plan *node)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s", app, node->name);
    struct pod *pod =
        running_pod(builder, app, BENCH_NAMESPACE, name, cpu_millicores, memory_bytes, node);
    arrange(builder, pod, app, apart ? APART : FREELY);
    bench_add(builder, (const struct object *)pod);
}

// --- nodes ---------------------------------------------------------------------------------------

static bool may_join(const struct application *application, const struct node_plan *node)
{
    const uint32_t *in_zone = application->in_zone;
    switch (application->arrangement) {
    case OVER_ZONES:
        for (uint32_t z = 0; z < ZONES; z++)
            if (in_zone[z] < in_zone[node->zone])
                return false;
        return true;
    case OVER_NODES:
    case APART:
        return application->last_node != node->index + 1;
    case TOGETHER:
        return application->number % ZONES == node->zone;
    case FREELY:
    case ARRANGEMENTS:
        break;
    }
    return true;
}

// Random applications; on machines of one size as many as fit.
static void draw_pods(struct cluster *cluster, struct node_plan *node, uint32_t count)
{
    struct random *random = &cluster->builder->random;
    uint32_t first = cluster->first[node->pool], last = cluster->first[node->pool + 1];
    const struct cluster_pool *pool = &cluster_pools[node->pool];
    struct room room = room_on(cluster, cluster->types[node->pool][0]);
    for (uint32_t tries = TRIES * count; node->pods_count < count && tries > 0; tries--) {
        struct application *application =
            &cluster->applications[first + random_below(random, last - first)];
        if (!may_join(application, node) ||
            (pool->size != NULL &&
             (node->cpu_millicores + application->cpu_millicores > room.cpu_millicores ||
              node->memory_bytes + application->memory_bytes > room.memory_bytes)))
            continue;
        application->last_node = node->index + 1;
        application->in_zone[node->zone]++;
        node->pods[node->pods_count++] = application;
        node->cpu_millicores += application->cpu_millicores;
        node->memory_bytes += application->memory_bytes;
    }
}

// Fills a full node's remaining cpu with one more pod, in steps.
static void fill_up(struct cluster *cluster, const struct node_plan *node,
                    const struct instance_type *type)
{
    struct room room = room_on(cluster, type);
    int64_t left = (room.cpu_millicores - node->cpu_millicores) / STEP_MILLICORES;
    if (left > 0 && room.memory_bytes - node->memory_bytes >= STEP_MILLICORES * MEBIBYTE)
        add_plain_pod(cluster->builder, "filler", false, left * STEP_MILLICORES,
                      STEP_MILLICORES * MEBIBYTE, node);
}

// Reserves the requests of the pod that holds the node.
static int64_t reserve_hold(struct cluster *cluster, struct node_plan *node)
{
    enum hold hold = cluster_pools[node->pool].hold;
    if (!cluster->settled || hold == FULL)
        return 0;
    int64_t cpu_millicores =
        hold == ANCHORED
            ? STEP_MILLICORES
            : room_on(cluster, cluster->types[node->pool][0]).cpu_millicores / 2 + STEP_MILLICORES;
    node->cpu_millicores += cpu_millicores;
    node->memory_bytes += STEP_MILLICORES * MEBIBYTE;
    return cpu_millicores;
}

static void add_node(struct cluster *cluster, struct node_plan *node, uint32_t pods)
{
    struct bench_builder *builder = cluster->builder;
    const struct cluster_pool *pool = &cluster_pools[node->pool];
    int64_t hold_millicores = reserve_hold(cluster, node);
    draw_pods(cluster, node, pods);
    bool exact = cluster->settled && pool->hold == FULL;
    const struct instance_type *type =
        choose_type(cluster, node, exact ? 1 : 1 + (int64_t)random_below(&builder->random, 4));
    bool drifted = random_chance(&builder->random, 0.1) && (cluster->settled || cluster->drifting);
    bench_add_machine(builder, &(struct bench_machine){
                                   .pool = cluster->pools[node->pool],
                                   .type = type,
                                   .offering = offering_of(pool, type, zones[node->zone]),
                                   .name = node->name,
                                   .provider_id = node->provider_id,
                                   .consolidatable = true,
                                   .drifted = drifted,
                               });
    add_daemon_pod(builder, node);
    for (uint32_t i = 0; i < node->pods_count; i++)
        add_replica(builder, node->pods[i], node);
    if (hold_millicores > 0)
        add_plain_pod(builder, pool->name, pool->hold == ANCHORED, hold_millicores,
                      STEP_MILLICORES * MEBIBYTE, node);
    if (exact)
        fill_up(cluster, node, type);
}

static uint32_t draw_pool(struct random *random)
{
    uint32_t dice = (uint32_t)random_below(random, 100), pool = 0;
    while (dice >= cluster_pools[pool].share)
        dice -= cluster_pools[pool++].share;
    return pool;
}

static void add_nodes(struct cluster *cluster, uint32_t nodes, uint32_t pods_per_node)
{
    struct random *random = &cluster->builder->random;
    // A node's pods include the daemon and the pod that holds it.
    uint32_t drawn = pods_per_node > 2 ? pods_per_node - 2 : 1;
    CLEANUP_FREE struct application **pods = memory_allocate_array(2 * drawn + 1, sizeof *pods);
    for (uint32_t i = 0; i < nodes; i++) {
        struct node_plan node = {.index = i,
                                 .pool = draw_pool(random),
                                 .zone = (uint32_t)random_below(random, ZONES),
                                 .pods = pods,
                                 .cpu_millicores = DAEMON_MILLICORES,
                                 .memory_bytes = DAEMON_BYTES};
        snprintf(node.name, sizeof node.name, "node-%u", i);
        snprintf(node.provider_id, sizeof node.provider_id, "bench:///%s", node.name);
        add_node(cluster, &node, 1 + (uint32_t)random_below(random, 2 * drawn));
    }
}

static bool add_cluster(struct cluster *cluster, struct error *error)
{
    const struct bench_workload *workload = cluster->builder->workload;
    for (uint32_t p = 0; p < CLUSTER_POOLS; p++) {
        cluster->pools[p] =
            (const struct node_pool *)cluster->builder->snapshot->objects[KIND_NODE_POOL].items[p];
        list_types(cluster, p);
    }
    draw_applications(cluster, workload->nodes * workload->pods_per_node);
    bool done = add_budgets(cluster, error);
    if (done)
        add_nodes(cluster, workload->nodes, workload->pods_per_node);
    for (uint32_t p = 0; p < CLUSTER_POOLS; p++)
        free(cluster->types[p]);
    free(cluster->applications);
    return done;
}

// Evictions there cost more than any other mix of machines could save.
static bool add_settled_cluster(struct bench_builder *builder, struct error *error)
{
    if (!settings_set(&builder->snapshot->settings, "DISRUPTION_COST_PER_POD", "0.1", error))
        return false;
    return add_cluster(&(struct cluster){.builder = builder, .settled = true}, error);
}

static bool add_loose_cluster(struct bench_builder *builder, struct error *error)
{
    return add_cluster(&(struct cluster){.builder = builder}, error);
}

static bool add_drifting_cluster(struct bench_builder *builder, struct error *error)
{
    return add_cluster(&(struct cluster){.builder = builder, .drifting = true}, error);
}

static void add_pending(struct bench_builder *builder, uint32_t pods)
{
    bench_mix_mixed.add_pods(builder, pods);
}

const struct bench_mix bench_mix_settled = {
    .name = "settled",
    .summary = "a running cluster in which nothing can be gained",
    .priced = true,
    .add_environment = add_settled_environment,
    .add_pods = add_pending,
    .add_cluster = add_settled_cluster,
};
const struct bench_mix bench_mix_loose = {
    .name = "loose",
    .summary = "a running cluster of machines that are larger than they need be",
    .priced = true,
    .add_environment = add_loose_environment,
    .add_pods = add_pending,
    .add_cluster = add_loose_cluster,
};
const struct bench_mix bench_mix_drifting = {
    .name = "drifting",
    .summary = "the same, and each tenth node has drifted",
    .priced = true,
    .add_environment = add_loose_environment,
    .add_pods = add_pending,
    .add_cluster = add_drifting_cluster,
};
