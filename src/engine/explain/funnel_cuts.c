#include "engine/explain/funnel_cuts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/explain/explain_miss.h"
#include "engine/problem/host_ports.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

#define CUTS_MAX 32

struct cuts {
    struct plan_cut items[CUTS_MAX];
    uint32_t count;
};

static void add_cut(struct cuts *cuts, struct arena *arena, struct text *value, uint32_t before,
                    uint32_t left)
{
    if (left < before && cuts->count < CUTS_MAX)
        cuts->items[cuts->count++] =
            (struct plan_cut){arena_copy_string(arena, value->data), before, left};
    text_free(value);
}

static uint32_t types_in_both(const struct funnel *funnel, struct bitset a, struct bitset b)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset both = bitset_create(scratch, a.bits);
    bitset_copy(both, a);
    bitset_and(both, b);
    return funnel_types(funnel, both);
}

// Cuts by each requirement of the set alone: on types or on their offerings.
static void cut_by_requirements(struct pass *pass, const struct funnel *funnel, uint32_t set,
                                struct bitset before, bool offerings, struct arena *arena,
                                struct cuts *cuts)
{
    struct problem *problem = pass->problem;
    uint32_t total = funnel_types(funnel, before), count = problem->sets->sets[set].count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t requirement = problem->sets->sets[set].requirements[i];
        uint32_t alone = set_add_known(problem->sets, SET_EMPTY, requirement);
        const struct row_filter *filter =
            type_table_filter(problem, funnel->template->table, alone);
        uint32_t left =
            types_in_both(funnel, before, offerings ? filter->offered : filter->compatible);
        if (!offerings && !sets_compatible(problem->sets, funnel->template->set, alone, true))
            left = 0;
        struct text value = {0};
        requirement_add_text(&value, problem->vocabulary,
                             requirement_get(problem->sets, requirement));
        add_cut(cuts, arena, &value, total, left);
    }
}

// Cuts by the pod's requirements without alternatives, then by its terms together.
static void cut_by_pod(struct pass *pass, const struct funnel *funnel, struct bitset before,
                       struct arena *arena, struct cuts *cuts)
{
    const struct shape *shape = funnel_shape(pass, funnel);
    cut_by_requirements(pass, funnel, shape->set, before, false, arena, cuts);
    if (shape->terms_count == 0)
        return;
    struct text value = {0};
    text_format(&value, "any of %" PRIu32 " node affinity terms", shape->terms_count);
    add_cut(cuts, arena, &value, funnel_types(funnel, before),
            types_in_both(funnel, before, funnel->compatible));
}

static void cut_by_limits(struct pass *pass, const struct funnel *funnel, struct bitset before,
                          struct arena *arena, struct cuts *cuts)
{
    struct problem *problem = pass->problem;
    const struct node_template *template = funnel->template;
    const int64_t *remaining = pass->remaining[template->index];
    uint32_t total = funnel_types(funnel, before);
    for (uint32_t d = 0; remaining != NULL && d < problem->dimensions.count; d++) {
        if (template->limits[d] == INT64_MAX)
            continue;
        struct bitset left = bitset_create(arena, before.bits);
        bitset_for_each (r, before)
            if (d == DIMENSION_NODES ? remaining[d] > 0
                                     : template->table->rows[r].capacity[d] <= remaining[d])
                bitset_set(left, r);
        struct text value = {0};
        text_add(&value, "limit of ");
        explain_add_amount(&value, problem, d, template->limits[d]);
        text_add(&value, ", ");
        explain_add_amount(&value, problem, d, remaining[d] > 0 ? remaining[d] : 0);
        text_add(&value, " left");
        add_cut(cuts, arena, &value, total, funnel_types(funnel, left));
    }
}

