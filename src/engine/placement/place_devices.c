#include "engine/placement/place_devices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/devices/device_search.h"
#include "engine/devices/device_set.h"
#include "engine/devices/device_templates.h"
#include "engine/pass/refusal.h"

struct shared_state { // of a ResourceClaim that several pods may name
    enum { UNALLOCATED, IN_CLUSTER, ON_NODE_DEVICES, ON_CLAIM_DEVICES } kind;
    uint32_t at;  // node or claim
    uint32_t set; // IN_CLUSTER: its nodes
};
struct device_pass {
    struct shared_state *shared;
    struct device_usage *network; // of shared devices, without what claims of the pass have
};
struct type_devices {                   // of a claim, for the machine types of one set
    struct device_set *set;             // NULL: types without devices
    struct device_usage *own, *network; // NULL if there are none
};
struct claim_device_state {
    VECTOR(struct type_devices) types; // arena memory
};

// --- the pass ------------------------------------------------------------------------------------

static bool all_move(const struct pass *pass, const uint32_t *consumers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!bitset_has(pass->work->scheduled, consumers[i]))
            return false;
    return true;
}

// LIF-250: a device is free if all who have it move in this pass.
static void take_held(struct pass *pass, struct device_usage *usage)
{
    const struct problem_devices *devices = pass->problem->devices;
    vector_for_each (held, &devices->held)
        if (!held->releasable || !all_move(pass, held->consumers.items, held->consumers.count))
            device_usage_take(devices->network, usage, held->device, &held->consumed);
    for (uint32_t d = 0; d < devices->network->count; d++) {
        uint32_t owner = devices->network->items[d].owner;
        if (owner != NONE && pass_is_without(pass, owner)) // DIS-243: it goes with its node
            usage->taken[d] = true;
    }
}

void devices_start(struct pass *pass)
{
    const struct problem_devices *devices = pass->problem->devices;
    if (devices == NULL)
        return;
    pass->devices = arena_allocate(pass->arena, sizeof *pass->devices);
    pass->devices->shared =
        arena_allocate_array(pass->arena, devices->shared.count + 1, sizeof *pass->devices->shared);
    for (uint32_t i = 0; i < devices->shared.count; i++) {
        const struct shared_claim *claim = &devices->shared.items[i];
        bool moves = claim->releasable && claim->consumers.count > 0 &&
                     all_move(pass, claim->consumers.items, claim->consumers.count);
        if (claim->allocated && !moves)
            pass->devices->shared[i] = (struct shared_state){IN_CLUSTER, NONE, claim->set};
    }
    if (devices->network == NULL)
        return;
    pass->devices->network = device_usage_create(pass->arena, devices->network);
    take_held(pass, pass->devices->network);
}

uint32_t devices_required_set(const struct pass *pass, const struct shape *shape)
{
    uint32_t set = SET_EMPTY;
    if (shape->devices == NULL)
        return set;
    list_for_each (shared, &shape->devices->shared)
        if (pass->devices->shared[*shared].kind == IN_CLUSTER)
            set = set_meet(pass->problem->sets, set, pass->devices->shared[*shared].set);
    return set;
}

// The pod's claims that are not allocated yet. `claims` has room for all.
static uint32_t open_claims(const struct pass *pass, const struct pod_devices *devices,
                            const struct claim_devices **claims)
{
    uint32_t count = 0;
    list_for_each (own, &devices->own)
        claims[count++] = *own;
    list_for_each (shared, &devices->shared)
        if (pass->devices->shared[*shared].kind == UNALLOCATED)
            claims[count++] = pass->problem->devices->shared.items[*shared].devices;
    return count;
}

uint32_t devices_ways(const struct pass *pass, const struct shape *shape)
{
    if (shape->devices == NULL || pass->problem->devices->network_terms_count == 0)
        return 1;
    const struct pod_devices *devices = shape->devices;
    CLEANUP_FREE const struct claim_devices **claims = memory_allocate_array(
        (size_t)devices->own.count + devices->shared.count + 1, sizeof *claims);
    bool open = open_claims(pass, devices, claims) > 0;
    return open ? pass->problem->devices->network_terms_count + 1 : 1;
}

uint32_t devices_way_set(const struct pass *pass, uint32_t way)
{
    return way == 0 ? SET_EMPTY : pass->problem->devices->network_terms[way - 1];
}

