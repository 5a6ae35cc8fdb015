#include "engine/devices/device_pools.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/devices/device_set.h"
#include "engine/problem/asked_keys.h"
#include "engine/problem/node_terms.h"

// The slices of one pool, of its highest generation (SCH-426).
struct pool {
    const struct resource_slice **slices; // by name
    uint32_t count;
    int64_t generation;
    const char *node; // the one node that has all its devices; NULL: several, or none
    const char *flaw; // NULL: the pool is complete and valid
};

static bool slice_is_template(const struct resource_slice *slice)
{
    return object_annotation((const struct object *)slice, ANNOTATION_INSTANCE_TYPES) != NULL;
}

// --- the devices of a slice ----------------------------------------------------------------------

// True if `name` is one of the comma-separated list.
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at != NULL && *at != '\0';) {
        at += strspn(at, " ,");
        size_t item = strcspn(at, " ,");
        if (item == length && strncmp(at, name, length) == 0)
            return true;
        at += item;
    }
    return false;
}

static void mark_runtime(const struct resource_slice *slice, struct device_facts *facts)
{
    const char *names =
        object_annotation((const struct object *)slice, ANNOTATION_RUNTIME_ATTRIBUTES);
    if (names == NULL || !slice_is_template(slice))
        return;
    list_for_each (attribute, &facts->attributes) {
        char name[600];
        snprintf(name, sizeof name, "%s/%s", attribute->domain, attribute->name);
        attribute->at_runtime =
            is_listed(names, name) ||
            (text_equal(attribute->domain, facts->driver) && is_listed(names, attribute->name));
    }
}

static void add_term(struct problem *problem, struct known_device *device,
                     const struct node_selector_term *term)
{
    uint32_t set;
    if (!node_term_set(problem, term, &set))
        return;
    list_for_each (expression, &term->match_expressions)
        problem_ask_key(problem, vocabulary_key(problem->vocabulary, expression->key));
    list_for_each (field, &term->match_fields)
        problem_ask_key(problem, vocabulary_key(problem->vocabulary, KEY_NODE_NAME));
    device->terms.items[device->terms.count++] = set;
}

// Which nodes reach the device.
static void add_access(struct problem *problem, struct known_device *to,
                       const struct resource_slice *slice, const struct device *device)
{
    bool own = slice->spec.per_device_node_selection;
    const struct node_selector *selector = own ? device->node_selector : slice->spec.node_selector;
    const char *node = own ? device->node_name : slice->spec.node_name;
    uint32_t count = selector != NULL ? selector->node_selector_terms.count : 0;
    to->terms.items = arena_allocate_array(problem->arena, count + 1, sizeof *to->terms.items);
    if (selector != NULL)
        list_for_each (term, &selector->node_selector_terms)
            add_term(problem, to, term);
    if (!text_is_empty(node)) {
        struct selector_requirement name = {
            .key = "metadata.name", .operator= "In", .values = {(const char **)&node, 1}};
        struct node_selector_term term = {.match_fields = {&name, 1}};
        add_term(problem, to, &term);
    }
    bool everywhere = own ? device->all_nodes : slice->spec.all_nodes;
    if (to->terms.count == 0 && !everywhere && !slice_is_template(slice))
        to->usable = false;
}

static bool add_counters(struct problem *problem, struct device_set *set, struct known_device *to,
                         const char *pool, const struct device *device, struct error *error)
{
    uint32_t total = 0;
    named_amount_list *amounts =
        arena_allocate_array(problem->arena, device->consumes_counters.count + 1, sizeof *amounts);
    for (uint32_t i = 0; i < device->consumes_counters.count; i++) {
        if (!named_amounts_read(problem->arena, device->consumes_counters.items[i].counters,
                                &amounts[i], error))
            return false;
        total += amounts[i].count;
    }
    to->counters.items =
        arena_allocate_array(problem->arena, total + 1, sizeof *to->counters.items);
    for (uint32_t i = 0; i < device->consumes_counters.count; i++)
        list_for_each (amount, &amounts[i])
            to->counters.items[to->counters.count++] = (struct counter_use){
                device_set_counter(problem, set, pool,
                                   device->consumes_counters.items[i].counter_set, amount->name),
                amount->amount};
    return true;
}

