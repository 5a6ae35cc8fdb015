#include "engine/placement/effective_zones.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/placement/pass.h"
#include "engine/pods/topology_groups.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_counts.h"
#include "engine/topology/topology_record.h"

#define FLEXIBLE "flexible"
#define NOWHERE  "none"

struct zone_set { // `any`: all zones, known or not
    bool any;
    VECTOR(uint32_t) values;
};

static bool zone_set_has(const struct zone_set *set, uint32_t value)
{
    if (set->any)
        return true;
    for (uint32_t i = 0; i < set->values.count; i++)
        if (set->values.items[i] == value)
            return true;
    return false;
}

static void zone_set_add(struct zone_set *set, uint32_t value)
{
    if (!zone_set_has(set, value))
        vector_push(&set->values, value);
}

static bool is_in(const struct requirement *requirement)
{
    return requirement != NULL && !requirement->complement && requirement->count > 0;
}

// Intersects with the zones of the volumes, if every alternative names zones.
static void read_volumes(const struct problem *problem, const struct pod_class *class,
                         struct zone_set *zones)
{
    const struct pod_volumes *volumes = class->volumes;
    zones->any = volumes == NULL || volumes->alternatives_count == 0;
    for (uint32_t i = 0; !zones->any && i < volumes->alternatives_count; i++) {
        const struct requirement *zone =
            set_get(problem->sets, volumes->alternatives[i].set, problem->keys.zone);
        zones->any = !is_in(zone);
        for (uint32_t v = 0; !zones->any && v < zone->count; v++)
            zone_set_add(zones, zone->values[v]);
    }
}

// --- rules between pods --------------------------------------------------------------------------
static bool may_go(const struct problem *problem, const struct requirement *zone, uint32_t value)
{
    return zone == NULL || requirement_has(problem->vocabulary, zone, value);
}

// SCH-309, 310: some domain open to the pod has a matching pod.
static bool has_wanted(const struct problem *problem, const struct group_state *group,
                       const struct requirement *zone)
{
    struct domain domain;
    for (uint32_t at = 0; group_next_domain(group, &at, &domain);)
        if (domain.count > 0 && may_go(problem, zone, domain.value))
            return true;
    return false;
}

static bool starts_its_own(const struct pass *pass, const struct group_state *group,
                           const struct pod_class *class, const struct requirement *zone)
{
    return group_selects(pass->problem, group->id, class->identity) &&
           (pass->problem->strategy->counts_as_scheduler ? group->nonempty == 0
                                                         : !has_wanted(pass->problem, group, zone));
}

static void read_group(struct pass *pass, const struct group_state *group,
                       const struct pod_class *class, const struct requirement *zone,
                       struct zone_set *zones)
{
    const struct group_definition *definition = group->definition;
    int64_t minimum = 0, self = 0;
    bool starts = false;
    if (definition->kind == GROUP_SPREAD) {
        minimum = topology_spread_minimum(pass, group, zone);
        self = group_selects(pass->problem, group->id, class->identity);
    } else if (definition->kind == GROUP_AFFINITY) {
        starts = starts_its_own(pass, group, class, zone);
    }
    struct domain domain;
    for (uint32_t at = 0; group_next_domain(group, &at, &domain);) {
        bool allowed = definition->kind == GROUP_SPREAD
                           ? domain.count + self - minimum <= definition->max_skew
                           : may_go(pass->problem, zone, domain.value);
        if (definition->kind == GROUP_AFFINITY)
            allowed = allowed && (domain.count > 0 || starts);
        if (definition->kind == GROUP_ANTI_AFFINITY)
            allowed = allowed && domain.count == 0;
        if (allowed)
            zone_set_add(zones, domain.value);
    }
}

static void keep_common(struct zone_set *zones, struct zone_set *others)
{
    if (zones->any) {
        *zones = *others;
        *others = (struct zone_set){0};
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < zones->values.count; i++)
        if (zone_set_has(others, zones->values.items[i]))
            zones->values.items[kept++] = zones->values.items[i];
    zones->values.count = kept;
}