// --- shared claims -------------------------------------------------------------------------------

// SCH-425 (b): a claim on devices of one machine binds its pods to that machine.
static bool shared_claims_allow(struct pass *pass, const struct pod_devices *devices, bool node,
                                uint32_t at)
{
    list_for_each (shared, &devices->shared) {
        const struct shared_state *state = &pass->devices->shared[*shared];
        bool elsewhere = (state->kind == ON_NODE_DEVICES && (!node || state->at != at)) ||
                         (state->kind == ON_CLAIM_DEVICES && (node || state->at != at));
        if (!elsewhere)
            continue;
        if (refusal_begin(pass, REASON_DYNAMIC_RESOURCES) != NULL)
            text_format(pass->refusal.why,
                        "allocating dynamic resources, claim is bound to a different in-flight "
                        "NodeClaim (ResourceClaim=%s)",
                        pass->problem->devices->shared.items[*shared].claim->meta.name);
        return false;
    }
    return true;
}

static void bind_shared_claims(struct pass *pass, const struct pod_devices *devices, bool node,
                               uint32_t at)
{
    list_for_each (shared, &devices->shared)
        if (pass->devices->shared[*shared].kind == UNALLOCATED)
            pass->devices->shared[*shared] =
                (struct shared_state){node ? ON_NODE_DEVICES : ON_CLAIM_DEVICES, at, SET_EMPTY};
}

static void refuse(struct pass *pass, const char *what)
{
    if (refusal_begin(pass, REASON_DYNAMIC_RESOURCES) != NULL)
        text_format(pass->refusal.why, "allocating dynamic resources, %s", what);
}

static bool is_for_good(const struct pass *pass, const struct pod_devices *devices)
{
    return devices->shared.count == 0 && pass->problem->devices->network == NULL;
}

// --- claims --------------------------------------------------------------------------------------

static const struct type_devices *type_devices_of(const struct claim *claim,
                                                  const struct device_set *set)
{
    if (claim->devices != NULL)
        vector_for_each (type, &claim->devices->types)
            if (type->set == set)
                return type;
    return NULL;
}

// True if some row of the claim is of a type of the set (SCH-429: others give their own back).
static bool is_left(struct pass *pass, const struct claim *claim, const struct device_set *set)
{
    bitset_for_each (r, claim->rows)
        if (device_template_of(pass->problem, claim->template->table->rows[r].type) == set)
            return true;
    return false;
}

// What is taken of shared devices, but for what the claim itself has.
static void network_usage(struct pass *pass, const struct claim *claim, struct arena *arena,
                          struct device_usage *usage)
{
    const struct device_set *network = pass->problem->devices->network;
    device_usage_copy(network, usage, pass->devices->network);
    vector_for_each (at, &pass->claims) {
        const struct claim *other = *at;
        if (other->devices == NULL || other->index == claim->index)
            continue;
        struct device_usage *most = device_usage_create(arena, network);
        vector_for_each (type, &other->devices->types)
            if (type->network != NULL && is_left(pass, other, type->set))
                device_usage_raise(network, most, type->network);
        device_usage_add(network, usage, most);
    }
}

// Allocates for machines of one set. The usages are new ones in `arena`: all that is then taken by
// the claim, without what others have. False: there are not enough devices.
static bool allocate_type(struct pass *pass, const struct claim *claim, const struct shape *shape,
                          uint32_t set, bool fresh, struct device_set *own, struct arena *arena,
                          struct type_devices *out)
{
    const struct device_set *network = pass->problem->devices->network;
    const struct type_devices *before = fresh ? NULL : type_devices_of(claim, own);
    const struct pod_devices *devices = shape->devices;
    CLEANUP_FREE const struct claim_devices **claims = memory_allocate_array(
        (size_t)devices->own.count + devices->shared.count + 1, sizeof *claims);
    uint32_t count = open_claims(pass, devices, claims);
    struct device_site site = {.sets = {network, own}, .set = set};
    *out = (struct type_devices){.set = own};
    if (own != NULL) {
        site.usages[1] = out->own = device_usage_create(arena, own);
        if (before != NULL)
            device_usage_copy(own, out->own, before->own);
    }
    if (network == NULL)
        return devices_allocate(pass->problem, &site, claims, count);
    static const struct claim nobody = {.index = NONE};
    struct device_usage *others = device_usage_create(arena, network);
    struct device_usage *all = device_usage_create(arena, network);
    out->network = device_usage_create(arena, network);
    network_usage(pass, fresh ? &nobody : claim, arena, others);
    device_usage_copy(network, all, others);
    if (before != NULL)
        device_usage_add(network, all, before->network);
    site.usages[0] = all;
    if (!devices_allocate(pass->problem, &site, claims, count))
        return false;
    for (uint32_t d = 0; d < network->count; d++)
        out->network->taken[d] = all->taken[d] && !others->taken[d];
    for (uint32_t i = 0; i < network->amounts; i++)
        out->network->capacity[i] = all->capacity[i] - others->capacity[i];
    for (uint32_t i = 0; i < network->counters.count; i++)
        out->network->counters[i] = all->counters[i] - others->counters[i];
    return true;
}

