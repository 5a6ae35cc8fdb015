#include "engine/placement/place_claim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/placement/claim_bounds.h"
#include "engine/placement/claim_order.h"
#include "engine/placement/claim_price.h"
#include "engine/placement/limits.h"
#include "engine/placement/messages.h"
#include "engine/placement/place_devices.h"
#include "engine/placement/place_volumes.h"
#include "engine/placement/reservations.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/volume_limits.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_record.h"
#include "model/reading/pod.h"

// --- minValues (SCH-245 to SCH-249) --------------------------------------------------------------

static bool min_values_met(struct pass *pass, const struct claim *claim, bool relaxable,
                           struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct type_table *table = claim->template->table;
    uint32_t *keys = memory_allocate_array(problem->sets->sets[attempt->set].count, sizeof *keys);
    uint32_t unmet = unmet_min_values(problem, table, attempt->rows, attempt->set, keys);
    bool met = unmet == 0 || relaxable;
    if (!met && refusal_begin(pass, REASON_MIN_VALUES) != NULL) {
        text_add(pass->refusal.why, "minValues requirement is not met for label(s) (label(s)=[");
        for (uint32_t i = 0; i < unmet; i++)
            text_format(pass->refusal.why, "%s%s", i > 0 ? " " : "",
                        vocabulary_key_text(problem->vocabulary, keys[i]));
        text_add(pass->refusal.why, "])");
    }
    for (uint32_t i = 0; i < unmet && met; i++) {
        struct requirement lowered = *set_get(problem->sets, attempt->set, keys[i]);
        lowered.min_values = count_values(problem, table, attempt->rows, attempt->set, keys[i]);
        attempt->set = set_replace(problem->sets, attempt->set, &lowered);
        attempt->min_values_relaxed = true;
    }
    free(keys);
    return met;
}

// --- the check (SCH-212, 235) --------------------------------------------------------------------

// Drops rows of overhead groups whose DaemonSets use the pod's host ports.
static void drop_port_conflicts(const struct node_template *template, const struct shape *shape,
                                struct bitset rows)
{
    const struct host_port *existing, *wanted;
    for (uint32_t g = 0; g < template->groups_count && shape->ports.count > 0; g++) {
        const struct overhead_group *group = &template->groups[g];
        if (!host_ports_conflict(&group->ports, &shape->ports, &existing, &wanted))
            continue;
        for (uint32_t w = 0; w < bitset_words(rows.bits); w++)
            rows.words[w] &= ~group->rows.words[w];
    }
}

static bool intersect_rows(struct bitset out, struct bitset a, struct bitset b, struct bitset c)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < bitset_words(out.bits); w++)
        any |= out.words[w] = a.words[w] & b.words[w] & c.words[w];
    return any != 0;
}

// SCH-428: after the pod's own requirements and the rules between pods, so that devices are chosen
// for what the node will be (SCH-523).
static bool devices_left(struct pass *pass, const struct claim *claim, uint32_t class, bool fresh,
                         struct claim_attempt *attempt)
{
    const struct shape *shape = shape_of(pass->problem, class_at(pass->problem, class));
    bool for_good;
    if (shape->devices == NULL || devices_fit_claim(pass, claim, shape, fresh, attempt, &for_good))
        return true;
    pass->last.refused_for_now = !for_good;
    return false;
}

static bool rows_left(struct pass *pass, const struct claim *claim, uint32_t class, uint32_t set,
                      bool fresh, struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct row_filter *filter = type_table_filter(problem, claim->template->table, set);
    attempt->set = set;
    attempt->min_values_relaxed = false;
    if (!intersect_rows(attempt->rows, claim->rows, filter->both, pass->scratch.fitting)) {
        if (pass->refusal.why != NULL)
            refusal_add_filter(pass, claim, class, set);
        return false;
    }
    if (!devices_left(pass, claim, class, fresh, attempt))
        return false;
    if (problem->strategy->reserves_least_limits &&
        !limits_allow_more(pass, claim, attempt->rows)) {
        pass->last.refused_for_now = true;
        return false;
    }
    bool relaxable = fresh && problem->settings->min_values_best_effort;
    if (claim->template->has_min_values && !min_values_met(pass, claim, relaxable, attempt)) {
        if (pass->refusal.why != NULL)
            refusal_add_filter(pass, claim, class, set);
        return false;
    }
    return !claim->template->table->has_reservations || reservations_check(pass, claim, attempt);
}

