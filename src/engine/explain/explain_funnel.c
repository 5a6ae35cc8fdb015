#include "engine/explain/explain_funnel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/explain/explain_miss.h"
#include "engine/pass/refusal.h"
#include "engine/placement/pass.h"
#include "engine/placement/place_claim.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volumes.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/templates.h"
#include "engine/topology/topology.h"

static const struct shape *shape_in(const struct pass *pass, const struct funnel *funnel)
{
    return shape_of(pass->problem, class_at(pass->problem, funnel->class));
}

// --- the single tests ----------------------------------------------------------------------------

static bool names_unknown_label(struct problem *problem, const struct node_template *template,
                                uint32_t set)
{
    const struct requirement_set *asked = &problem->sets->sets[set];
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct requirement *one = requirement_get(problem->sets, asked->requirements[i]);
        if (set_find(problem->sets, template->set, one->key) == REQUIREMENT_NONE &&
            !vocabulary_is_well_known(problem->vocabulary, one->key) &&
            !requirement_accepts_absence(one))
            return true;
    }
    return false;
}

// One of the pod's terms, or none if it has no choice (NULL).
static void add_term(struct pass *pass, struct funnel *funnel, const struct node_term *term)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_in(pass, funnel);
    uint32_t asked[2] = {shape->set, term != NULL ? term->set : SET_EMPTY};
    uint32_t set = funnel->template->set;
    for (int i = 0; i < 2; i++) {
        if (!sets_compatible(problem->sets, set, asked[i], true)) {
            funnel->unknown_label =
                funnel->unknown_label || names_unknown_label(problem, funnel->template, asked[i]);
            return;
        }
        set = set_meet(problem->sets, set, asked[i]);
    }
    if (problem_hostname_allowed(problem, shape->hostname, pass->next_hostname) &&
        (term == NULL || problem_hostname_allowed(problem, term->hostname, pass->next_hostname)))
        funnel->sets[funnel->sets_count++] = set;
}

static void find_sets(struct pass *pass, struct funnel *funnel, struct arena *arena)
{
    const struct shape *shape = shape_in(pass, funnel);
    uint32_t count = funnel->template->table->count;
    funnel->sets = arena_allocate_array(arena, shape->terms_count + 1, sizeof *funnel->sets);
    funnel->set = set_meet(pass->problem->sets, funnel->template->set, shape->set);
    if (!shape->impossible && shape->terms_count == 0)
        add_term(pass, funnel, NULL);
    for (uint32_t i = 0; i < shape->terms_count && !shape->impossible; i++)
        add_term(pass, funnel, &shape->terms[i]);
    funnel->compatible = bitset_create(arena, count);
    funnel->offered = bitset_create(arena, count);
    for (uint32_t i = 0; i < funnel->sets_count; i++) {
        const struct row_filter *filter =
            type_table_filter(pass->problem, funnel->template->table, funnel->sets[i]);
        for (uint32_t w = 0; w < bitset_words(count); w++) {
            funnel->compatible.words[w] |= filter->compatible.words[w];
            funnel->offered.words[w] |= filter->offered.words[w];
            funnel->rows[STAGE_OFFERINGS].words[w] |= filter->both.words[w];
        }
    }
}

static bool within_limits(const struct pass *pass, const struct node_template *template,
                          const struct row *row)
{
    const int64_t *remaining = pass->remaining[template->index];
    if (remaining == NULL)
        return true;
    if (template->has_node_limit && remaining[DIMENSION_NODES] <= 0)
        return false;
    for (uint32_t d = 0; d < pass->problem->dimensions.count; d++)
        if (template->limits[d] != INT64_MAX && row->capacity[d] > remaining[d])
            return false;
    return true;
}

static void test_rows(struct pass *pass, struct funnel *funnel)
{
    struct problem *problem = pass->problem;
    const struct node_template *template = funnel->template;
    const struct shape *shape = shape_in(pass, funnel);
    bitset_for_each (r, template->rows) {
        const struct row *row = &template->table->rows[r];
        if (within_limits(pass, template, row))
            bitset_set(funnel->limited, r);
        if (vector_fits(problem, shape->requests, row->allocatable))
            bitset_set(funnel->bare, r);
    }
    const struct host_port *existing, *wanted;
    bitset_copy(funnel->ported, template->rows);
    for (uint32_t g = 0; g < template->groups_count; g++)
        if (host_ports_conflict(&template->groups[g].ports, &shape->ports, &existing, &wanted))
            bitset_for_each (r, template->groups[g].rows)
                bitset_clear(funnel->ported, r);
    template_fits(problem, template, shape->requests, funnel->fitting);
    bitset_copy(funnel->attachable, template->rows);
    if (shape->volumes != NULL && template->volume_limits_count > 0)
        volumes_fit_rows(problem, template, NULL, 0, shape->volumes, funnel->attachable, NULL);
}