struct judged_set {
    const struct device_set *set;
    bool fits;
};

bool devices_fit_claim(struct pass *pass, const struct claim *claim, const struct shape *shape,
                       bool fresh, struct claim_attempt *attempt, bool *for_good)
{
    assert(shape->devices != NULL);
    *for_good = is_for_good(pass, shape->devices);
    if (!shared_claims_allow(pass, shape->devices, false, fresh ? NONE : claim->index))
        return false;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    VECTOR(struct judged_set) judged = {0};
    bool any = false;
    bitset_for_each (r, attempt->rows) {
        struct device_set *own =
            device_template_of(pass->problem, claim->template->table->rows[r].type);
        const struct judged_set *known = NULL;
        vector_for_each (item, &judged)
            known = item->set == own ? item : known;
        bool fits;
        if (known != NULL) {
            fits = known->fits;
        } else {
            struct type_devices type;
            fits = allocate_type(pass, claim, shape, attempt->set, fresh, own, scratch, &type);
            vector_push(&judged, (struct judged_set){own, fits});
            arena_reset(scratch);
        }
        any = any || fits;
        if (!fits)
            bitset_clear(attempt->rows, r);
    }
    vector_free(&judged);
    if (!any)
        refuse(pass, "no instance type can satisfy the allocation");
    return any;
}

static void keep_type(struct pass *pass, struct claim *claim, const struct type_devices *type)
{
    vector_for_each (old, &claim->devices->types)
        if (old->set == type->set) {
            *old = *type;
            return;
        }
    struct claim_device_state *state = claim->devices;
    if (state->types.count == state->types.capacity) {
        uint32_t capacity = state->types.capacity == 0 ? 8 : state->types.capacity * 2;
        struct type_devices *items = arena_allocate_array(pass->arena, capacity, sizeof *items);
        if (state->types.count > 0)
            memcpy(items, state->types.items, state->types.count * sizeof *items);
        state->types.items = items;
        state->types.capacity = capacity;
    }
    state->types.items[state->types.count++] = *type;
}

void devices_take_claim(struct pass *pass, struct claim *claim, const struct shape *shape)
{
    assert(shape->devices != NULL);
    bool fresh = claim->devices == NULL;
    if (fresh)
        claim->devices = arena_allocate(pass->arena, sizeof *claim->devices);
    CLEANUP_FREE const struct device_set **done =
        memory_allocate_array((size_t)bitset_count(claim->rows) + 1, sizeof *done);
    uint32_t count = 0;
    bitset_for_each (r, claim->rows) {
        struct device_set *own =
            device_template_of(pass->problem, claim->template->table->rows[r].type);
        bool known = false;
        for (uint32_t i = 0; i < count && !known; i++)
            known = done[i] == own;
        struct type_devices type;
        if (known)
            continue;
        done[count++] = own;
        if (allocate_type(pass, claim, shape, claim->set, false, own, pass->arena, &type))
            keep_type(pass, claim, &type);
    }
    bind_shared_claims(pass, shape->devices, false, claim->index);
}

// --- nodes ---------------------------------------------------------------------------------------

static struct device_site site_of(struct pass *pass, uint32_t node)
{
    const struct problem_devices *devices = pass->problem->devices;
    return (struct device_site){.sets = {devices->network, devices->nodes[node]},
                                .set = pass->problem->schedulable_nodes[node].set,
                                .fixed = true};
}

static const struct device_usage *node_usage(const struct pass *pass, uint32_t node)
{
    const struct device_usage *own = pass->slots[node].devices;
    return own != NULL ? own : pass->problem->devices->in_use[node];
}

