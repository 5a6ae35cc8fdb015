#include "sim/scheduler/scheduler_device_search.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/devices/device_selector.h"
#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_node_affinity.h"

#define STEPS_MAX 20000 // devices that one search looks at

struct option { // a device that the node reaches
    const struct resource_slice *slice;
    const struct device *device;
    struct device_facts facts;
    bool taken;
};
struct counter {
    const struct resource_slice *slice; // that declares it
    const char *set, *name;
    int64_t left;
};
struct compiled {
    const char *expression;
    const struct device_selector_program *program; // NULL: it does not compile
};
struct search {
    const struct filter_state *state;
    struct arena *arena;
    VECTOR(struct option) options;
    VECTOR(struct counter) counters;
    VECTOR(struct compiled) programs;
    struct device_allocation *out;
    uint32_t steps;
    bool unreadable;
};
struct position {
    uint32_t claim, request, slot, from; // the slot's device comes from `from` on
    const struct device_request *choice;
    const char *name; // of the request, with the alternative
};

void device_key(const char *driver, const char *pool, const char *device, char out[600])
{
    snprintf(out, 600, "%s\1%s\1%s", driver, pool, device);
}

// --- the node's devices --------------------------------------------------------------------------

static bool same_pool(const struct resource_slice *a, const struct resource_slice *b)
{
    return strcmp(a->spec.driver, b->spec.driver) == 0 &&
           strcmp(a->spec.pool.name, b->spec.pool.name) == 0;
}

// Of the pool's newest generation, of which all slices are there.
static bool is_current(const struct map *slices, const struct resource_slice *slice)
{
    int64_t seen = 0;
    for (struct map_entry *e = map_first(slices); e != NULL; e = map_next(e)) {
        const struct resource_slice *other = map_value(e);
        if (!same_pool(slice, other))
            continue;
        if (other->spec.pool.generation > slice->spec.pool.generation)
            return false;
        seen += other->spec.pool.generation == slice->spec.pool.generation;
    }
    return seen == slice->spec.pool.resource_slice_count;
}

static bool node_reaches(const struct node *node, const char *name,
                         const struct node_selector *selector, bool all)
{
    return all || text_equal(name, node->meta.name) ||
           (selector != NULL && filter_node_terms_match(&selector->node_selector_terms, node));
}

static bool device_reaches(const struct node *node, const struct resource_slice *slice,
                           const struct device *device)
{
    return slice->spec.per_device_node_selection
               ? node_reaches(node, device->node_name, device->node_selector, device->all_nodes)
               : node_reaches(node, slice->spec.node_name, slice->spec.node_selector,
                              slice->spec.all_nodes);
}

static struct counter *find_counter(struct search *search, const struct resource_slice *slice,
                                    const char *set, const char *name)
{
    vector_for_each (counter, &search->counters)
        if (same_pool(counter->slice, slice) && strcmp(counter->set, set) == 0 &&
            strcmp(counter->name, name) == 0)
            return counter;
    return NULL;
}

// Adds to what is left of the device's counters, or takes from it; false: something is missing.
static bool change_counters(struct search *search, const struct option *option, int sign)
{
    bool enough = true;
    list_for_each (use, &option->device->consumes_counters) {
        named_amount_list amounts;
        struct error error = {0};
        if (!named_amounts_read(search->arena, use->counters, &amounts, &error))
            amounts.count = 0, enough = false;
        list_for_each (amount, &amounts) {
            struct counter *counter =
                find_counter(search, option->slice, use->counter_set, amount->name);
            if (counter != NULL)
                counter->left += sign * amount->amount;
            enough = enough && counter != NULL && counter->left >= 0;
        }
    }
    return enough;
}

static bool consume(struct search *search, const struct option *option)
{
    if (change_counters(search, option, -1))
        return true;
    (void)!change_counters(search, option, 1);
    return false;
}

static void add_counters(struct search *search, const struct resource_slice *slice)
{
    list_for_each (set, &slice->spec.shared_counters) {
        named_amount_list amounts;
        struct error error = {0};
        if (!named_amounts_read(search->arena, set->counters, &amounts, &error)) {
            search->unreadable = true;
            return;
        }
        list_for_each (amount, &amounts) {
            struct counter counter = {slice, set->name, amount->name, amount->amount};
            vector_push(&search->counters, counter);
        }
    }
}