// --- rules between pods, minValues, reservations -------------------------------------------------

static enum reason_code code_of_groups(const struct pass *pass, const struct pod_class *class)
{
    static const enum reason_code codes[] = {REASON_TOPOLOGY_SPREAD, REASON_POD_AFFINITY,
                                             REASON_POD_ANTI_AFFINITY,
                                             REASON_EXISTING_ANTI_AFFINITY};
    uint32_t first = GROUP_INVERSE;
    for (uint32_t i = 0; i < class->groups_count; i++)
        if (pass->problem->topology.groups.items[class->groups[i]]->kind < first)
            first = pass->problem->topology.groups.items[class->groups[i]]->kind;
    return codes[first];
}

// What a set that the rules allow leaves of the rows.
static void add_set(struct pass *pass, struct funnel *funnel, uint32_t set, struct bitset scratch)
{
    struct problem *problem = pass->problem;
    struct type_table *table = funnel->template->table;
    bitset_copy(scratch, funnel->rows[STAGE_RESOURCES]);
    bitset_and(scratch, type_table_filter(problem, table, set)->both);
    bool met = true;
    if (funnel->template->has_min_values && !problem->settings->min_values_best_effort) {
        uint32_t *keys = memory_allocate_array(problem->sets->sets[set].count + 1, sizeof *keys);
        met = unmet_min_values(problem, table, scratch, set, keys) == 0;
        free(keys);
    }
    for (uint32_t w = 0; w < bitset_words(scratch.bits); w++) {
        funnel->rows[STAGE_TOPOLOGY].words[w] |= scratch.words[w];
        if (met)
            funnel->rows[STAGE_MIN_VALUES].words[w] |= scratch.words[w];
    }
}

static bool volumes_allow(struct problem *problem, const struct pass *pass, uint32_t set,
                          const struct node_term *term)
{
    return sets_compatible(problem->sets, set, term->set, true) &&
           problem_hostname_allowed(problem, term->hostname, pass->next_hostname);
}

// One alternative of the volumes' zones, or none: every choice of domains that the groups leave.
static bool follow_rules(struct pass *pass, struct funnel *funnel, uint32_t base,
                         struct bitset scratch)
{
    struct candidate candidate = {.set = base,
                                  .hostname = pass->next_hostname,
                                  .is_claim = true,
                                  .table = funnel->template->table,
                                  .rows = &funnel->limited,
                                  .fitting = &funnel->fitting};
    struct topology_choice *choice;
    refusal_begin(pass, REASON_TOPOLOGY_SPREAD);
    if (topology_begin(pass, funnel->class, &candidate, &choice) != ACCEPTED)
        return false;
    uint32_t set = base;
    while (topology_next(pass, &candidate, choice, &set))
        add_set(pass, funnel, set, scratch);
    return true;
}

// Each of the sets, with each alternative of the volumes if there are any.
static bool follow_all(struct pass *pass, struct funnel *funnel, struct bitset scratch)
{
    struct problem *problem = pass->problem;
    const struct pod_volumes *volumes = shape_in(pass, funnel)->volumes;
    bool any = false;
    for (uint32_t s = 0; s < funnel->sets_count; s++) {
        if (volumes == NULL || volumes->alternatives_count == 0)
            any = follow_rules(pass, funnel, funnel->sets[s], scratch) || any;
        for (uint32_t i = 0; volumes != NULL && i < volumes->alternatives_count; i++)
            if (volumes_allow(problem, pass, funnel->sets[s], &volumes->alternatives[i]))
                any = follow_rules(
                          pass, funnel,
                          set_meet(problem->sets, funnel->sets[s], volumes->alternatives[i].set),
                          scratch) ||
                      any;
    }
    return any;
}

