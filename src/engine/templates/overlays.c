#include "engine/templates/overlays.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/problem/validate_expression.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/overlay_capacity.h"
#include "model/tables/well_known.h"

struct target { // one type of one pool
    const struct node_pool *pool;
    const struct instance_type *type;
    uint32_t match_set; // SCH-403: matched against an overlay's requirements
    uint32_t *offering_sets;
    const struct node_overlay **price_from; // by offering; NULL: none yet
    int64_t *price_weight;                  // of the last overlay that applied to the offering
    const struct node_overlay *last_capacity;
    struct resource_map taken; // resource names that an overlay has set
    struct overlay_effect effect;
    bool changed;
};
struct overlays {
    struct target *items;
    uint32_t count;
    struct map *by_name; // "pool\ntype#number" -> target
};

static uint32_t overlays_count(const struct problem *problem)
{
    return problem->settings->gate_node_overlay
               ? problem->snapshot->objects[KIND_NODE_OVERLAY].count
               : 0;
}

static const struct node_overlay *overlay_at(const struct problem *problem, uint32_t index)
{
    return (const struct node_overlay *)problem->snapshot->objects[KIND_NODE_OVERLAY].items[index];
}

void overlays_add_dimensions(struct problem *problem)
{
    for (uint32_t i = 0; i < overlays_count(problem); i++)
        problem_add_dimensions(problem, &overlay_at(problem, i)->spec.capacity);
}

static int64_t weight_of(const struct node_overlay *overlay)
{
    return overlay->spec.weight.present ? overlay->spec.weight.value : 0;
}

static int compare_overlays(const void *a, const void *b)
{
    const struct node_overlay *x = *(const struct node_overlay *const *)a;
    const struct node_overlay *y = *(const struct node_overlay *const *)b;
    if (weight_of(x) != weight_of(y))
        return weight_of(x) > weight_of(y) ? -1 : 1;
    return strcmp(y->meta.name, x->meta.name);
}

// SCH-402.
static bool is_valid(struct problem *problem, const struct node_overlay *overlay)
{
    struct text errors = {0};
    list_for_each (requirement, &overlay->spec.requirements) {
        validate_expression(problem, &errors, requirement);
        if (text_equal(requirement->operator, "NotIn") && requirement->values.count == 0)
            text_join(&errors, "; ", "NotIn without values");
    }
    list_for_each (entry, &overlay->spec.capacity)
        if (text_list_has(well_known_resources_core, entry->name) ||
            (problem->catalog.labels != NULL &&
             text_list_has(problem->catalog.labels->resources, entry->name)))
            text_join(&errors, "; ", "restricted capacity");
    if (!overlay_multipliers_valid(overlay))
        text_join(&errors, "; ",
                  "annotation " ANNOTATION_CAPACITY_MULTIPLIER " is not NAME=FACTOR, "
                  "a whole factor from 1 to 1000 of a resource that may be set");
    bool valid = errors.length == 0;
    if (!valid) {
        struct text note = {0};
        text_format(&note, "ignoring nodeoverlay, %s", errors.data);
        problem_log(problem, NOTE_ERROR, (const struct object *)overlay, note.data);
        text_free(&note);
    }
    text_free(&errors);
    return valid;
}

// --- targets -------------------------------------------------------------------------------------

static void target_key(char out[700], const struct node_pool *pool,
                       const struct instance_type *type)
{
    snprintf(out, 700, "%s\n%s\n%p", pool->meta.name, type->name, (const void *)type);
}