// Intersects with the zones that all groups of the class allow.
static void read_groups(struct pass *pass, const struct pod_class *class,
                        const struct requirement *zone, struct zone_set *zones)
{
    zones->any = true;
    for (uint32_t i = 0; i < class->groups_count; i++) {
        const struct group_state *group = pass->work->groups.items[class->groups[i]];
        if (group->definition->key != pass->problem->keys.zone)
            continue;
        struct zone_set allowed = {0};
        read_group(pass, group, class, zone, &allowed);
        keep_common(zones, &allowed);
        vector_free(&allowed.values);
    }
}

// --- one class -----------------------------------------------------------------------------------
static const char *choose(const struct problem *problem, const struct requirement *zone,
                          const struct zone_set *volumes, const struct zone_set *groups)
{
    if (!groups->any && groups->values.count == 0)
        return NOWHERE;
    const uint32_t *candidates = groups->values.items;
    uint32_t count = groups->values.count, kept = 0, last = 0;
    if (is_in(zone)) {
        candidates = zone->values;
        count = zone->count;
    } else if (!volumes->any) {
        candidates = volumes->values.items;
        count = volumes->values.count;
    } else if (groups->any) {
        return FLEXIBLE;
    }
    for (uint32_t i = 0; i < count; i++)
        if (may_go(problem, zone, candidates[i]) && zone_set_has(volumes, candidates[i]) &&
            zone_set_has(groups, candidates[i])) {
            last = candidates[i];
            kept++;
        }
    return kept == 0  ? NOWHERE
           : kept > 1 ? FLEXIBLE
                      : vocabulary_value_text(problem->vocabulary, last);
}

static const char *zone_of(struct pass *pass, uint32_t class_id)
{
    topology_prepare(pass, class_id);
    const struct pod_class *class = class_at(pass->problem, class_id);
    const struct requirement *zone =
        set_get(pass->problem->sets, class->strict_set, pass->problem->keys.zone);
    struct zone_set volumes = {0}, groups = {0};
    read_volumes(pass->problem, class, &volumes);
    read_groups(pass, class, zone, &groups);
    const char *name = choose(pass->problem, zone, &volumes, &groups);
    vector_free(&volumes.values);
    vector_free(&groups.values);
    return name;
}

// --- the queue -----------------------------------------------------------------------------------
static void add(struct plan *plan, const char *zone)
{
    struct plan_zone *at = plan->zones.items, *end = at + plan->zones.count;
    while (at < end && strcmp(at->zone, zone) != 0)
        at++;
    if (at == end) {
        *at = (struct plan_zone){.zone = arena_copy_string(plan->arena, zone)};
        plan->zones.count++;
    }
    at->pods++;
}

static int compare_zones(const void *a, const void *b)
{
    return strcmp(((const struct plan_zone *)a)->zone, ((const struct plan_zone *)b)->zone);
}

void effective_zones_count(struct problem *problem, struct plan *plan)
{
    struct pass_input input = {.queue = problem->pods.queued,
                               .queue_count = problem->pods.queued_count};
    struct pass *pass = pass_create(problem, &input);
    const char **known =
        arena_allocate_array(pass->arena, problem->interned.classes.count + 1, sizeof *known);
    plan->zones.items = arena_allocate_array(plan->arena, problem->pods.queued_count + 1,
                                             sizeof *plan->zones.items);
    for (uint32_t i = 0; i < problem->pods.queued_count; i++) {
        const struct queued_pod *queued = &problem->pods.queued[i];
        assert(queued->class < problem->interned.classes.count);
        const struct pod_class *class = class_at(problem, queued->class);
        if (class->refusal != NULL || class->group_error != NULL ||
            !text_equal(queued->pod->status.phase, "Pending")) // SCH-412
            continue;
        if (known[queued->class] == NULL)
            known[queued->class] = zone_of(pass, queued->class);
        add(plan, known[queued->class]);
    }
    assert(plan->zones.count <= problem->pods.queued_count);
    qsort(plan->zones.items, plan->zones.count, sizeof *plan->zones.items, compare_zones);
    pass_destroy(pass);
}
