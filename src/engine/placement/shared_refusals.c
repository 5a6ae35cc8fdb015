#include "engine/placement/shared_refusals.h"

#include <assert.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/placement/node_check.h"
#include "engine/pods/topology_groups.h"
#include "engine/topology/topology.h"

struct shared_nodes {
    int64_t **free;         // by dimension, then node
    struct bitset unusable; // they take no pods at all
    uint32_t *kind;         // by node: nodes that differ in free room only, for a shape
    uint32_t *samples;      // by kind: a node
    uint32_t kinds;
};

static void sort_kinds(const struct problem *problem, struct shared_nodes *nodes,
                       struct arena *arena)
{
    uint32_t count = problem->nodes.count;
    struct memo known = {0};
    nodes->kind = arena_allocate_array(arena, count + 1, sizeof *nodes->kind);
    nodes->samples = arena_allocate_array(arena, count + 1, sizeof *nodes->samples);
    for (uint32_t i = 0; i < count; i++) {
        const struct schedulable_node *node = &problem->schedulable_nodes[i];
        uint32_t kind = memo_get(&known, node->set, node->taints);
        if (kind == MEMO_NONE) {
            kind = nodes->kinds++;
            memo_set(&known, node->set, node->taints, kind);
            nodes->samples[kind] = i;
        }
        nodes->kind[i] = kind;
    }
    assert(nodes->kinds <= count);
    memo_free(&known);
}

static void make_columns(const struct problem *problem, struct shared_nodes *nodes,
                         struct arena *arena)
{
    uint32_t count = problem->nodes.count;
    nodes->unusable = bitset_create(arena, count);
    nodes->free = arena_allocate_array(arena, problem->dimensions.count, sizeof *nodes->free);
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        nodes->free[d] = arena_allocate_array(arena, count + 1, sizeof **nodes->free);
        for (uint32_t i = 0; i < count; i++) {
            nodes->free[d][i] = problem->schedulable_nodes[i].free[d];
            if (nodes->free[d][i] < 0 || problem->nodes.items[i].marked_for_deletion)
                bitset_set(nodes->unusable, i);
        }
    }
}

struct shared_nodes *shared_nodes_create(const struct problem *problem, struct arena *arena)
{
    struct shared_nodes *nodes = arena_allocate(arena, sizeof *nodes);
    make_columns(problem, nodes, arena);
    sort_kinds(problem, nodes, arena);
    return nodes;
}

// --- by shape: SCH-194, steps 1 to 5 -------------------------------------------------------------

static bool asks_hostname(const struct shape *shape)
{
    bool asks = shape->hostname != REQUIREMENT_NONE;
    for (uint32_t i = 0; i < shape->terms_count; i++)
        asks = asks || shape->terms[i].hostname != REQUIREMENT_NONE;
    return asks;
}

static void refuse_by_room(const struct problem *problem, const struct shared_nodes *nodes,
                           const struct shape *shape, struct bitset refused)
{
    bitset_copy(refused, nodes->unusable);
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        int64_t request = shape->requests[d];
        const int64_t *free_amounts = nodes->free[d];
        for (uint32_t n = 0; n < problem->nodes.count; n++)
            refused.words[n >> 6] |= (uint64_t)(request > free_amounts[n]) << (n & 63);
    }
}

static bool *shapes_that_fit(struct problem *problem, const struct shared_nodes *nodes,
                             const struct shape *shape, struct arena *scratch)
{
    bool *fit = arena_allocate_array(scratch, nodes->kinds + 1, sizeof *fit);
    for (uint32_t k = 0; k < nodes->kinds; k++) {
        const struct schedulable_node *node = &problem->schedulable_nodes[nodes->samples[k]];
        fit[k] = !shape->impossible && node_taints_allow(problem, shape, node) &&
                 sets_compatible(problem->sets, node->set, shape->set, false) &&
                 (asks_hostname(shape) || node_terms_hold(problem, node, shape));
    }
    return fit;
}

static void refuse_by_shape(struct pass *pass, const struct shape *shape, struct bitset refused)
{
    struct problem *problem = pass->problem;
    const struct shared_nodes *nodes = pass->input.shared->nodes;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    const bool *fit = shapes_that_fit(problem, nodes, shape, scratch);
    bool whole = asks_hostname(shape) || shape->ports.count > 0;
    refuse_by_room(problem, nodes, shape, refused);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct schedulable_node *node = &problem->schedulable_nodes[i];
        if (bitset_has(refused, i))
            continue;
        bool fits = fit[nodes->kind[i]];
        if (fits && (whole || node->volume_limits.count > 0)) {
            struct node_slot fresh = {.free = (int64_t *)(uintptr_t)node->free};
            fits = node_fits_shape(pass, node, &fresh, shape);
        }
        if (!fits)
            bitset_set(refused, i);
    }
}

