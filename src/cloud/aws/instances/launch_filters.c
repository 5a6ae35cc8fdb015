#include "cloud/aws/instances/launch_filters.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/instances/reserved_filters.h"
#include "cloud/port/offering_choice.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"

#define NAMES_LOGGED 5

static bool wants(const struct node_claim *claim, const char *capacity_type)
{
    return requirements_allow(&claim->spec.requirements, LABEL_CAPACITY_TYPE, capacity_type);
}

// --- the first filter (AWI-271) ------------------------------------------------------------------

static bool type_is_compatible(const struct node_claim *claim, const struct instance_type *type)
{
    if (!requirements_allow(&claim->spec.requirements, LABEL_INSTANCE_TYPE, type->name))
        return false;
    list_for_each (requirement, &type->requirements) {
        bool none = text_equal(requirement->operator, "In") && requirement->values.count == 0;
        if (none ? !requirements_allow(&claim->spec.requirements, requirement->key, NULL)
                 : !requirement_meets(requirement, &claim->spec.requirements))
            return false;
    }
    return true;
}

static bool has_overrides(const struct offering *offering)
{
    return offering->capacity_override.count > 0 || offering->overhead_override.count > 0;
}

static bool is_usable(struct arena *arena, const struct node_claim *claim,
                      const struct instance_type *type)
{
    if (!type_is_compatible(claim, type))
        return false;
    int plain = -1; // whether the type itself fits: not yet known
    list_for_each (offering, &type->offerings) {
        if (!offering_compatible(offering, &claim->spec.requirements))
            continue;
        if (has_overrides(offering)) {
            if (instance_type_fits(arena, claim, type, offering))
                return true;
            continue;
        }
        if (plain < 0)
            plain = instance_type_fits(arena, claim, type, NULL);
        if (plain > 0)
            return true;
    }
    return false;
}

static int64_t on_demand_price(const struct instance_type *type)
{
    list_for_each (offering, &type->offerings)
        if (offering->price > 0 &&
            text_equal(offering_capacity_type(offering), CAPACITY_TYPE_ON_DEMAND))
            return offering->price;
    return 0;
}

// A copy whose list of offerings may shrink.
static const struct instance_type *candidate_create(struct arena *arena,
                                                    const struct instance_type *type)
{
    struct launch_candidate *candidate = arena_allocate(arena, sizeof *candidate);
    *candidate = (struct launch_candidate){*type, on_demand_price(type)};
    candidate->type.offerings.items =
        arena_allocate_array(arena, type->offerings.count + 1, sizeof *type->offerings.items);
    for (uint32_t i = 0; i < type->offerings.count; i++)
        candidate->type.offerings.items[i] = type->offerings.items[i];
    return &candidate->type;
}

static void filter_usable(struct arena *arena, const struct instance_type_catalog *catalog,
                          const struct node_claim *claim, struct launch_candidates *candidates)
{
    uint32_t types = catalog->spec.instance_types.count;
    candidates->items = arena_allocate_array(arena, types + 1, sizeof *candidates->items);
    candidates->count = 0;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    list_for_each (type, &catalog->spec.instance_types)
        if (is_usable(scratch, claim, type))
            candidates->items[candidates->count++] = candidate_create(arena, type);
    assert(candidates->count <= types);
}

// --- exotic types (AWI-275, 931) -----------------------------------------------------------------

static bool is_exotic(const struct instance_type *type)
{
    static const char *const devices[] = {"aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
                                          "nvidia.com/gpu", "amd.com/gpu", "habana.ai/gaudi"};
    const char *size = requirement_single_value(&type->requirements, LABEL_INSTANCE_SIZE);
    if (size != NULL && strstr(size, "metal") != NULL)
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(devices); i++)
        if (resource_map_get(&type->capacity, devices[i]) != 0)
            return true;
    return false;
}