// SCH-514: false if the set needs a key that only other pods of the claim have named.
static bool knows_keys(struct problem *problem, const struct node_template *template, uint32_t set)
{
    return !problem->strategy->adds_asked_labels_only ||
           sets_compatible(problem->sets, template->set, set, true);
}

static void refuse_requirements(struct pass *pass, const struct node_template *template,
                                const struct shape *shape, uint32_t base, uint32_t asked)
{
    struct requirement_sets *sets = pass->problem->sets;
    if (refusal_begin(pass, REASON_REQUIREMENT_MISMATCH) == NULL)
        return;
    text_add(pass->refusal.why, "incompatible requirements, ");
    bool conflict = !sets_compatible(sets, base, asked, true);
    if (shape->impossible && !conflict)
        text_add(pass->refusal.why, "the node selector and affinity terms select no node");
    else if (!conflict)
        base = template->set;
    sets_add_conflict(pass->refusal.why, sets, base, asked, true);
}

// No pod can require the hostname of a new node.
static void refuse_hostname(struct pass *pass, const struct claim *claim, const struct shape *shape,
                            const struct node_term *term)
{
    if (refusal_begin(pass, REASON_REQUIREMENT_MISMATCH) == NULL)
        return;
    bool by_shape = !problem_hostname_allowed(pass->problem, shape->hostname, claim->hostname);
    text_add(pass->refusal.why, "incompatible requirements, ");
    refusal_add_hostname(pass, by_shape ? shape->hostname : term->hostname, claim->hostname);
}

static enum verdict check_alternative(struct pass *pass, const struct claim *claim, uint32_t class,
                                      bool fresh, uint32_t base,
                                      const struct node_term *alternative,
                                      struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    uint32_t set = base;
    if (alternative != NULL) {
        if (!sets_compatible(problem->sets, base, alternative->set, true) ||
            !knows_keys(problem, claim->template, alternative->set) ||
            !problem_hostname_allowed(problem, alternative->hostname, claim->hostname)) {
            if (refusal_begin(pass, REASON_VOLUME_ZONE) != NULL) {
                text_add(pass->refusal.why, "incompatible volume requirements, ");
                sets_add_conflict(pass->refusal.why, problem->sets, base, alternative->set, true);
                refusal_add_hostname(pass, alternative->hostname, claim->hostname);
            }
            return REFUSED_SHAPE;
        }
        set = set_meet(problem->sets, base, alternative->set);
    }
    const struct class_state *state = pass_class(pass, class);
    if (state->hostname_groups.count == 0 && state->domain_groups.count == 0 &&
        state->counting.count == 0 && !pass->current.avoids_inverse) {
        if (rows_left(pass, claim, class, set, fresh, attempt))
            return ACCEPTED;
        return pass->last.reserved_error || pass->last.refused_for_now ? REFUSED_NOW
                                                                       : REFUSED_SHAPE;
    }
    struct candidate candidate = {.set = set,
                                  .hostname = claim->hostname,
                                  .taints = claim->template->taints,
                                  .is_claim = true,
                                  .table = claim->template->table,
                                  .template = claim->template,
                                  .rows = &claim->rows,
                                  .fitting = &pass->scratch.fitting};
    struct topology_choice *choice;
    refusal_begin(pass, REASON_TOPOLOGY_SPREAD);
    enum verdict verdict = topology_begin(pass, class, &candidate, &choice);
    if (verdict != ACCEPTED)
        return verdict;
    while (topology_next(pass, &candidate, choice, &set))
        if (rows_left(pass, claim, class, set, fresh, attempt))
            return ACCEPTED;
    return REFUSED_NOW;
}