static void fill_target(struct problem *problem, struct target *target,
                        const struct node_pool *pool, const struct instance_type *type)
{
    uint32_t offerings = type->offerings.count;
    *target = (struct target){.pool = pool, .type = type};
    uint32_t set = set_from_labels(problem->sets, &pool->spec.template.metadata.labels);
    struct requirement own =
        requirement_in(problem->arena, vocabulary_key(problem->vocabulary, LABEL_NODE_POOL),
                       vocabulary_value(problem->vocabulary, pool->meta.name));
    set = set_add(problem->sets, set, &own);
    target->match_set = set_meet(problem->sets, set, instance_type_set(problem, type));
    target->offering_sets =
        arena_allocate_array(problem->arena, offerings + 1, sizeof *target->offering_sets);
    target->price_from =
        arena_allocate_array(problem->arena, offerings + 1, sizeof *target->price_from);
    target->price_weight =
        arena_allocate_array(problem->arena, offerings + 1, sizeof *target->price_weight);
    target->effect.type = *type;
    target->effect.prices =
        arena_allocate_array(problem->arena, offerings + 1, sizeof *target->effect.prices);
    for (uint32_t i = 0; i < offerings; i++) {
        target->offering_sets[i] =
            set_from_api(problem->sets, &type->offerings.items[i].requirements);
        target->effect.prices[i] = -1;
    }
}

static void collect_targets(struct problem *problem, struct overlays *overlays)
{
    uint32_t pools = problem->snapshot->objects[KIND_NODE_POOL].count;
    for (int filling = 0; filling < 2; filling++) {
        uint32_t at = 0;
        for (uint32_t p = 0; p < pools; p++) {
            const struct node_pool *pool =
                (const struct node_pool *)problem->snapshot->objects[KIND_NODE_POOL].items[p];
            uint32_t count;
            const struct instance_type **types = instance_types_list(problem, pool, &count);
            for (uint32_t i = 0; i < count && filling; i++) {
                char key[700];
                struct target *target = &overlays->items[at + i];
                fill_target(problem, target, pool, types[i]);
                target_key(key, pool, types[i]);
                map_set(overlays->by_name, key, target);
            }
            at += count;
        }
        assert(!filling || at == overlays->count);
        overlays->count = at;
        if (!filling)
            overlays->items = arena_allocate_array(problem->arena, at + 1, sizeof *overlays->items);
    }
}

// --- application ---------------------------------------------------------------------------------

static bool concerns(struct problem *problem, const struct target *target, uint32_t set,
                     uint32_t offering)
{
    return sets_compatible(problem->sets, set, target->offering_sets[offering], true);
}

// SCH-403: the type and at least one of its offerings match.
static bool matches(struct problem *problem, const struct target *target, uint32_t set)
{
    if (!sets_compatible(problem->sets, target->match_set, set, false))
        return false;
    for (uint32_t i = 0; i < target->type->offerings.count; i++)
        if (concerns(problem, target, set, i))
            return true;
    return false;
}

static bool shares_names(const struct resource_map *a, const struct resource_map *b)
{
    list_for_each (entry, a)
        if (resource_map_has(b, entry->name))
            return true;
    return false;
}

// SCH-404.
static bool conflicts(struct problem *problem, const struct overlays *overlays,
                      const struct node_overlay *overlay, uint32_t set)
{
    bool priced = overlay->spec.price != NULL || overlay->spec.price_adjustment != NULL;
    for (uint32_t t = 0; t < overlays->count; t++) {
        const struct target *target = &overlays->items[t];
        if (!matches(problem, target, set))
            continue;
        for (uint32_t i = 0; i < target->type->offerings.count && priced; i++)
            if (target->price_from[i] != NULL && target->price_weight[i] == weight_of(overlay) &&
                concerns(problem, target, set, i))
                return true;
        if (target->last_capacity != NULL &&
            weight_of(target->last_capacity) == weight_of(overlay) &&
            shares_names(&target->last_capacity->spec.capacity, &overlay->spec.capacity))
            return true;
    }
    return false;
}

// SCH-406.
static int64_t adjusted(const struct node_overlay *overlay, int64_t price)
{
    double result = price_to_double(price);
    if (overlay->spec.price != NULL) {
        result = strtod(overlay->spec.price, NULL);
    } else {
        char *end;
        double change = strtod(overlay->spec.price_adjustment, &end);
        result = *end == '%' ? result * (1 + change / 100) : result + change;
    }
    return result > 0 ? price_from_double(result) : 0;
}

