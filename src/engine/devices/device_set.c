#include "engine/devices/device_set.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define SET_GROWTH 64

struct device_set *device_set_create(struct problem *problem)
{
    struct device_set *set = arena_allocate(problem->arena, sizeof *set);
    set->id = problem->devices->sets.count;
    vector_push(&problem->devices->sets, set);
    return set;
}

struct known_device *device_set_add(struct problem *problem, struct device_set *set)
{
    if (set->count % SET_GROWTH == 0) {
        struct known_device *items =
            arena_allocate_array(problem->arena, set->count + SET_GROWTH, sizeof *items);
        if (set->count > 0)
            memcpy(items, set->items, set->count * sizeof *items);
        set->items = items;
    }
    struct known_device *device = &set->items[set->count++];
    device->owner = NONE;
    device->usable = true;
    return device;
}

uint32_t device_set_counter(struct problem *problem, struct device_set *set, const char *pool,
                            const char *counter_set, const char *name)
{
    for (uint32_t i = 0; i < set->counters.count; i++) {
        const struct device_counter *counter = &set->counters.items[i];
        if (strcmp(counter->name, name) == 0 && strcmp(counter->set, counter_set) == 0 &&
            strcmp(counter->pool, pool) == 0)
            return i;
    }
    if (set->counters.count % SET_GROWTH == 0) {
        struct device_counter *items =
            arena_allocate_array(problem->arena, set->counters.count + SET_GROWTH, sizeof *items);
        if (set->counters.count > 0)
            memcpy(items, set->counters.items, set->counters.count * sizeof *items);
        set->counters.items = items;
    }
    set->counters.items[set->counters.count] = (struct device_counter){pool, counter_set, name, 0};
    return set->counters.count++;
}

void device_set_finish(struct device_set *set)
{
    set->amounts = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        struct known_device *device = &set->items[i];
        device->capacity_first = set->amounts;
        if (device->facts.allow_multiple_allocations)
            set->amounts += device->facts.capacity.count;
    }
}

uint32_t device_set_find(const struct device_set *set, const char *driver, const char *pool,
                         const char *device)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (text_equal(set->items[i].facts.name, device) && text_equal(set->items[i].pool, pool) &&
            text_equal(set->items[i].facts.driver, driver))
            return i;
    return NONE;
}

// --- usage ---------------------------------------------------------------------------------------

struct device_usage *device_usage_create(struct arena *arena, const struct device_set *set)
{
    struct device_usage *usage = arena_allocate(arena, sizeof *usage);
    usage->taken = arena_allocate_array(arena, set->count + 1, sizeof *usage->taken);
    usage->capacity = arena_allocate_array(arena, set->amounts + 1, sizeof *usage->capacity);
    usage->counters = arena_allocate_array(arena, set->counters.count + 1, sizeof *usage->counters);
    return usage;
}

void device_usage_copy(const struct device_set *set, struct device_usage *to,
                       const struct device_usage *from)
{
    memcpy(to->taken, from->taken, set->count * sizeof *to->taken);
    memcpy(to->capacity, from->capacity, set->amounts * sizeof *to->capacity);
    memcpy(to->counters, from->counters, set->counters.count * sizeof *to->counters);
}

void device_usage_take(const struct device_set *set, struct device_usage *usage, uint32_t index,
                       const named_amount_list *consumed)
{
    assert(index < set->count);
    const struct known_device *device = &set->items[index];
    bool first = !usage->taken[index];
    if (!device->facts.allow_multiple_allocations || first)
        list_for_each (use, &device->counters)
            usage->counters[use->counter] =
                quantity_add(usage->counters[use->counter], use->amount);
    usage->taken[index] = true;
    if (!device->facts.allow_multiple_allocations)
        return;
    list_for_each (amount, consumed) {
        const struct device_capacity *capacity = device_capacity_find(&device->facts, amount->name);
        if (capacity == NULL)
            continue;
        int64_t *used =
            &usage->capacity[device->capacity_first + (capacity - device->facts.capacity.items)];
        *used = quantity_add(*used, amount->amount);
    }
}

void device_usage_raise(const struct device_set *set, struct device_usage *to,
                        const struct device_usage *other)
{
    for (uint32_t i = 0; i < set->count; i++)
        to->taken[i] = to->taken[i] || other->taken[i];
    for (uint32_t i = 0; i < set->amounts; i++)
        if (to->capacity[i] < other->capacity[i])
            to->capacity[i] = other->capacity[i];
    for (uint32_t i = 0; i < set->counters.count; i++)
        if (to->counters[i] < other->counters[i])
            to->counters[i] = other->counters[i];
}

void device_usage_add(const struct device_set *set, struct device_usage *to,
                      const struct device_usage *other)
{
    for (uint32_t i = 0; i < set->count; i++)
        to->taken[i] = to->taken[i] || other->taken[i];
    for (uint32_t i = 0; i < set->amounts; i++)
        to->capacity[i] = quantity_add(to->capacity[i], other->capacity[i]);
    for (uint32_t i = 0; i < set->counters.count; i++)
        to->counters[i] = quantity_add(to->counters[i], other->counters[i]);
}
