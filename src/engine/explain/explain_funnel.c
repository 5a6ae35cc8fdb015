#include "engine/explain/explain_funnel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/placement/place_claim.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volume_limits.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"

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

// Adds one of the pod's terms, or none if it has no choice (NULL).
static void add_term(struct pass *pass, struct funnel *funnel, const struct node_term *term)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = funnel_shape(pass, funnel);
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
    const struct shape *shape = funnel_shape(pass, funnel);
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
    const struct shape *shape = funnel_shape(pass, funnel);
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

// Adds the rows that a set allowed by the rules leaves.
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

// Follows one alternative of the volumes' zones, or none, over every choice of domains that the
// groups leave.
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

// Follows each of the sets with each alternative of the volumes, if any.
static bool follow_all(struct pass *pass, struct funnel *funnel, struct bitset scratch)
{
    struct problem *problem = pass->problem;
    const struct pod_volumes *volumes = funnel_shape(pass, funnel)->volumes;
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
    const struct pod_volumes *volumes = funnel_shape(pass, funnel)->volumes;
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

// Types that would be large enough without their DaemonSets.
static void pass_daemon_sets(struct funnel *funnel)
{
    struct bitset before = funnel->rows[STAGE_HOST_PORTS], out = funnel->rows[STAGE_DAEMON_SETS];
    for (uint32_t w = 0; w < bitset_words(out.bits); w++)
        out.words[w] = before.words[w] & ~(funnel->bare.words[w] & ~funnel->fitting.words[w]);
}

// If no type is left that is merely too small, the reason is what dropped large enough types:
// limits, ports or DaemonSets.
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
    bitset_for_each (r, rows) { // rows of a type are adjacent
        count += table->rows[r].type_index != last;
        last = table->rows[r].type_index;
    }
    return count;
}