static void add_capacity(struct problem *problem, struct target *target,
                         const struct node_overlay *overlay)
{
    struct resource_map amounts = overlay_capacity(problem->arena, overlay, target->type);
    const struct resource_map *more = &amounts, *own = &target->effect.type.capacity;
    struct resource_map result = {0};
    result.items =
        arena_allocate_array(problem->arena, own->count + more->count + 1, sizeof *result.items);
    uint32_t i = 0, j = 0;
    while (i < own->count || j < more->count) {
        int order = i == own->count    ? 1
                    : j == more->count ? -1
                                       : strcmp(own->items[i].name, more->items[j].name);
        bool taken = order >= 0 && target->effect.capacity_changed &&
                     resource_map_has(&target->taken, more->items[j].name);
        if (order <= 0 || !taken)
            result.items[result.count++] =
                order < 0 || (order == 0 && taken) ? own->items[i] : more->items[j];
        i += order <= 0;
        j += order >= 0;
    }
    target->effect.type.capacity = result;
    struct resource_map taken = {0};
    taken.items = arena_allocate_array(problem->arena, target->taken.count + more->count + 1,
                                       sizeof *taken.items);
    list_for_each (entry, &target->taken)
        taken.items[taken.count++] = *entry;
    list_for_each (entry, more)
        if (!resource_map_has(&target->taken, entry->name))
            taken.items[taken.count++] = *entry;
    target->taken = taken;
    target->effect.capacity_changed = true;
    target->last_capacity = overlay;
}

static void apply(struct problem *problem, struct overlays *overlays,
                  const struct node_overlay *overlay, uint32_t set)
{
    bool priced = overlay->spec.price != NULL || overlay->spec.price_adjustment != NULL;
    for (uint32_t t = 0; t < overlays->count; t++) {
        struct target *target = &overlays->items[t];
        if (!matches(problem, target, set))
            continue;
        for (uint32_t i = 0; i < target->type->offerings.count && priced; i++) {
            if (!concerns(problem, target, set, i))
                continue;
            if (target->price_from[i] == NULL) { // SCH-405: the first in order wins
                target->price_from[i] = overlay;
                target->effect.prices[i] =
                    adjusted(overlay, target->type->offerings.items[i].price);
            }
            target->price_weight[i] = weight_of(overlay);
            target->changed = true;
        }
        if (overlay->spec.capacity.count > 0 || overlay_multiplies(overlay)) {
            add_capacity(problem, target, overlay);
            target->changed = true;
        }
    }
}

void overlays_evaluate(struct problem *problem)
{
    uint32_t count = overlays_count(problem);
    if (count == 0)
        return;
    struct overlays *overlays = arena_allocate(problem->arena, sizeof *overlays);
    overlays->by_name = map_create();
    problem->catalog.overlays = overlays;
    collect_targets(problem, overlays);
    const struct node_overlay **sorted = memory_allocate_array(count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = overlay_at(problem, i);
    qsort(sorted, count, sizeof *sorted, compare_overlays);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_valid(problem, sorted[i]))
            continue;
        uint32_t set = set_from_api(problem->sets, &sorted[i]->spec.requirements);
        if (conflicts(problem, overlays, sorted[i], set))
            problem_log(problem, NOTE_ERROR, (const struct object *)sorted[i],
                        "conflict with another overlay");
        else
            apply(problem, overlays, sorted[i], set);
    }
    free(sorted);
}

void overlays_free(struct problem *problem)
{
    if (problem->catalog.overlays != NULL)
        map_destroy(problem->catalog.overlays->by_name, NULL);
}

const struct overlay_effect *overlays_effect(struct problem *problem, const struct node_pool *pool,
                                             const struct instance_type *type)
{
    if (problem->catalog.overlays == NULL)
        return NULL;
    char key[700];
    target_key(key, pool, type);
    const struct target *target = map_get(problem->catalog.overlays->by_name, key);
    return target != NULL && target->changed ? &target->effect : NULL;
}