bool device_set_add_slice(struct problem *problem, struct device_set *set,
                          const struct resource_slice *slice, struct error *error)
{
    const char *pool = slice->spec.pool.name;
    const char *key = arena_format(problem->arena, "%s/%s", slice->spec.driver, pool);
    bool fine = true;
    list_for_each (counters, &slice->spec.shared_counters) {
        named_amount_list amounts;
        if (!named_amounts_read(problem->arena, counters->counters, &amounts, error))
            return false;
        list_for_each (amount, &amounts) {
            uint32_t counter = device_set_counter(problem, set, key, counters->name, amount->name);
            set->counters.items[counter].total = amount->amount;
        }
    }
    list_for_each (device, &slice->spec.devices) {
        struct known_device *to = device_set_add(problem, set);
        to->pool = pool;
        to->taints = device->taints;
        fine = fine &&
               device_facts_read(problem->arena, slice->spec.driver, device, &to->facts, error) &&
               add_counters(problem, set, to, key, device, error);
        mark_runtime(slice, &to->facts);
        if (slice_is_template(slice))
            continue;
        add_access(problem, to, slice, device);
    }
    return fine;
}

// --- pools ---------------------------------------------------------------------------------------

static int compare_slices(const void *a, const void *b)
{
    const struct resource_slice *x = *(const struct resource_slice *const *)a;
    const struct resource_slice *y = *(const struct resource_slice *const *)b;
    int order = strcmp(x->spec.driver, y->spec.driver);
    if (order == 0)
        order = strcmp(x->spec.pool.name, y->spec.pool.name);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

static bool same_pool(const struct resource_slice *a, const struct resource_slice *b)
{
    return strcmp(a->spec.driver, b->spec.driver) == 0 &&
           strcmp(a->spec.pool.name, b->spec.pool.name) == 0;
}

// The node that has every device of the pool; NULL if there is none.
static const char *node_of(const struct pool *pool)
{
    const char *node = NULL;
    for (uint32_t i = 0; i < pool->count; i++) {
        const struct resource_slice *slice = pool->slices[i];
        list_for_each (device, &slice->spec.devices) {
            const char *own =
                slice->spec.per_device_node_selection ? device->node_name : slice->spec.node_name;
            if (text_is_empty(own) || (node != NULL && strcmp(node, own) != 0))
                return NULL;
            node = own;
        }
    }
    return node;
}

static const char *duplicate_in(const struct pool *pool)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    uint32_t total = 0, count = 0;
    for (uint32_t i = 0; i < pool->count; i++)
        total += pool->slices[i]->spec.devices.count;
    const char **names = arena_allocate_array(scratch, total + 1, sizeof *names);
    for (uint32_t i = 0; i < pool->count; i++)
        list_for_each (device, &pool->slices[i]->spec.devices)
            names[count++] = device->name;
    qsort(names, count, sizeof *names, text_compare);
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

// A counter set that is there twice, or one that a device consumes and that is not there.
static bool counters_valid(const struct pool *pool)
{
    for (uint32_t i = 0; i < pool->count; i++)
        list_for_each (set, &pool->slices[i]->spec.shared_counters) {
            uint32_t found = 0;
            for (uint32_t k = 0; k < pool->count; k++)
                list_for_each (other, &pool->slices[k]->spec.shared_counters)
                    found += strcmp(set->name, other->name) == 0;
            if (found > 1)
                return false;
        }
    for (uint32_t i = 0; i < pool->count; i++)
        list_for_each (device, &pool->slices[i]->spec.devices)
            list_for_each (use, &device->consumes_counters) {
                bool found = false;
                for (uint32_t k = 0; k < pool->count; k++)
                    list_for_each (set, &pool->slices[k]->spec.shared_counters)
                        found = found || strcmp(set->name, use->counter_set) == 0;
                if (!found)
                    return false;
            }
    return true;
}

static void judge(struct problem *problem, struct pool *pool)
{
    const struct resource_slice *first = pool->slices[0];
    const char *what = NULL;
    if (pool->count != first->spec.pool.resource_slice_count)
        what = "incomplete (missing slices)";
    else if (duplicate_in(pool) != NULL)
        what = "invalid (duplicate device names)";
    else if (!counters_valid(pool))
        what = "invalid (counter sets)";
    if (what != NULL)
        pool->flaw = arena_format(problem->arena, "pool %s/%s is %s", first->spec.driver,
                                  first->spec.pool.name, what);
    pool->node = node_of(pool);
}

// --- sets ----------------------------------------------------------------------------------------

static uint32_t state_of(const struct problem *problem, const char *node)
{
    const struct state_node *state = map_get(problem->nodes.by_node_name, node);
    return state != NULL ? (uint32_t)(state - problem->nodes.items) : NONE;
}

static uint32_t owner_of(const struct problem *problem, const struct resource_slice *slice,
                         bool *left_out)
{
    list_for_each (owner, &slice->meta.owner_references) {
        if (strcmp(owner->kind, "Node") != 0)
            continue;
        uint32_t index = state_of(problem, owner->name);
        *left_out = index == NONE || !problem->nodes.items[index].initialized;
        return index;
    }
    *left_out = false;
    return NONE;
}

static void add_pool(struct problem *problem, struct device_set *set, const struct pool *pool)
{
    const char *flaw = pool->flaw;
    uint32_t first = set->count;
    for (uint32_t i = 0; i < pool->count; i++) {
        struct error error = {0};
        bool left_out;
        uint32_t before = set->count, owner = owner_of(problem, pool->slices[i], &left_out);
        if (left_out) // SCH-422: until then the templates stand for them
            continue;
        if (!device_set_add_slice(problem, set, pool->slices[i], &error) && flaw == NULL)
            flaw = arena_format(problem->arena, "pool %s/%s is invalid (%s)",
                                pool->slices[i]->spec.driver, pool->slices[i]->spec.pool.name,
                                error.message);
        for (uint32_t d = before; d < set->count; d++)
            set->items[d].owner = owner;
    }
    for (uint32_t d = first; d < set->count && flaw != NULL; d++)
        set->items[d].usable = false;
    if (set->flaw == NULL)
        set->flaw = flaw;
}

static void place_pool(struct problem *problem, const struct pool *pool)
{
    struct problem_devices *devices = problem->devices;
    if (pool->node == NULL) {
        if (devices->network == NULL)
            devices->network = device_set_create(problem);
        add_pool(problem, devices->network, pool);
        return;
    }
    uint32_t node = state_of(problem, pool->node);
    if (node == NONE || !problem->nodes.items[node].initialized)
        return;
    if (devices->nodes[node] == NULL)
        devices->nodes[node] = device_set_create(problem);
    add_pool(problem, devices->nodes[node], pool);
}

void device_pools_read(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    uint32_t total = snapshot->objects[KIND_RESOURCE_SLICE].count, count = 0;
    const struct resource_slice **slices =
        arena_allocate_array(problem->arena, total + 1, sizeof *slices);
    for (uint32_t i = 0; i < total; i++) {
        const struct resource_slice *slice =
            (const struct resource_slice *)snapshot->objects[KIND_RESOURCE_SLICE].items[i];
        if (!slice_is_template(slice) && slice->spec.pool.name != NULL)
            slices[count++] = slice;
    }
    qsort(slices, count, sizeof *slices, compare_slices);
    for (uint32_t start = 0, end; start < count; start = end) {
        struct pool pool = {.slices = &slices[start], .generation = INT64_MIN};
        for (end = start; end < count && same_pool(slices[start], slices[end]); end++)
            if (slices[end]->spec.pool.generation > pool.generation)
                pool.generation = slices[end]->spec.pool.generation;
        for (uint32_t i = start; i < end; i++)
            if (slices[i]->spec.pool.generation == pool.generation)
                pool.slices[pool.count++] = slices[i];
        judge(problem, &pool);
        place_pool(problem, &pool);
    }
    for (uint32_t i = 0; i < problem->devices->sets.count; i++)
        device_set_finish(problem->devices->sets.items[i]);
}