static bool ports_free(struct pass *pass, const struct claim *claim, const struct shape *shape)
{
    const struct host_port *existing, *wanted;
    struct host_ports used = {claim->ports.items, claim->ports.count};
    if (shape->ports.count == 0 || !host_ports_conflict(&used, &shape->ports, &existing, &wanted))
        return true;
    if (refusal_begin(pass, REASON_HOST_PORT_CONFLICT) != NULL)
        host_ports_add_conflict(pass->refusal.why, existing, wanted);
    return false;
}

// SCH-353: drops machines that cannot attach more volumes of some driver.
static bool volumes_attachable(struct pass *pass, const struct claim *claim,
                               const struct shape *shape)
{
    if (shape->volumes == NULL || claim->template->volume_limits_count == 0)
        return true;
    struct text *why = pass->refusal.why != NULL ? &(struct text){0} : NULL;
    bool any = volumes_fit_rows(pass->problem, claim->template, claim->volumes.items,
                                claim->volumes.count, shape->volumes, pass->scratch.fitting, why);
    if (!any && refusal_begin(pass, REASON_VOLUME_LIMIT) != NULL)
        text_format(pass->refusal.why, "checking volume usage, %s", why->data);
    if (why != NULL)
        text_free(why);
    return any;
}

// Checks the claim with one of its branches, for one node affinity term of the pod (NULL: no
// terms).
static enum verdict check_branch(struct pass *pass, const struct claim *claim, uint32_t class,
                                 bool fresh, const struct node_term *term, uint32_t way,
                                 struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    uint32_t base = claim->set;
    uint32_t asked[] = {shape->set, term != NULL ? term->set : SET_EMPTY,
                        pass->current.required_set, devices_required_set(pass, shape),
                        devices_way_set(pass, way)};
    for (size_t i = 0; i < ARRAY_LENGTH(asked); i++) {
        if (shape->impossible || !sets_compatible(problem->sets, base, asked[i], true) ||
            !knows_keys(problem, claim->template, asked[i])) {
            refuse_requirements(pass, claim->template, shape, base, asked[i]);
            return REFUSED_SHAPE;
        }
        base = set_meet(problem->sets, base, asked[i]);
    }
    if (!problem_hostname_allowed(problem, shape->hostname, claim->hostname) ||
        (term != NULL && !problem_hostname_allowed(problem, term->hostname, claim->hostname))) {
        refuse_hostname(pass, claim, shape, term);
        return REFUSED_SHAPE;
    }
    if (pass->refusal.why == NULL &&
        !intersect_rows(attempt->rows, claim->rows, pass->scratch.fitting,
                        type_table_filter(problem, claim->template->table, base)->both))
        return REFUSED_SHAPE;
    uint32_t alternatives = shape->volumes != NULL ? shape->volumes->alternatives_count : 0;
    if (alternatives == 0)
        return check_alternative(pass, claim, class, fresh, base, NULL, attempt);
    enum verdict verdict = REFUSED_SHAPE;
    for (uint32_t i = 0; i < alternatives; i++) {
        enum verdict next = check_alternative(pass, claim, class, fresh, base,
                                              &shape->volumes->alternatives[i], attempt);
        if (next == ACCEPTED)
            return ACCEPTED;
        if (next < verdict)
            verdict = next;
    }
    return verdict;
}

// --- claims and pods with a choice (SCH-508) -----------------------------------------------------

// Alternatives may stay open until launch if no rule between pods reads their difference.
static bool may_stay_open(struct pass *pass, const struct claim *claim, uint32_t class_id)
{
    const struct class_state *state = pass_class(pass, class_id);
    const struct pod_class *class = class_at(pass->problem, class_id);
    return state->hostname_groups.count == 0 && state->domain_groups.count == 0 &&
           pass->work->selecting[class->identity].count == 0 && class->inverse_count == 0 &&
           !claim->template->has_min_values && !claim->template->table->has_reservations &&
           shape_of(pass->problem, class)->devices == NULL;
}