static void add_devices(struct search *search, const struct resource_slice *slice,
                        const struct node *node)
{
    list_for_each (device, &slice->spec.devices) {
        char key[600];
        struct error error = {0};
        struct option option = {.slice = slice, .device = device};
        if (!device_reaches(node, slice, device) || device->allow_multiple_allocations)
            continue;
        if (!device_facts_read(search->arena, slice->spec.driver, device, &option.facts, &error)) {
            search->unreadable = true;
            return;
        }
        device_key(slice->spec.driver, slice->spec.pool.name, device->name, key);
        option.taken = map_get(search->state->devices.taken, key) != NULL;
        vector_push(&search->options, option);
    }
}

static int by_name(const void *a, const void *b)
{
    const struct resource_slice *x = *(const struct resource_slice *const *)a;
    const struct resource_slice *y = *(const struct resource_slice *const *)b;
    return strcmp(x->meta.name, y->meta.name);
}

static void gather(struct search *search, const struct node *node)
{
    const struct map *slices = search->state->cluster->resource_slices;
    VECTOR(const struct resource_slice *) list = {0};
    for (struct map_entry *e = map_first(slices); e != NULL; e = map_next(e)) {
        const struct resource_slice *slice = map_value(e);
        bool elsewhere = !slice->spec.per_device_node_selection &&
                         !node_reaches(node, slice->spec.node_name, slice->spec.node_selector,
                                       slice->spec.all_nodes);
        if (!elsewhere && is_current(slices, slice))
            vector_push(&list, slice);
    }
    if (list.count > 1)
        qsort(list.items, list.count, sizeof *list.items, by_name);
    vector_for_each (slice, &list)
        add_counters(search, *slice);
    vector_for_each (slice, &list)
        add_devices(search, *slice, node);
    vector_for_each (option, &search->options)
        if (option->taken)
            (void)!change_counters(search, option, -1);
    vector_free(&list);
}

// --- whether a device will do --------------------------------------------------------------------

static bool selects(struct search *search, const device_selector_list *selectors,
                    const struct device_facts *facts)
{
    list_for_each (selector, selectors) {
        const struct compiled *known = NULL;
        const char *expression = selector->cel != NULL ? selector->cel->expression : "";
        vector_for_each (compiled, &search->programs)
            if (compiled->expression == expression)
                known = compiled;
        struct error error = {0};
        if (known == NULL) {
            struct compiled compiled = {expression,
                                        device_selector_compile(search->arena, expression, &error)};
            vector_push(&search->programs, compiled);
            known = &search->programs.items[search->programs.count - 1];
        }
        if (known->program == NULL ||
            device_selector_match(known->program, facts, NULL) != SELECTOR_YES)
            return false;
    }
    return true;
}

static bool suits(struct search *search, const struct option *option,
                  const struct device_request *choice)
{
    const struct device_class *class =
        filter_object(search->state->cluster->device_classes, NULL, choice->device_class_name);
    list_for_each (taint, &option->device->taints)
        if (!text_equal(taint->effect, "None") &&
            !tolerations_tolerate(&choice->tolerations, taint))
            return false;
    return class != NULL && selects(search, &class->spec.selectors, &option->facts) &&
           selects(search, &choice->selectors, &option->facts);
}

static bool names_request(const struct device_constraint *constraint, const char *name)
{
    size_t request = strcspn(name, "/");
    for (uint32_t i = 0; i < constraint->requests.count; i++) {
        const char *item = constraint->requests.items[i];
        if (strcmp(item, name) == 0 ||
            (strlen(item) == request && strncmp(item, name, request) == 0))
            return true;
    }
    return constraint->requests.count == 0;
}

static bool agrees(const struct search *search, const struct position *at,
                   const struct option *option)
{
    const struct resource_claim *claim = search->state->devices.claims[at->claim].claim;
    list_for_each (constraint, &claim->spec.devices.constraints) {
        if (!names_request(constraint, at->name))
            continue;
        if (constraint->match_attribute == NULL)
            return false;
        const struct device_attribute *own =
            device_attribute_find(&option->facts, constraint->match_attribute);
        if (own == NULL)
            return false;
        for (uint32_t i = 0; i < search->out->count; i++) {
            const struct taken_device *taken = &search->out->items[i];
            const struct device_attribute *other =
                taken->claim == at->claim && names_request(constraint, taken->request)
                    ? device_attribute_find(taken->facts, constraint->match_attribute)
                    : own;
            if (other == NULL || !device_attributes_equal(own, other))
                return false;
        }
    }
    return true;
}

