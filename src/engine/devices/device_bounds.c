#include "engine/devices/device_bounds.h"

#include <assert.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "engine/devices/device_search.h"
#include "engine/devices/device_templates.h"

#define UNITS_MAX 1000000 // of a device whose capacity no allocation uses up

void devices_add_requests(const struct pod_devices *devices, int64_t *vector)
{
    list_for_each (claim, &devices->own)
        for (uint32_t n = 0; n < (*claim)->needs_count && (*claim)->error == NULL; n++) {
            const struct device_need *need = &(*claim)->needs[n];
            vector[need->dimension] = quantity_add(vector[need->dimension], need->amount);
        }
}

// How many allocations of the choice one device allows.
static int64_t device_units(const struct known_device *device, const struct device_usage *usage,
                            uint32_t index, const struct device_choice *choice)
{
    if (!device->facts.allow_multiple_allocations)
        return choice->admin || usage == NULL || !usage->taken[index];
    int64_t units = UNITS_MAX;
    for (uint32_t c = 0; c < device->facts.capacity.count; c++) {
        const struct device_capacity *capacity = &device->facts.capacity.items[c];
        int64_t amount = device_consumption(capacity, choice);
        int64_t used = usage != NULL ? usage->capacity[device->capacity_first + c] : 0;
        int64_t most = amount < 0    ? 0
                       : amount == 0 ? UNITS_MAX
                                     : (capacity->amount - used) / amount;
        units = most < units ? most : units;
    }
    return units > 0 ? units : 0;
}

// Matching devices that consume the counter, if all in `open` that share its set do: no more of
// them can be taken than it allows at the least consumption.
static int64_t counter_units(const struct device_set *set, const struct device_usage *usage,
                             struct bitset open, uint32_t counter)
{
    int64_t least = 0;
    bitset_for_each (d, open)
        list_for_each (use, &set->items[d].counters)
            if (use->counter == counter && use->amount > 0 && (least == 0 || use->amount < least))
                least = use->amount;
    int64_t used = usage != NULL ? usage->counters[counter] : 0;
    return least == 0 ? UNITS_MAX : (set->counters.items[counter].total - used) / least;
}

static bool consumes(const struct known_device *device, uint32_t counter)
{
    list_for_each (use, &device->counters)
        if (use->counter == counter && use->amount > 0)
            return true;
    return false;
}

// The most allocations of the choice. Devices that share counters are grouped by the first one.
static int64_t units_of(struct problem *problem, const struct device_set *set,
                        const struct device_usage *usage, const struct device_choice *choice)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset matches = devices_matching(problem, set, choice);
    struct bitset left = bitset_create(scratch, set->count);
    struct bitset group = bitset_create(scratch, set->count);
    int64_t total = 0;
    bitset_for_each (d, matches)
        if (device_is_open(&set->items[d], choice) &&
            device_units(&set->items[d], usage, d, choice) > 0)
            bitset_set(left, d);
    bitset_for_each (d, left) {
        const struct known_device *device = &set->items[d];
        if (device->counters.count == 0 || device->facts.allow_multiple_allocations) {
            total = quantity_add(total, device_units(device, usage, d, choice));
            continue;
        }
        uint32_t counter = device->counters.items[0].counter;
        int64_t count = 0, most;
        bitset_reset(group);
        for (uint32_t e = d; e < set->count; e++)
            if (bitset_has(left, e) && consumes(&set->items[e], counter)) {
                bitset_set(group, e);
                bitset_clear(left, e);
                count++;
            }
        most = counter_units(set, usage, group, counter);
        total = quantity_add(total, most < count ? most : count);
    }
    return total;
}

static int64_t bound(struct problem *problem, const struct device_set *const sets[2],
                     const struct device_usage *usage, const struct device_need *need)
{
    bool plain = need->choices_count == 1 && !need->choices[0]->all && !need->choices[0]->admin;
    int64_t most = 0;
    for (uint32_t c = 0; c < need->choices_count; c++) {
        const struct device_choice *choice = need->choices[c];
        int64_t units = 0;
        for (uint32_t s = 0; s < 2; s++)
            if (sets[s] != NULL)
                units =
                    quantity_add(units, units_of(problem, sets[s], s == 1 ? usage : NULL, choice));
        if (choice->admin && units > 0)
            units = UNITS_MAX;
        if (!plain && !choice->all && !choice->admin)
            units /= choice->count;
        most = units > most ? units : most;
    }
    return most;
}

static void set_bounds(struct problem *problem, const struct device_set *own,
                       const struct device_usage *usage, int64_t *vector)
{
    const struct device_set *const sets[2] = {problem->devices->network, own};
    vector_for_each (claim, &problem->devices->specifications)
        for (uint32_t n = 0; n < (*claim)->needs_count && (*claim)->error == NULL; n++) {
            const struct device_need *need = &(*claim)->needs[n];
            assert(need->dimension < problem->dimensions.count);
            vector[need->dimension] = bound(problem, sets, usage, need);
        }
}

void devices_set_type(struct problem *problem, const struct instance_type *type, int64_t *vector)
{
    if (devices_known(problem))
        set_bounds(problem, device_template_of(problem, type), NULL, vector);
}

void devices_set_node(struct problem *problem, uint32_t index, int64_t *vector)
{
    if (devices_known(problem))
        set_bounds(problem, problem->devices->nodes[index], problem->devices->in_use[index],
                   vector);
}