static void cut_by_resources(struct pass *pass, const struct funnel *funnel, struct bitset before,
                             struct arena *arena, struct cuts *cuts)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = funnel_shape(pass, funnel);
    uint32_t total = funnel_types(funnel, before);
    struct bitset fitting = bitset_create(arena, before.bits);
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        int64_t *alone = vector_create(problem);
        alone[d] = shape->requests[d];
        template_fits(problem, funnel->template, alone, fitting);
        struct text value = {0};
        explain_add_amount(&value, problem, d, shape->requests[d]);
        add_cut(cuts, arena, &value, total, types_in_both(funnel, before, fitting));
    }
}

static void cut_by_ports(struct pass *pass, const struct funnel *funnel, struct bitset before,
                         struct arena *arena, struct cuts *cuts)
{
    list_for_each (port, &funnel_shape(pass, funnel)->ports) {
        struct host_ports alone = {port, 1};
        struct bitset left = bitset_create(arena, before.bits);
        const struct host_port *existing, *wanted;
        bitset_copy(left, before);
        for (uint32_t g = 0; g < funnel->template->groups_count; g++)
            if (host_ports_conflict(&funnel->template->groups[g].ports, &alone, &existing, &wanted))
                bitset_for_each (r, funnel->template->groups[g].rows)
                    bitset_clear(left, r);
        struct text value = {0};
        text_format(&value, "host port %" PRId64 "/%s, which a DaemonSet holds", port->port,
                    port->protocol);
        add_cut(cuts, arena, &value, funnel_types(funnel, before), funnel_types(funnel, left));
    }
}

static int compare_cuts(const void *a, const void *b)
{
    const struct plan_cut *x = a, *y = b;
    return x->left != y->left ? (x->left < y->left ? -1 : 1) : strcmp(x->value, y->value);
}

static void add_cuts(struct pass *pass, const struct funnel *funnel, enum plan_stage_kind stage,
                     struct arena *arena, struct plan_stage *out)
{
    struct cuts cuts = {.count = 0};
    struct bitset before = stage > 0 ? funnel->rows[stage - 1] : funnel->template->rows;
    if (stage == STAGE_REQUIREMENTS)
        cut_by_pod(pass, funnel, before, arena, &cuts);
    else if (stage == STAGE_OFFERINGS)
        cut_by_requirements(pass, funnel, funnel->sets_count == 1 ? funnel->sets[0] : funnel->set,
                            before, true, arena, &cuts);
    else if (stage == STAGE_LIMITS)
        cut_by_limits(pass, funnel, before, arena, &cuts);
    else if (stage == STAGE_HOST_PORTS)
        cut_by_ports(pass, funnel, before, arena, &cuts);
    else if (stage == STAGE_RESOURCES)
        cut_by_resources(pass, funnel, before, arena, &cuts);
    if (cuts.count == 0)
        return;
    qsort(cuts.items, cuts.count, sizeof *cuts.items, compare_cuts);
    out->cuts.items = arena_allocate_array(arena, cuts.count, sizeof *cuts.items);
    memcpy(out->cuts.items, cuts.items, cuts.count * sizeof *cuts.items);
    out->cuts.count = cuts.count;
}

void funnel_describe(struct pass *pass, const struct funnel *funnel, struct arena *arena,
                     struct plan_pool_funnel *out)
{
    const struct pod_volumes *volumes = funnel_shape(pass, funnel)->volumes;
    out->types = funnel->template->table->types_count;
    out->own = funnel_types(funnel, funnel->template->rows);
    out->stages.items = arena_allocate_array(arena, STAGE_COUNT, sizeof *out->stages.items);
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        bool idle = (stage == STAGE_VOLUMES && volumes == NULL) ||
                    (stage == STAGE_LIMITS && !funnel->template->has_limits) ||
                    (stage == STAGE_MIN_VALUES && !funnel->template->has_min_values) ||
                    (stage == STAGE_RESERVATIONS && !funnel->template->table->has_reservations);
        if (idle && stage != (int)funnel->emptied)
            continue;
        struct plan_stage *described = &out->stages.items[out->stages.count++];
        described->kind = (enum plan_stage_kind)stage;
        described->left = funnel_types(funnel, funnel->rows[stage]);
        add_cuts(pass, funnel, described->kind, arena, described);
        if (described->left == 0)
            break;
    }
}