static void test_rules(struct pass *pass, struct funnel *funnel, struct arena *arena)
{
    struct bitset scratch = bitset_create(arena, funnel->template->table->count);
    struct text why = {0};
    pass->refusal.why = &why;
    bool any = follow_all(pass, funnel, scratch);
    pass->refusal.why = NULL;
    text_free(&why);
    funnel->code =
        any ? code_of_groups(pass, class_at(pass->problem, funnel->class)) : pass->refusal.code;
}

static void test_reservations(struct pass *pass, struct funnel *funnel, struct arena *arena)
{
    struct claim fresh = {.template = (struct node_template *)(uintptr_t)funnel->template,
                          .set = funnel->template->set,
                          .requests = pass->scratch.zero,
                          .hostname = pass->next_hostname,
                          .rows = funnel->limited,
                          .reservations =
                              bitset_create(arena, pass->problem->catalog.reservations_count)};
    bool kept = pass->last.reserved_error;
    if (claim_check(pass, &fresh, funnel->class, true, &pass->scratch.attempt) == ACCEPTED ||
        !pass->last.reserved_error)
        bitset_copy(funnel->rows[STAGE_RESERVATIONS], funnel->rows[STAGE_MIN_VALUES]);
    pass->last.reserved_error = kept;
}

// --- the funnel ----------------------------------------------------------------------------------

static void pass_volumes(struct pass *pass, struct funnel *funnel)
{
    struct problem *problem = pass->problem;
    const struct pod_volumes *volumes = shape_in(pass, funnel)->volumes;
    struct bitset out = funnel->rows[STAGE_VOLUMES];
    bitset_copy(out, funnel->rows[STAGE_OFFERINGS]);
    if (volumes == NULL || volumes->alternatives_count == 0)
        return;
    memset(out.words, 0, bitset_words(out.bits) * 8);
    for (uint32_t s = 0; s < funnel->sets_count; s++)
        for (uint32_t i = 0; i < volumes->alternatives_count; i++) {
            const struct node_term *term = &volumes->alternatives[i];
            if (!volumes_allow(problem, pass, funnel->sets[s], term))
                continue;
            const struct row_filter *filter =
                type_table_filter(problem, funnel->template->table,
                                  set_meet(problem->sets, funnel->sets[s], term->set));
            for (uint32_t w = 0; w < bitset_words(out.bits); w++)
                out.words[w] |= filter->both.words[w] & funnel->rows[STAGE_OFFERINGS].words[w];
        }
}

static void narrow(struct funnel *funnel, enum plan_stage_kind stage, struct bitset by)
{
    bitset_copy(funnel->rows[stage], funnel->rows[stage - 1]);
    bitset_and(funnel->rows[stage], by);
}

// Types that would be large enough, were it not for their DaemonSets.
static void pass_daemon_sets(struct funnel *funnel)
{
    struct bitset before = funnel->rows[STAGE_HOST_PORTS], out = funnel->rows[STAGE_DAEMON_SETS];
    for (uint32_t w = 0; w < bitset_words(out.bits); w++)
        out.words[w] = before.words[w] & ~(funnel->bare.words[w] & ~funnel->fitting.words[w]);
}

// What was dropped by limits, ports or DaemonSets although it was large enough is what is missing
// when no other type is.
static enum reason_code code_of_resources(const struct funnel *funnel)
{
    struct bitset volumes = funnel->rows[STAGE_VOLUMES];
    uint64_t over_limits = 0, in_conflict = 0, overloaded = 0;
    for (uint32_t w = 0; w < bitset_words(volumes.bits); w++) {
        uint64_t fits = volumes.words[w] & funnel->fitting.words[w];
        over_limits |= fits & funnel->ported.words[w] & ~funnel->limited.words[w];
        in_conflict |= fits & funnel->limited.words[w] & ~funnel->ported.words[w];
        overloaded |= volumes.words[w] & funnel->bare.words[w] & funnel->limited.words[w] &
                      funnel->ported.words[w];
    }
    return over_limits != 0   ? REASON_LIMIT_EXCEEDED
           : in_conflict != 0 ? REASON_HOST_PORT_CONFLICT
           : overloaded != 0  ? REASON_DAEMON_SET_OVERHEAD
                              : REASON_INSUFFICIENT_RESOURCES;
}