static void filter_exotic(struct launch_filter *filter)
{
    uint32_t exotic = 0;
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        exotic += is_exotic(filter->candidates->items[i]);
    if (exotic == filter->candidates->count)
        return;
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        filter->rejected[i] = is_exotic(filter->candidates->items[i]);
}

// --- spot dearer than on-demand (AWI-276) --------------------------------------------------------

static bool cheapest(struct launch_filter *filter, const char *capacity_type, int64_t *price)
{
    bool found = false;
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        list_for_each (offering, &filter->candidates->items[i]->offerings) {
            if (!offering_compatible(offering, &filter->claim->spec.requirements) ||
                !text_equal(offering_capacity_type(offering), capacity_type) ||
                (found && offering->price >= *price))
                continue;
            *price = offering->price;
            found = true;
        }
    return found;
}

static bool is_affordable(const void *context, const struct offering *offering)
{
    const int64_t *limit = context;
    return !text_equal(offering_capacity_type(offering), CAPACITY_TYPE_SPOT) ||
           offering->price <= *limit;
}

// --- minValues -----------------------------------------------------------------------------------

static bool has_min_values(const struct node_claim *claim)
{
    list_for_each (requirement, &claim->spec.requirements)
        if (requirement->min_values.present)
            return true;
    return false;
}

static uint32_t count_values(const struct launch_filter *filter, const char *key)
{
    struct map *values = map_create();
    for (uint32_t i = 0; i < filter->candidates->count; i++) {
        if (filter->rejected[i])
            continue;
        const struct instance_type *type = filter->candidates->items[i];
        if (text_equal(key, LABEL_INSTANCE_TYPE))
            map_set(values, type->name, (void *)type);
        list_for_each (requirement, &type->requirements)
            if (text_equal(requirement->key, key) && text_equal(requirement->operator, "In"))
                list_for_each (value, &requirement->values)
                    map_set(values, *value, (void *)type);
    }
    uint32_t count = (uint32_t)map_count(values);
    map_destroy(values, NULL);
    return count;
}

// The keys whose minValues the types that are not rejected do not meet.
static bool min_values_met(const struct launch_filter *filter, struct text *unmet)
{
    list_for_each (requirement, &filter->claim->spec.requirements)
        if (requirement->min_values.present &&
            count_values(filter, requirement->key) < requirement->min_values.value)
            text_join(unmet, " ", requirement->key);
    return unmet->length == 0;
}

static bool any_is_affordable(const struct instance_type *type, int64_t limit)
{
    list_for_each (offering, &type->offerings)
        if (is_affordable(&limit, offering))
            return true;
    return false;
}

// AWI-931: minValues that hold before hold afterwards; else nothing is dropped.
static void filter_spot(struct launch_filter *filter)
{
    int64_t limit, spot;
    struct text unmet = {0};
    if (!wants(filter->claim, CAPACITY_TYPE_SPOT) ||
        !wants(filter->claim, CAPACITY_TYPE_ON_DEMAND) ||
        !cheapest(filter, CAPACITY_TYPE_ON_DEMAND, &limit) ||
        !cheapest(filter, CAPACITY_TYPE_SPOT, &spot))
        return;
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        filter->rejected[i] = !any_is_affordable(filter->candidates->items[i], limit);
    bool met = min_values_met(filter, &unmet);
    text_free(&unmet);
    if (!met) {
        memset(filter->rejected, 0, filter->candidates->count * sizeof *filter->rejected);
        return;
    }
    for (uint32_t i = 0; i < filter->candidates->count; i++)
        if (!filter->rejected[i])
            candidate_keep_offerings(filter->candidates->items[i], is_affordable, &limit);
}

// --- the chain -----------------------------------------------------------------------------------

