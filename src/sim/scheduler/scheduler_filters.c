// The filters that need only the pod and the node, and the order of all filters.
#include "sim/scheduler/scheduler_filters.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_affinity.h"
#include "sim/scheduler/scheduler_devices.h"
#include "sim/scheduler/scheduler_groups.h"
#include "sim/scheduler/scheduler_internal.h"
#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/scheduler/scheduler_spread.h"
#include "sim/scheduler/scheduler_taints.h"
#include "sim/scheduler/scheduler_volumes.h"

static bool filter_own(const struct filter_state *state, const struct filter_node *node,
                       struct filter_tally *tally);

struct filter_state *filter_prepare(struct filter_cluster *cluster, const struct pod *pod)
{
    groups_limit(cluster);
    return state_create(cluster, pod);
}

struct filter_state *state_create(struct filter_cluster *cluster, const struct pod *pod)
{
    struct arena *arena = arena_create(1024);
    struct filter_state *state = arena_allocate(arena, sizeof *state);
    *state = (struct filter_state){.cluster = cluster, .arena = arena, .pod = pod};
    state->self = filter_pod_find(cluster, pod);
    if (state->self == NULL || state->self->pod != pod) {
        state->self = filter_pod_create(cluster, pod);
        state->self_is_own = true;
    }
    volumes_prepare(state);
    if (state->refusal == NULL)
        devices_prepare(state);
    if (state->refusal == NULL) {
        spread_prepare(state);
        affinity_prepare(state);
    }
    return state;
}

void filter_release(struct filter_state *state)
{
    if (state == NULL)
        return;
    if (state->self_is_own)
        filter_pod_destroy(state->self);
    devices_release(state);
    arena_destroy(state->arena);
}

const char *filter_refusal(const struct filter_state *state)
{
    return state->refusal;
}

bool filter_node(struct filter_state *state, uint32_t index, struct filter_tally *tally)
{
    assert(state->refusal == NULL);
    assert(index < state->cluster->slots.count);
    const struct filter_node *node = state->cluster->slots.items[index];
    assert(node != NULL && node->node != NULL);
    return filter_own(state, node, tally) && volumes_filter(state, node, tally) &&
           spread_filter(state, node, tally) && affinity_filter(state, node, tally) &&
           devices_filter(state, node, tally);
}

bool filter_fits(struct filter_cluster *cluster, const struct pod *pod, const char *node_name,
                 struct text *why)
{
    uint32_t index = filter_node_find(cluster, node_name);
    if (index == FILTER_NODE_NONE) {
        if (why != NULL)
            text_format(why, "there is no node %s", node_name);
        return false;
    }
    struct filter_state *state = filter_prepare(cluster, pod);
    struct filter_tally tally = {0};
    bool fits = state->refusal == NULL && filter_node(state, index, &tally);
    if (!fits && why != NULL)
        filter_tally_describe(state, &tally, why);
    filter_tally_free(&tally);
    filter_release(state);
    return fits;
}

bool filter_fits_empty(const struct filter_cluster *cluster, const struct pod *pod, uint32_t index)
{
    const struct filter_pod *self = filter_pod_find(cluster, pod);
    const struct filter_node *node = cluster->slots.items[index];
    if (self == NULL || node == NULL || node->node == NULL || node->pods_allowed < 1)
        return false;
    for (uint32_t i = 0; i < self->requests_count; i++) {
        uint32_t resource = self->requests[i].resource;
        if (resource >= node->width || self->requests[i].value > node->allocatable[resource])
            return false;
    }
    return true;
}

// --- the filters ---------------------------------------------------------------------------------

static bool ports_free(const struct filter_pod *pod, const struct filter_node *node);
static bool resources_fit(const struct filter_pod *pod, const struct filter_node *node,
                          struct filter_tally *tally);