static enum reason_code code_of_stage(const struct funnel *funnel)
{
    switch (funnel->emptied) {
    case STAGE_REQUIREMENTS:
        return funnel->unknown_label ? REASON_UNKNOWN_LABEL : REASON_REQUIREMENT_MISMATCH;
    case STAGE_OFFERINGS:
        return REASON_NO_OFFERING;
    case STAGE_VOLUMES:
        return funnel->code;
    case STAGE_LIMITS:
        return REASON_LIMIT_EXCEEDED;
    case STAGE_HOST_PORTS:
        return REASON_HOST_PORT_CONFLICT;
    case STAGE_DAEMON_SETS:
    case STAGE_RESOURCES:
        return code_of_resources(funnel);
    case STAGE_TOPOLOGY:
        return funnel->code;
    case STAGE_MIN_VALUES:
        return REASON_MIN_VALUES;
    case STAGE_RESERVATIONS:
    case STAGE_COUNT:
        break;
    }
    return REASON_RESERVED_EXHAUSTED;
}

void funnel_run(struct pass *pass, const struct node_template *template, uint32_t class,
                struct arena *arena, struct funnel *funnel)
{
    uint32_t count = template->table->count;
    *funnel = (struct funnel){.template = template, .class = class, .emptied = STAGE_COUNT};
    for (int stage = 0; stage < STAGE_COUNT; stage++)
        funnel->rows[stage] = bitset_create(arena, count);
    funnel->limited = bitset_create(arena, count);
    funnel->ported = bitset_create(arena, count);
    funnel->attachable = bitset_create(arena, count);
    funnel->bare = bitset_create(arena, count);
    funnel->fitting = bitset_create(arena, count);
    find_sets(pass, funnel, arena);
    test_rows(pass, funnel);
    bitset_copy(funnel->rows[STAGE_REQUIREMENTS], template->rows);
    bitset_and(funnel->rows[STAGE_REQUIREMENTS], funnel->compatible);
    bitset_and(funnel->rows[STAGE_OFFERINGS], template->rows);
    pass_volumes(pass, funnel);
    funnel->code =
        bitset_empty(funnel->rows[STAGE_VOLUMES]) ? REASON_VOLUME_ZONE : REASON_VOLUME_LIMIT;
    bitset_and(funnel->rows[STAGE_VOLUMES], funnel->attachable);
    narrow(funnel, STAGE_LIMITS, funnel->limited);
    narrow(funnel, STAGE_HOST_PORTS, funnel->ported);
    pass_daemon_sets(funnel);
    narrow(funnel, STAGE_RESOURCES, funnel->fitting);
    if (!bitset_empty(funnel->rows[STAGE_RESOURCES]))
        test_rules(pass, funnel, arena);
    if (!bitset_empty(funnel->rows[STAGE_MIN_VALUES]))
        test_reservations(pass, funnel, arena);
    for (int stage = STAGE_COUNT - 1; stage >= 0; stage--)
        if (bitset_empty(funnel->rows[stage]))
            funnel->emptied = (enum plan_stage_kind)stage;
    funnel->code = code_of_stage(funnel);
}

uint32_t funnel_types(const struct funnel *funnel, struct bitset rows)
{
    const struct type_table *table = funnel->template->table;
    uint32_t count = 0, last = NONE;
    bitset_for_each (r, rows) { // rows of a type stand together
        count += table->rows[r].type_index != last;
        last = table->rows[r].type_index;
    }
    return count;
}

// --- telling -------------------------------------------------------------------------------------

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

// Each requirement of the set on its own: on the types themselves, or on their offerings.
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

// What the pod asks for in any case, then its terms together.
static void cut_by_pod(struct pass *pass, const struct funnel *funnel, struct bitset before,
                       struct arena *arena, struct cuts *cuts)
{
    const struct shape *shape = shape_in(pass, funnel);
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
    const struct shape *shape = shape_in(pass, funnel);
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
    list_for_each (port, &shape_in(pass, funnel)->ports) {
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

static void tell_cuts(struct pass *pass, const struct funnel *funnel, enum plan_stage_kind stage,
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

void funnel_tell(struct pass *pass, const struct funnel *funnel, struct arena *arena,
                 struct plan_pool_funnel *out)
{
    const struct pod_volumes *volumes = shape_in(pass, funnel)->volumes;
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
        struct plan_stage *told = &out->stages.items[out->stages.count++];
        told->kind = (enum plan_stage_kind)stage;
        told->left = funnel_types(funnel, funnel->rows[stage]);
        tell_cuts(pass, funnel, told->kind, arena, told);
        if (told->left == 0)
            break;
    }
}
