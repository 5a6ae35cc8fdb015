#include "engine/placement/place_shared.h"

#include <string.h>

#include "engine/placement/pass.h"
#include "engine/placement/place_node.h"
#include "engine/pods/topology_groups.h"
#include "engine/topology/topology.h"

struct shared_places {
    int64_t **free;         // by dimension, then place
    struct bitset unusable; // they take no pods at all, whatever those ask for
    uint32_t *kind;         // by place: those that a shape cannot tell apart, beside room
    uint32_t *samples;      // by kind: a place
    uint32_t kinds;
};

static void sort_kinds(const struct problem *problem, struct shared_places *places,
                       struct arena *arena)
{
    uint32_t count = problem->nodes.count;
    struct memo known = {0};
    places->kind = arena_allocate_array(arena, count + 1, sizeof *places->kind);
    places->samples = arena_allocate_array(arena, count + 1, sizeof *places->samples);
    for (uint32_t i = 0; i < count; i++) {
        const struct place *place = &problem->places[i];
        uint32_t kind = memo_get(&known, place->set, place->taints);
        if (kind == MEMO_NONE) {
            kind = places->kinds++;
            memo_set(&known, place->set, place->taints, kind);
            places->samples[kind] = i;
        }
        places->kind[i] = kind;
    }
    memo_free(&known);
}

static void make_columns(const struct problem *problem, struct shared_places *places,
                         struct arena *arena)
{
    uint32_t count = problem->nodes.count;
    places->unusable = bitset_create(arena, count);
    places->free = arena_allocate_array(arena, problem->dimensions, sizeof *places->free);
    for (uint32_t d = 0; d < problem->dimensions; d++) {
        places->free[d] = arena_allocate_array(arena, count + 1, sizeof **places->free);
        for (uint32_t i = 0; i < count; i++) {
            places->free[d][i] = problem->places[i].free[d];
            if (places->free[d][i] < 0 || problem->nodes.items[i].marked_for_deletion)
                bitset_set(places->unusable, i);
        }
    }
}

struct shared_places *shared_places_create(const struct problem *problem, struct arena *arena)
{
    struct shared_places *places = arena_allocate(arena, sizeof *places);
    make_columns(problem, places, arena);
    sort_kinds(problem, places, arena);
    return places;
}

// --- by shape: SCH-194, steps 1 to 5 -------------------------------------------------------------

static bool asks_hostname(const struct shape *shape)
{
    bool asks = shape->hostname != REQUIREMENT_NONE;
    for (uint32_t i = 0; i < shape->terms_count; i++)
        asks = asks || shape->terms[i].hostname != REQUIREMENT_NONE;
    return asks;
}

static void refuse_by_room(const struct problem *problem, const struct shared_places *places,
                           const struct shape *shape, struct bitset refused)
{
    bitset_copy(refused, places->unusable);
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        int64_t request = shape->requests[d];
        const int64_t *free_amounts = places->free[d];
        for (uint32_t n = 0; n < problem->nodes.count; n++)
            refused.words[n >> 6] |= (uint64_t)(request > free_amounts[n]) << (n & 63);
    }
}

static bool *kinds_that_fit(struct problem *problem, const struct shared_places *places,
                            const struct shape *shape, struct arena *scratch)
{
    bool *fit = arena_allocate_array(scratch, places->kinds + 1, sizeof *fit);
    for (uint32_t k = 0; k < places->kinds; k++) {
        const struct place *place = &problem->places[places->samples[k]];
        fit[k] = !shape->impossible && node_taints_allow(problem, shape, place) &&
                 sets_compatible(problem->sets, place->set, shape->set, false) &&
                 (asks_hostname(shape) || node_terms_hold(problem, place, shape));
    }
    return fit;
}

static void refuse_by_shape(struct pass *pass, const struct shape *shape, struct bitset refused)
{
    struct problem *problem = pass->problem;
    const struct shared_places *places = pass->input.shared->places;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    const bool *fit = kinds_that_fit(problem, places, shape, scratch);
    bool whole = asks_hostname(shape) || shape->ports.count > 0;
    refuse_by_room(problem, places, shape, refused);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct place *place = &problem->places[i];
        if (bitset_has(refused, i))
            continue;
        bool fits = fit[places->kind[i]];
        if (fits && (whole || place->volume_limits.count > 0)) {
            struct node_slot fresh = {.free = (int64_t *)(uintptr_t)place->free};
            fits = node_fits_shape(pass, place, &fresh, shape);
        }
        if (!fits)
            bitset_set(refused, i);
    }
}

// --- by class: rules about hostnames -------------------------------------------------------------

// Pods that run where the class must not join them.
static void refuse_by_group(struct pass *pass, const struct pod_class *class, uint32_t id,
                            struct bitset refused)
{
    struct problem *problem = pass->problem;
    const struct group_definition *group = problem->groups.items[id];
    if (group->key != problem->key_hostname || group->kind == GROUP_AFFINITY)
        return;
    int64_t most = group->kind == GROUP_SPREAD
                       ? group->max_skew - group_selects(problem, id, class->identity)
                       : 0;
    const struct group_base *base = topology_base_of(problem, id);
    vector_for_each (domain, &base->pods.items) {
        uint32_t place = topology_base_place_at(problem, domain->value);
        if (domain->count > most && place != NONE)
            bitset_set(refused, place);
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

// --- what is known already -----------------------------------------------------------------------

// The entry of a table by identifier, which grows.
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
    struct shape_state *state = pass_shape(pass, shape_id);
    const struct shape *shape = &pass->problem->shapes.items[shape_id];
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
    // Where existing nodes are shared beyond maxSkew, each is asked.
    if (pass->doubling)
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
