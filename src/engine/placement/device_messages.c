#include "engine/placement/device_messages.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/devices/device_requests.h"
#include "engine/devices/device_search.h"
#include "engine/devices/device_templates.h"
#include "engine/pass/refusal.h"
#include "engine/templates/type_table.h"

// True if a row of `rows` has as much of the dimension as the claim would need.
static bool some_row_has(const struct claim *claim, struct bitset rows, uint32_t dimension,
                         int64_t amount)
{
    bitset_for_each (r, rows)
        if (claim->template->table->rows[r].allocatable[dimension] >= amount)
            return true;
    return false;
}

// An attribute that a selector of the dimension reads and that no device of the templates has.
static const char *unknown_attribute(struct pass *pass, const struct claim *claim,
                                     const struct pod_devices *devices, uint32_t dimension)
{
    const char *missing = NULL;
    list_for_each (own, &devices->own)
        for (uint32_t n = 0; n < (*own)->needs_count; n++) {
            const struct device_need *need = &(*own)->needs[n];
            for (uint32_t c = 0; c < need->choices_count && need->dimension == dimension; c++)
                bitset_for_each (r, claim->rows) {
                    const struct device_set *set =
                        device_template_of(pass->problem, claim->template->table->rows[r].type);
                    for (uint32_t d = 0; set != NULL && d < set->count && missing == NULL; d++)
                        for (uint32_t s = 0; s < need->choices[c]->selectors_count; s++)
                            if (device_selector_match(need->choices[c]->selectors[s],
                                                      &set->items[d].facts,
                                                      &missing) != SELECTOR_YES)
                                break;
                }
        }
    return missing;
}

static void write(struct pass *pass, const struct claim *claim, const struct shape *shape,
                  uint32_t dimension, bool any_type)
{
    struct text *why = refusal_begin(pass, REASON_DYNAMIC_RESOURCES);
    const char *name =
        symbols_text(pass->problem->dimensions.names, dimension) + strlen(DEVICE_DIMENSION);
    int64_t amount = shape->requests[dimension];
    if (why == NULL)
        return;
    if (amount == 1)
        text_format(why, "no instance type%s has a device that matches class %s",
                    any_type ? " that meets the requirements" : "", name);
    else
        text_format(why, "no instance type%s has %lld devices that match class %s",
                    any_type ? " that meets the requirements" : "", (long long)amount, name);
    const char *missing = unknown_attribute(pass, claim, shape->devices, dimension);
    if (missing != NULL && !any_type)
        text_format(why, " (%s is not known before a node is there; a template may state it)",
                    missing);
}

bool refusal_add_devices(struct pass *pass, const struct claim *claim, const struct shape *shape,
                         uint32_t set)
{
    if (shape->devices == NULL)
        return false;
    struct problem *problem = pass->problem;
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset possible = bitset_create(scratch, claim->rows.bits);
    bitset_copy(possible, claim->rows);
    bitset_and(possible, type_table_filter(problem, claim->template->table, set)->both);
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        int64_t amount = quantity_add(claim->requests[d], shape->requests[d]);
        if (!problem_is_device(problem, d) || some_row_has(claim, possible, d, amount))
            continue;
        write(pass, claim, shape, d, some_row_has(claim, claim->rows, d, amount));
        return true;
    }
    return false;
}