static bool filter_own(const struct filter_state *state, const struct filter_node *node,
                       struct filter_tally *tally)
{
    static const struct taint unschedulable = {.key = "node.kubernetes.io/unschedulable",
                                               .effect = "NoSchedule"};
    const struct pod_spec *spec = &state->pod->spec;
    if (node->node->spec.unschedulable && !tolerations_tolerate(&spec->tolerations, &unschedulable))
        return tally_add(tally, FILTER_NODE_UNSCHEDULABLE);
    if (spec->node_name != NULL && spec->node_name[0] != '\0' &&
        strcmp(spec->node_name, node->name) != 0)
        return tally_add(tally, FILTER_NODE_NAME);
    if (filter_untolerated_taint(spec, node->node, false) != NULL)
        return tally_add(tally, FILTER_TAINT);
    if (!filter_node_affinity_matches(spec, node->node))
        return tally_add(tally, FILTER_NODE_AFFINITY);
    if (!ports_free(state->self, node))
        return tally_add(tally, FILTER_PORTS);
    return resources_fit(state->self, node, tally);
}

// An address of "" or 0.0.0.0 matches every address.
static bool ports_collide(const struct container_port *a, const struct container_port *b)
{
    if (a->host_port != b->host_port)
        return false;
    const char *protocol_a = a->protocol == NULL ? "TCP" : a->protocol;
    const char *protocol_b = b->protocol == NULL ? "TCP" : b->protocol;
    if (strcmp(protocol_a, protocol_b) != 0)
        return false;
    const char *any = "0.0.0.0";
    const char *ip_a = a->host_ip == NULL || a->host_ip[0] == '\0' ? any : a->host_ip;
    const char *ip_b = b->host_ip == NULL || b->host_ip[0] == '\0' ? any : b->host_ip;
    return strcmp(ip_a, any) == 0 || strcmp(ip_b, any) == 0 || strcmp(ip_a, ip_b) == 0;
}

static bool ports_free(const struct filter_pod *pod, const struct filter_node *node)
{
    if (pod->ports_count == 0 || node->ports_count == 0)
        return true;
    for (const struct filter_pod *other = node->first; other != NULL; other = other->next)
        for (uint32_t i = 0; i < pod->ports_count; i++)
            for (uint32_t j = 0; j < other->ports_count; j++)
                if (ports_collide(pod->ports[i], other->ports[j]))
                    return false;
    return true;
}

static void tally_resource(struct filter_tally *tally, uint32_t resource)
{
    if (tally == NULL)
        return;
    if (resource >= tally->resources_count) {
        tally->resources =
            memory_resize(tally->resources, (resource + 1) * sizeof *tally->resources);
        memset(tally->resources + tally->resources_count, 0,
               (resource + 1 - tally->resources_count) * sizeof *tally->resources);
        tally->resources_count = resource + 1;
    }
    tally->resources[resource]++;
}

// Reports every insufficient resource, as kube-scheduler does.
static bool resources_fit(const struct filter_pod *pod, const struct filter_node *node,
                          struct filter_tally *tally)
{
    bool fits = true;
    if ((int64_t)node->pods_count + 1 > node->pods_allowed)
        fits = tally_add(tally, FILTER_TOO_MANY_PODS);
    for (uint32_t i = 0; i < pod->requests_count; i++) {
        uint32_t resource = pod->requests[i].resource;
        int64_t free_amount =
            resource < node->width ? node->allocatable[resource] - node->requested[resource] : 0;
        if (pod->requests[i].value <= free_amount)
            continue;
        tally_resource(tally, resource);
        fits = false;
    }
    return fits;
}

// --- reasons -------------------------------------------------------------------------------------

bool tally_add(struct filter_tally *tally, enum filter_reason reason)
{
    if (tally != NULL)
        tally->reasons[reason]++;
    return false;
}

void filter_tally_free(struct filter_tally *tally)
{
    free(tally->resources);
    *tally = (struct filter_tally){0};
}