static void copy_attempt(struct claim_attempt *to, const struct claim_attempt *from)
{
    to->set = from->set;
    to->cpu = from->cpu;
    to->min_values_relaxed = from->min_values_relaxed;
    to->rows.bits = from->rows.bits;
    bitset_copy(to->rows, from->rows);
    bitset_copy(to->reservations, from->reservations);
}

// Inserts `trial` into the choices by price; equal ones keep their order.
static void keep_choice(struct pass *pass, const struct claim *claim,
                        const struct claim_attempt *trial)
{
    struct claim_choice *choices = pass->choices.items;
    assert(pass->choices.count <= BRANCHES_MAX);
    for (uint32_t i = 0; i < pass->choices.count; i++)
        if (choices[i].attempt.set == trial->set)
            return;
    int64_t price = claim_attempt_price(pass, claim, trial);
    uint32_t at = pass->choices.count;
    if (at == BRANCHES_MAX) {
        if (choices[at - 1].price <= price)
            return;
        at--;
    } else {
        pass->choices.count++;
    }
    struct claim_choice moved = choices[at];
    for (; at > 0 && choices[at - 1].price > price; at--)
        choices[at] = choices[at - 1];
    choices[at] = moved;
    choices[at].price = price;
    assert(at == 0 || choices[at - 1].price <= price);
    copy_attempt(&choices[at].attempt, trial);
}

// Checks every branch of the claim with every term of the pod: the cheapest wins; others stay open
// for later pods.
static enum verdict check_choices(struct pass *pass, const struct claim *claim, uint32_t class,
                                  bool fresh, struct claim_attempt *attempt)
{
    const struct shape *shape = shape_of(pass->problem, class_at(pass->problem, class));
    enum verdict verdict = REFUSED_SHAPE;
    uint32_t terms = shape->terms_count > 0 ? shape->terms_count : 1;
    uint32_t ways = devices_ways(pass, shape);
    bool for_now = false;
    pass->choices.count = 0;
    for (uint32_t b = 0; b <= claim->branches_count; b++) {
        struct claim view = *claim;
        if (b > 0) {
            view.set = claim->branches[b - 1].set;
            view.rows = claim->branches[b - 1].rows;
        }
        for (uint32_t i = 0; i < terms * ways; i++) {
            const struct node_term *term = shape->terms_count > 0 ? &shape->terms[i % terms] : NULL;
            pass->scratch.trial.rows.bits = claim->rows.bits;
            pass->last.reserved_error = pass->last.refused_for_now = false;
            enum verdict next =
                check_branch(pass, &view, class, fresh, term, i / terms, &pass->scratch.trial);
            for_now = for_now || pass->last.reserved_error;
            if (next < verdict)
                verdict = next;
            if (next == ACCEPTED)
                keep_choice(pass, claim, &pass->scratch.trial);
        }
    }
    pass->last.reserved_error = for_now && verdict != ACCEPTED;
    if (verdict != ACCEPTED)
        return verdict;
    copy_attempt(attempt, &pass->choices.items[0].attempt);
    attempt->others_count = may_stay_open(pass, claim, class) ? pass->choices.count - 1 : 0;
    return ACCEPTED;
}

static void keep_branches(struct pass *pass, struct claim *claim,
                          const struct claim_attempt *attempt)
{
    claim->branches_count = attempt->others_count;
    if (attempt->others_count == 0)
        return;
    assert(attempt->others_count < BRANCHES_MAX);
    assert(attempt == &pass->scratch.attempt);
    if (claim->branches == NULL) {
        claim->branches = arena_allocate_array(pass->arena, BRANCHES_MAX, sizeof *claim->branches);
        for (uint32_t b = 0; b < BRANCHES_MAX; b++)
            claim->branches[b].rows = bitset_create(pass->arena, claim->rows.bits);
    }
    for (uint32_t b = 0; b < attempt->others_count; b++) {
        claim->branches[b].set = pass->choices.items[b + 1].attempt.set;
        bitset_copy(claim->branches[b].rows, pass->choices.items[b + 1].attempt.rows);
    }
}