static void log_rejected(const struct launch_filter *filter, const char *name)
{
    struct text names = {0};
    uint32_t rejected = 0;
    for (uint32_t i = 0; i < filter->candidates->count; i++) {
        if (!filter->rejected[i])
            continue;
        if (rejected++ < NAMES_LOGGED)
            text_join(&names, ", ", filter->candidates->items[i]->name);
    }
    if (rejected > NAMES_LOGGED)
        text_format(&names, " and %u other(s)", rejected - NAMES_LOGGED);
    log_debug("filtered out instance types from launch", "o:NodeClaim", filter->claim->meta.name,
              "s:filter", name, "s:instance-types", names.data);
    text_free(&names);
}

static void remove_rejected(struct launch_filter *filter, const char *name)
{
    uint32_t kept = 0, before = filter->candidates->count;
    for (uint32_t i = 0; i < before; i++)
        kept += !filter->rejected[i];
    if (kept == before)
        return;
    if (log_enabled(LOG_DEBUG))
        log_rejected(filter, name);
    kept = 0;
    for (uint32_t i = 0; i < before; i++)
        if (!filter->rejected[i])
            filter->candidates->items[kept++] = filter->candidates->items[i];
    filter->candidates->count = kept;
    memset(filter->rejected, 0, before * sizeof *filter->rejected);
}

static bool nothing_left(struct error *error)
{
    return error_set(error, ERROR_INSUFFICIENT_CAPACITY,
                     "all requested instance types were unavailable during launch");
}

static void run_filters(struct launch_filter *filter, bool upstream)
{
    bool min_values = has_min_values(filter->claim);
    if (wants(filter->claim, CAPACITY_TYPE_RESERVED)) {
        filter_reservation_type(filter);
        remove_rejected(filter, "capacity-reservation-type-filter");
        filter_capacity_block(filter);
        remove_rejected(filter, "capacity-block-filter");
        filter_reserved_offering(filter);
        remove_rejected(filter, "reserved-offering-filter");
    }
    if (!min_values || !upstream) {
        filter_exotic(filter);
        struct text unmet = {0};
        if (min_values && !min_values_met(filter, &unmet)) // AWI-931
            memset(filter->rejected, 0, filter->candidates->count * sizeof *filter->rejected);
        text_free(&unmet);
        remove_rejected(filter, "exotic-instance-filter");
    }
    if (!min_values || !upstream) {
        filter_spot(filter);
        remove_rejected(filter, "spot-offering-filter");
    }
}

// --- order and cut (AWI-277) ---------------------------------------------------------------------

struct ranked {
    const struct instance_type *type;
    double price;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->price != b->price)
        return a->price < b->price ? -1 : 1;
    return strcmp(a->type->name, b->type->name);
}

static void sort_by_price(struct arena *arena, struct launch_filter *filter)
{
    uint32_t count = filter->candidates->count;
    struct ranked *ranked = arena_allocate_array(arena, count + 1, sizeof *ranked);
    for (uint32_t i = 0; i < count; i++) {
        const struct instance_type *type = filter->candidates->items[i];
        ranked[i] = (struct ranked){type, 1e300};
        list_for_each (offering, &type->offerings) {
            double price = launch_price(launch_candidate_of(type), offering);
            if (price < ranked[i].price &&
                offering_compatible(offering, &filter->claim->spec.requirements))
                ranked[i].price = price;
        }
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < count; i++)
        filter->candidates->items[i] = ranked[i].type;
}

// Notes the type's pools of spot, by family and zone; returns whether any is new.
static bool note_pools(const struct launch_filter *filter, const struct instance_type *type,
                       struct map *pools)
{
    char key[300];
    bool any = false;
    list_for_each (offering, &type->offerings) {
        const char *zone = requirement_single_value(&offering->requirements, LABEL_ZONE);
        if (zone == NULL || !text_equal(offering_capacity_type(offering), CAPACITY_TYPE_SPOT) ||
            !offering_compatible(offering, &filter->claim->spec.requirements))
            continue;
        snprintf(key, sizeof key, "%.*s %s", (int)strcspn(type->name, "."), type->name, zone);
        any = map_set(pools, key, filter->candidates) == NULL || any;
    }
    return any;
}