// Allocates on copies in the arena.
static bool allocate_on_node(struct pass *pass, uint32_t node, const struct shape *shape,
                             struct arena *arena, struct device_site *site)
{
    const struct pod_devices *devices = shape->devices;
    CLEANUP_FREE const struct claim_devices **claims = memory_allocate_array(
        (size_t)devices->own.count + devices->shared.count + 1, sizeof *claims);
    uint32_t count = open_claims(pass, devices, claims);
    static const struct claim nobody = {.index = NONE};
    *site = site_of(pass, node);
    if (site->sets[0] != NULL) {
        site->usages[0] = device_usage_create(arena, site->sets[0]);
        network_usage(pass, &nobody, arena, site->usages[0]);
    }
    if (site->sets[1] != NULL) {
        site->usages[1] = device_usage_create(arena, site->sets[1]);
        device_usage_copy(site->sets[1], site->usages[1], node_usage(pass, node));
    }
    return devices_allocate(pass->problem, site, claims, count);
}

bool devices_fit_node(struct pass *pass, uint32_t node, const struct shape *shape, bool *for_good)
{
    assert(shape->devices != NULL);
    *for_good = is_for_good(pass, shape->devices);
    if (!shared_claims_allow(pass, shape->devices, true, node))
        return false;
    uint32_t set = devices_required_set(pass, shape);
    if (!sets_compatible(pass->problem->sets, pass->problem->schedulable_nodes[node].set, set,
                         false)) {
        refuse(pass, "in-cluster allocation topology is incompatible with the node");
        return false;
    }
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct device_site site;
    bool fits = allocate_on_node(pass, node, shape, scratch, &site);
    if (!fits)
        refuse(pass, "the node's devices cannot satisfy the allocation");
    return fits;
}

void devices_take_node(struct pass *pass, uint32_t node, const struct shape *shape)
{
    assert(shape->devices != NULL);
    struct device_site site;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    const struct device_set *network = pass->problem->devices->network;
    struct device_usage *before = NULL;
    if (network != NULL) {
        static const struct claim nobody = {.index = NONE};
        before = device_usage_create(scratch, network);
        network_usage(pass, &nobody, scratch, before);
    }
    if (!allocate_on_node(pass, node, shape, pass->arena, &site))
        return;
    pass->slots[node].devices = site.usages[1];
    bind_shared_claims(pass, shape->devices, true, node);
    if (network == NULL)
        return;
    struct device_usage *base = pass->devices->network;
    for (uint32_t d = 0; d < network->count; d++)
        base->taken[d] = base->taken[d] || (site.usages[0]->taken[d] && !before->taken[d]);
    for (uint32_t i = 0; i < network->amounts; i++)
        base->capacity[i] += site.usages[0]->capacity[i] - before->capacity[i];
    for (uint32_t i = 0; i < network->counters.count; i++)
        base->counters[i] += site.usages[0]->counters[i] - before->counters[i];
}

// --- drivers -------------------------------------------------------------------------------------

static void add_drivers(const struct device_set *set, const struct device_usage *usage,
                        struct string_list *list)
{
    for (uint32_t d = 0; set != NULL && d < set->count; d++) {
        bool known = !usage->taken[d] || set->items[d].resource != NULL;
        for (uint32_t i = 0; i < list->count && !known; i++)
            known = strcmp(list->items[i], set->items[d].facts.driver) == 0;
        if (!known)
            list->items[list->count++] = set->items[d].facts.driver;
    }
}

struct string_list devices_drivers(const struct pass *pass, struct arena *arena,
                                   const struct claim *claim)
{
    struct string_list list = {0};
    uint32_t most = 0;
    if (claim->devices == NULL)
        return list;
    const struct device_set *network = pass->problem->devices->network;
    vector_for_each (type, &claim->devices->types)
        most += (type->set != NULL ? type->set->count : 0) + (network != NULL ? network->count : 0);
    list.items = arena_allocate_array(arena, most + 1, sizeof *list.items);
    vector_for_each (type, &claim->devices->types) {
        if (!is_left((struct pass *)pass, claim, type->set))
            continue;
        add_drivers(type->set, type->own, &list);
        if (type->network != NULL)
            add_drivers(network, type->network, &list);
    }
    qsort(list.items, list.count, sizeof *list.items, text_compare);
    return list;
}