// --- full check ----------------------------------------------------------------------------------

enum verdict claim_check(struct pass *pass, const struct claim *claim, uint32_t class_id,
                         bool fresh, struct claim_attempt *attempt)
{
    assert(attempt == &pass->scratch.attempt);
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class_id));
    const struct node_template *template = claim->template;
    pass->last.reserved_error = pass->last.refused_for_now = false;
    attempt->others_count = 0;
    if (!problem_tolerates(problem, shape->tolerations, template->taints)) {
        if (refusal_begin(pass, REASON_TAINT_NOT_TOLERATED) != NULL)
            refusal_add_taints(pass, shape->tolerations, template->taints);
        return REFUSED_SHAPE;
    }
    bool choice =
        shape->terms_count > 0 || claim->branches_count > 0 || devices_ways(pass, shape) > 1;
    if (!choice && !sets_compatible(problem->sets, claim->set, shape->set, true)) {
        refuse_requirements(pass, template, shape, claim->set, shape->set);
        return REFUSED_SHAPE;
    }
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        pass->scratch.total[d] = quantity_add(claim->requests[d], shape->requests[d]);
    pass->scratch.fitting.bits = attempt->rows.bits = template->table->count;
    attempt->cpu = pass->scratch.trial.cpu = pass->scratch.total[DIMENSION_CPU];
    bool fits = template_fits(problem, template, pass->scratch.total, pass->scratch.fitting);
    if (!claim_bounds_allow(pass, claim, shape) || !ports_free(pass, claim, shape) ||
        !volumes_free(pass, shape) || (!fits && pass->refusal.why == NULL))
        return REFUSED_SHAPE;
    drop_port_conflicts(template, shape, pass->scratch.fitting);
    if (!volumes_attachable(pass, claim, shape))
        return REFUSED_SHAPE;
    enum verdict verdict = choice ? check_choices(pass, claim, class_id, fresh, attempt)
                                  : check_branch(pass, claim, class_id, fresh, NULL, 0, attempt);
    // Other pods of the class may have other required sets.
    return verdict != ACCEPTED && pass->current.required_set != SET_EMPTY ? REFUSED_NOW : verdict;
}

// SCH-214.
void claim_accept(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class,
                  const struct claim_attempt *attempt)
{
    assert(pass->current.mode == PLACE);
    assert(pass->placements[pod].kind == NOT_PLACED);
    assert(claim->index < pass->claims.count);
    assert(attempt->rows.bits == claim->rows.bits);
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    uint32_t count = claim->pods.count;
    claim->set = attempt->set;
    bitset_copy(claim->rows, attempt->rows);
    keep_branches(pass, claim, attempt);
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        claim->requests[d] = quantity_add(claim->requests[d], shape->requests[d]);
    }
    list_for_each (port, &shape->ports)
        vector_push(&claim->ports, *port);
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->uses.count; i++)
        vector_push(&claim->volumes, shape->volumes->uses.items[i]);
    volumes_take(pass, shape);
    if (shape->devices != NULL)
        devices_take_claim(pass, claim, shape);
    claim->min_values_relaxed = claim->min_values_relaxed || attempt->min_values_relaxed;
    if (claim->template->table->has_reservations)
        reservations_take(pass, claim, attempt);
    limits_take(pass, claim);
    claim_bounds_take(pass, claim, pod);
    pod_list_add(&claim->pods, pod);
    claim_reorder(pass, claim, count);
    pass->placements[pod].kind = ON_CLAIM;
    pass->placements[pod].index = claim->index;
    pass->placements[pod].class = class;
    topology_record(pass, pod, class, claim->set, claim->hostname, claim->template->taints, true);
    pass->placements[pod].order = pass->version++;
}