// --- by class: rules about hostnames -------------------------------------------------------------

// Adds nodes with running pods that the class must not join.
static void refuse_by_group(struct pass *pass, const struct pod_class *class, uint32_t id,
                            struct bitset refused)
{
    struct problem *problem = pass->problem;
    const struct group_definition *group = problem->topology.groups.items[id];
    if (group->key != problem->keys.hostname || group->kind == GROUP_AFFINITY)
        return;
    int64_t most = group->kind == GROUP_SPREAD
                       ? group->max_skew - group_selects(problem, id, class->identity)
                       : 0;
    const struct group_base *base = topology_base_of(problem, id);
    vector_for_each (domain, &base->pods.items) {
        uint32_t node = topology_base_node_at(problem, domain->value);
        if (domain->count > most && node != NONE)
            bitset_set(refused, node);
    }
}

static void refuse_by_class(struct pass *pass, const struct pod_class *class, struct bitset refused)
{
    const struct identity_groups *inverse = topology_base_inverse(pass->problem, class->identity);
    for (uint32_t g = 0; g < class->groups_count; g++)
        refuse_by_group(pass, class, class->groups[g], refused);
    for (uint32_t g = 0; g < inverse->count; g++)
        refuse_by_group(pass, class, inverse->items[g], refused);
}

// --- known refusals ------------------------------------------------------------------------------

// The entry for an identifier; the table grows.
static struct shared_refusals *entry_of(struct pass_shared *shared, struct shared_table *table,
                                        uint32_t index)
{
    if (index >= table->count) {
        uint32_t room = 2 * index + 64;
        struct shared_refusals *larger = arena_allocate_array(shared->arena, room, sizeof *larger);
        if (table->count > 0)
            memcpy(larger, table->items, table->count * sizeof *larger);
        table->items = larger;
        table->count = room;
    }
    return &table->items[index];
}

static void add_known(struct bitset refused, const struct shared_refusals *known)
{
    if (known->words != NULL)
        bitset_or(refused, (struct bitset){known->words, refused.bits});
}

static void take_by_shape(struct pass *pass, uint32_t shape_id)
{
    assert(pass->input.shared->nodes != NULL);
    struct shape_state *state = pass_shape(pass, shape_id);
    const struct shape *shape = &pass->problem->interned.shapes.items[shape_id];
    uint32_t count = pass->problem->nodes.count;
    state->shared = true;
    if (shape->volumes != NULL)
        return;
    struct pass_shared *shared = pass->input.shared;
    struct shared_refusals *known = entry_of(shared, &shared->by_shape, shape_id);
    if (!known->asked) {
        struct bitset refused = bitset_create(shared->arena, count);
        refuse_by_shape(pass, shape, refused);
        *known = (struct shared_refusals){true, refused.words};
    }
    add_known(state->refused_nodes, known);
}

static void take_by_class(struct pass *pass, uint32_t class_id)
{
    struct class_state *state = pass_class(pass, class_id);
    const struct pod_class *class = class_at(pass->problem, class_id);
    uint32_t count = pass->problem->nodes.count;
    state->shared = true;
    // Sharing beyond maxSkew lifts refusals, so each node is checked.
    if (pass->doubling.active)
        return;
    struct pass_shared *shared = pass->input.shared;
    struct shared_refusals *known = entry_of(shared, &shared->by_class, class_id);
    if (!known->asked) {
        struct bitset refused = bitset_create(shared->arena, count);
        refuse_by_class(pass, class, refused);
        *known = (struct shared_refusals){true, bitset_empty(refused) ? NULL : refused.words};
    }
    add_known(state->refused_nodes, known);
}

void shared_refusals_take(struct pass *pass, uint32_t class)
{
    if (pass->input.shared == NULL)
        return;
    uint32_t shape = class_at(pass->problem, class)->shape;
    if (!pass_shape(pass, shape)->shared)
        take_by_shape(pass, shape);
    if (!pass_class(pass, class)->shared)
        take_by_class(pass, class);
}