// AWI-932: half of the places are for the cheapest types, the others for those that add a family in
// a zone, by price. Spot's capacity comes and goes by both.
static void spread_pools(struct arena *arena, struct launch_filter *filter)
{
    struct launch_candidates *candidates = filter->candidates;
    uint32_t kept = 0, count = candidates->count, left = 0;
    const struct instance_type **order = arena_allocate_array(arena, count, sizeof *order);
    const struct instance_type **others = arena_allocate_array(arena, count, sizeof *others);
    struct map *pools = map_create();
    for (uint32_t i = 0; i < count; i++) {
        bool adds = note_pools(filter, candidates->items[i], pools);
        if (kept < LAUNCH_TYPES_MAX && (i < LAUNCH_TYPES_MAX / 2 || adds))
            order[kept++] = candidates->items[i];
        else
            others[left++] = candidates->items[i];
    }
    map_destroy(pools, NULL);
    assert(kept + left == count);
    memcpy(order + kept, others, left * sizeof *others);
    candidates->items = order;
    candidates->count = count;
    struct launch_filter cut = *filter;
    struct launch_candidates first = {order, LAUNCH_TYPES_MAX};
    cut.candidates = &first;
    sort_by_price(arena, &cut);
}

bool launch_filters_apply(struct arena *arena, const struct instance_type_catalog *catalog,
                          const struct node_claim *claim, const struct settings *settings,
                          struct launch_candidates *candidates, struct error *error)
{
    filter_usable(arena, catalog, claim, candidates);
    if (candidates->count == 0)
        return nothing_left(error);
    struct launch_filter filter = {
        claim, candidates, arena_allocate_array(arena, candidates->count + 1, sizeof(bool))};
    run_filters(&filter, settings->compatibility_upstream);
    if (candidates->count == 0)
        return nothing_left(error);
    sort_by_price(arena, &filter);
    if (candidates->count > LAUNCH_TYPES_MAX && !settings->compatibility_upstream &&
        !has_min_values(claim) && launch_is_offered(candidates, claim, CAPACITY_TYPE_SPOT))
        spread_pools(arena, &filter);
    if (candidates->count > LAUNCH_TYPES_MAX)
        candidates->count = LAUNCH_TYPES_MAX;
    struct text unmet = {0};
    bool met = settings->min_values_best_effort || min_values_met(&filter, &unmet);
    if (!met)
        error_set(error, ERROR_INSUFFICIENT_CAPACITY,
                  "truncating instance types based on the passed-in requirements, validating "
                  "minValues, minValues requirement is not met for label(s) (label(s)=[%s])",
                  unmet.data);
    text_free(&unmet);
    return met;
}

// --- capacity type and tenancy -------------------------------------------------------------------

bool launch_is_offered(const struct launch_candidates *candidates, const struct node_claim *claim,
                       const char *capacity_type)
{
    if (!wants(claim, capacity_type))
        return false;
    for (uint32_t i = 0; i < candidates->count; i++)
        list_for_each (offering, &candidates->items[i]->offerings)
            if (text_equal(offering_capacity_type(offering), capacity_type) &&
                offering_compatible(offering, &claim->spec.requirements))
                return true;
    return false;
}

const char *launch_capacity_type(const struct launch_candidates *candidates,
                                 const struct node_claim *claim)
{
    if (launch_is_offered(candidates, claim, CAPACITY_TYPE_RESERVED))
        return CAPACITY_TYPE_RESERVED;
    return launch_is_offered(candidates, claim, CAPACITY_TYPE_SPOT) ? CAPACITY_TYPE_SPOT
                                                                    : CAPACITY_TYPE_ON_DEMAND;
}

const char *launch_tenancy(const struct node_claim *claim)
{
    const requirement_list *wanted = &claim->spec.requirements;
    return !requirements_allow(wanted, LABEL_INSTANCE_TENANCY, "default") &&
                   requirements_allow(wanted, LABEL_INSTANCE_TENANCY, "dedicated")
               ? "dedicated"
               : "default";
}
