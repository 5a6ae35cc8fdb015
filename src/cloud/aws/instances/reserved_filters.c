#include "cloud/aws/instances/reserved_filters.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"

static bool is_reserved(const struct offering *offering)
{
    return text_equal(offering_capacity_type(offering), CAPACITY_TYPE_RESERVED);
}

static bool is_usable(const struct launch_filter *filter, const struct offering *offering)
{
    return is_reserved(offering) &&
           offering_compatible(offering, &filter->claim->spec.requirements);
}

// --- one kind of reservation (AWI-272) -----------------------------------------------------------

// In the order of preference among equal prices.
static const struct reservation_kind {
    const char *type, *interruptible;
} reservation_kinds[] = {
    {RESERVATION_DEFAULT, "false"},
    {RESERVATION_BLOCK, "false"},
    {RESERVATION_DEFAULT, "true"},
};

static bool is_of_kind(const void *context, const struct offering *offering)
{
    const struct reservation_kind *kind = context;
    const requirement_list *requirements = &offering->requirements;
    const char *interruptible =
        requirement_single_value(requirements, LABEL_RESERVATION_INTERRUPTIBLE);
    return is_reserved(offering) &&
           text_equal(requirement_single_value(requirements, LABEL_RESERVATION_TYPE), kind->type) &&
           text_equal(interruptible != NULL ? interruptible : "false", kind->interruptible);
}

static bool has_kind(const struct launch_filter *filter, const struct instance_type *type,
                     const struct reservation_kind *kind, double *price)
{
    bool found = false;
    list_for_each (offering, &type->offerings) {
        if (!is_of_kind(kind, offering) || !is_usable(filter, offering))
            continue;
        double own = launch_price(launch_candidate_of(type), offering);
        found = true;
        if (own < *price)
            *price = own;
    }
    return found;
}

void filter_reservation_type(struct launch_filter *filter)
{
    const struct reservation_kind *best = NULL;
    double best_price = 1e300;
    for (size_t k = 0; k < ARRAY_LENGTH(reservation_kinds); k++) {
        double price = 1e300;
        bool found = false;
        for (uint32_t i = 0; i < filter->candidates->count; i++)
            found |= has_kind(filter, filter->candidates->items[i], &reservation_kinds[k], &price);
        if (found && price < best_price) {
            best = &reservation_kinds[k];
            best_price = price;
        }
    }
    if (best == NULL)
        return;
    for (uint32_t i = 0; i < filter->candidates->count; i++) {
        const struct instance_type *type = filter->candidates->items[i];
        double price = 1e300;
        filter->rejected[i] = !has_kind(filter, type, best, &price);
        if (!filter->rejected[i])
            candidate_keep_offerings(type, is_of_kind, best);
    }
}

// --- one capacity block (AWI-273) ----------------------------------------------------------------

static bool is_block(const struct offering *offering)
{
    return is_reserved(offering) &&
           text_equal(requirement_single_value(&offering->requirements, LABEL_RESERVATION_TYPE),
                      RESERVATION_BLOCK);
}

static bool is_same(const void *context, const struct offering *offering)
{
    return offering == context;
}

void filter_capacity_block(struct launch_filter *filter)
{
    const struct offering *best = NULL;
    uint32_t best_index = 0;
    double best_price = 1e300;
    for (uint32_t i = 0; i < filter->candidates->count; i++) {
        const struct instance_type *type = filter->candidates->items[i];
        list_for_each (offering, &type->offerings) {
            if (!is_block(offering)) {
                if (is_usable(filter, offering))
                    return; // reservations of another kind are left
                continue;
            }
            double price = launch_price(launch_candidate_of(type), offering);
            if (is_usable(filter, offering) && (best == NULL || price < best_price)) {
                best = offering;
                best_price = price;
                best_index = i;
            }
        }
    }
    if (best == NULL)
        return;
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        filter->rejected[i] = i != best_index;
    candidate_keep_offerings(filter->candidates->items[best_index], is_same, best);
}

// --- one reservation a zone (AWI-274) ------------------------------------------------------------

static const char *zone_of(const struct offering *offering)
{
    return text_or_empty(requirement_single_value(&offering->requirements, LABEL_ZONE));
}

static int64_t free_count(const struct offering *offering)
{
    return offering->reservation_capacity.present ? offering->reservation_capacity.value : 0;
}

// Whether it is the roomiest of its zone, the first among equals.
static bool is_chosen(const struct launch_filter *filter, const struct offering *all,
                      uint32_t count, uint32_t index)
{
    if (!is_usable(filter, &all[index]))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (i == index || !is_usable(filter, &all[i]) ||
            strcmp(zone_of(&all[i]), zone_of(&all[index])) != 0)
            continue;
        if (free_count(&all[i]) > free_count(&all[index]) ||
            (free_count(&all[i]) == free_count(&all[index]) && i < index))
            return false;
    }
    return true;
}

static void keep_chosen(const struct launch_filter *filter, const struct instance_type *type)
{
    struct launch_candidate *candidate = (struct launch_candidate *)type;
    uint32_t count = type->offerings.count, kept = 0;
    bool *chosen = memory_allocate_array(count + 1, sizeof *chosen);
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = is_chosen(filter, type->offerings.items, count, i);
    for (uint32_t i = 0; i < count; i++)
        if (chosen[i])
            candidate->type.offerings.items[kept++] = type->offerings.items[i];
    candidate->type.offerings.count = kept;
    free(chosen);
    assert(kept > 0);
}

void filter_reserved_offering(struct launch_filter *filter)
{
    uint32_t reserved = 0;
    for (uint32_t i = 0; i < filter->candidates->count; i++) {
        bool any = false;
        list_for_each (offering, &filter->candidates->items[i]->offerings)
            any |= is_usable(filter, offering);
        filter->rejected[i] = !any;
        reserved += any;
    }
    if (reserved == 0) {
        memset(filter->rejected, 0, filter->candidates->count * sizeof *filter->rejected);
        return;
    }
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        if (!filter->rejected[i])
            keep_chosen(filter, filter->candidates->items[i]);
}