uint32_t filter_tally_reasons(const struct filter_state *state, const struct filter_tally *tally)
{
    if (state->cluster->nodes_count == 0)
        return 0;
    if (state->refusal != NULL)
        return UINT32_C(1) << FILTER_VOLUME_BINDING;
    uint32_t reasons = 0;
    for (uint32_t i = 0; i < FILTER_REASONS; i++)
        reasons |= tally->reasons[i] > 0 ? UINT32_C(1) << i : 0;
    for (uint32_t i = 0; i < tally->resources_count; i++)
        reasons |= tally->resources[i] > 0 ? UINT32_C(1) << FILTER_RESOURCES : 0;
    return reasons;
}

static const char *const reason_texts[FILTER_REASONS] = {
    [FILTER_NODE_UNSCHEDULABLE] = "node(s) were unschedulable",
    [FILTER_NODE_NAME] = "node(s) didn't match the requested node name",
    [FILTER_TAINT] = "node(s) had untolerated taint(s)",
    [FILTER_NODE_AFFINITY] = "node(s) didn't match Pod's node affinity/selector",
    [FILTER_PORTS] = "node(s) didn't have free ports for the requested pod ports",
    [FILTER_TOO_MANY_PODS] = "Too many pods",
    [FILTER_RESOURCES] = "Insufficient resources",
    [FILTER_CLAIM_IN_USE] = ("node has pod using PersistentVolumeClaim with the same name and "
                             "ReadWriteOncePod access mode"),
    [FILTER_VOLUME_COUNT] = "node(s) exceed max volume count",
    [FILTER_VOLUME_MISSING] =
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    [FILTER_VOLUME_AFFINITY] = "node(s) had volume node affinity conflict",
    [FILTER_VOLUME_BINDING] = "node(s) didn't find available persistent volumes to bind",
    [FILTER_VOLUME_ZONE] = "node(s) had no available volume zone",
    [FILTER_SPREAD_LABEL] =
        "node(s) didn't match pod topology spread constraints (missing required label)",
    [FILTER_SPREAD] = "node(s) didn't match pod topology spread constraints",
    [FILTER_POD_AFFINITY] = "node(s) didn't match pod affinity rules",
    [FILTER_POD_ANTI_AFFINITY] = "node(s) didn't match pod anti-affinity rules",
    [FILTER_EXISTING_ANTI_AFFINITY] = "node(s) didn't satisfy existing pods anti-affinity rules",
    [FILTER_DEVICES_ELSEWHERE] = "resourceclaim not available on the node",
    [FILTER_DEVICES] = "cannot allocate all claims",
};

void filter_tally_describe(const struct filter_state *state, const struct filter_tally *tally,
                           struct text *out)
{
    uint32_t nodes = state->cluster->nodes_count;
    if (nodes == 0) {
        text_add(out, "no nodes available to schedule pods");
        return;
    }
    if (state->refusal != NULL) {
        text_format(out, "0/%u nodes are available: %s.", nodes, state->refusal);
        return;
    }
    VECTOR(char *) parts = {0};
    for (uint32_t i = 0; i < FILTER_REASONS; i++)
        if (tally->reasons[i] > 0)
            vector_push(&parts,
                        arena_format(state->arena, "%u %s", tally->reasons[i], reason_texts[i]));
    for (uint32_t i = 0; i < tally->resources_count; i++)
        if (tally->resources[i] > 0)
            vector_push(&parts,
                        arena_format(state->arena, "%u Insufficient %s", tally->resources[i],
                                     symbols_text(state->cluster->resources, i)));
    if (parts.count > 0)
        qsort(parts.items, parts.count, sizeof *parts.items, text_compare);
    text_format(out, "0/%u nodes are available", nodes);
    for (uint32_t i = 0; i < parts.count; i++)
        text_format(out, "%s %s", i == 0 ? ":" : ",", parts.items[i]);
    text_add(out, ".");
    vector_free(&parts);
}