// --- the search ----------------------------------------------------------------------------------

static bool next_request(struct search *search, struct position at);

static bool take(struct search *search, const struct position *at, struct option *option)
{
    bool admin = at->choice->admin_access;
    if (search->out->count == ARRAY_LENGTH(search->out->items) || (option->taken && !admin) ||
        !suits(search, option, at->choice) || !agrees(search, at, option) ||
        (!admin && !consume(search, option)))
        return false;
    option->taken = option->taken || !admin;
    search->out->items[search->out->count++] = (struct taken_device){
        option->slice, option->device, &option->facts, at->name, at->claim, admin};
    return true;
}

static void give_back(struct search *search, const struct position *at, struct option *option)
{
    assert(search->out->count > 0);
    search->out->count--;
    if (at->choice->admin_access)
        return;
    option->taken = false;
    (void)!change_counters(search, option, 1);
}

static bool fill(struct search *search, struct position at)
{
    int64_t wanted = at.choice->count.present ? at.choice->count.value : 1;
    if (at.slot == wanted) {
        at.request++;
        return next_request(search, at);
    }
    for (uint32_t i = at.from; i < search->options.count; i++) {
        struct option *option = &search->options.items[i];
        if (++search->steps > STEPS_MAX)
            return false;
        if (!take(search, &at, option))
            continue;
        struct position next = at;
        next.slot++;
        next.from = i + 1;
        if (fill(search, next))
            return true;
        give_back(search, &at, option);
    }
    return false;
}

// All devices that match, none of which others may have.
static bool fill_all(struct search *search, struct position at)
{
    uint32_t before = search->out->count, taken = 0;
    VECTOR(struct option *) list = {0};
    bool fine = true;
    for (uint32_t i = 0; i < search->options.count && fine; i++) {
        struct option *option = &search->options.items[i];
        if (!suits(search, option, at.choice))
            continue;
        fine = take(search, &at, option);
        if (fine)
            vector_push(&list, option);
        taken += fine;
    }
    struct position next = at;
    next.request++;
    fine = fine && taken > 0 && next_request(search, next);
    while (!fine && search->out->count > before)
        give_back(search, &at, list.items[search->out->count - before - 1]);
    vector_free(&list);
    return fine;
}

static bool try_choice(struct search *search, struct position at,
                       const struct device_request *choice, const char *name)
{
    at.choice = choice;
    at.name = name;
    at.slot = at.from = 0;
    return text_equal(choice->allocation_mode, "All") ? fill_all(search, at) : fill(search, at);
}

static bool next_request(struct search *search, struct position at)
{
    const struct filter_state *state = search->state;
    while (at.claim < state->devices.count &&
           (state->devices.claims[at.claim].allocated ||
            at.request == state->devices.claims[at.claim].claim->spec.devices.requests.count)) {
        at.claim++;
        at.request = 0;
    }
    if (at.claim == state->devices.count)
        return true;
    const struct claim_request *request =
        &state->devices.claims[at.claim].claim->spec.devices.requests.items[at.request];
    if (request->exactly != NULL)
        return try_choice(search, at, request->exactly, request->name);
    list_for_each (alternative, &request->first_available)
        if (try_choice(search, at, alternative,
                       arena_format(search->arena, "%s/%s", request->name, alternative->name)))
            return true;
    return false;
}

static bool within_limit(const struct search *search)
{
    for (uint32_t c = 0; c < search->state->devices.count; c++) {
        uint32_t devices = 0;
        for (uint32_t i = 0; i < search->out->count; i++)
            devices += search->out->items[i].claim == c;
        if (devices > CLAIM_DEVICES_MAX)
            return false;
    }
    return true;
}

bool devices_search(const struct filter_state *state, const struct node *node,
                    struct device_allocation *out)
{
    struct search search = {.state = state, .arena = state->arena, .out = out};
    out->count = 0;
    gather(&search, node);
    bool found =
        !search.unreadable && next_request(&search, (struct position){0}) && within_limit(&search);
    // The facts of what was found stay in the arena.
    for (uint32_t i = 0; i < out->count; i++)
        out->items[i].facts = NULL;
    vector_free(&search.options);
    vector_free(&search.counters);
    vector_free(&search.programs);
    return found;
}
