// Claims, open and new (place.h; SCH-210 to SCH-260, SCH-360 to SCH-364).
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/host_ports.h"
#include "engine/instance_types.h"
#include "engine/place.h"
#include "engine/templates.h"

struct text *refusal_begin(struct pass *pass, enum reason_code code)
{
    if (pass->why == NULL)
        return NULL;
    pass->code = code;
    text_clear(pass->why);
    return pass->why;
}

void refusal_add_taints(struct pass *pass, uint32_t tolerations, uint32_t taints)
{
    const taint_list *list = pass->problem->taint_lists.items[taints];
    const toleration_list *own = pass->problem->toleration_lists.items[tolerations];
    bool any = false;
    list_for_each (taint, list) {
        if (tolerations_tolerate(own, taint))
            continue;
        bool has_value = taint->value != NULL && taint->value[0] != '\0';
        text_format(pass->why, "%sdid not tolerate taint (taint=%s%s%s:%s)", any ? "; " : "",
                    taint->key, has_value ? "=" : "", has_value ? taint->value : "", taint->effect);
        any = true;
    }
}

// --- reservations (SCH-255 to SCH-259)
// ----------------------------------------------------------------

static bool reserve(struct pass *pass, const struct claim *claim, struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct type_table *table = claim->template->table;
    memset(attempt->reservations.words, 0, bitset_words(problem->reservations_count) * 8);
    bool compatible = false, any = false;
    bitset_for_each (r, attempt->rows) {
        list_for_each (offering, &table->rows[r].offerings) {
            if (offering->reservation == NONE ||
                !sets_compatible(problem->sets, attempt->set, offering->set, true))
                continue;
            compatible = true;
            if (pass->reserved_left[offering->reservation] > 0 ||
                bitset_has(claim->reservations, offering->reservation)) {
                bitset_set(attempt->reservations, offering->reservation);
                any = true;
            }
        }
    }
    if (!pass->input.reserved_strict)
        return true;
    const char *error = NULL;
    if (compatible && !any)
        error = "one or more instance types with compatible reserved offerings are available, but "
                "could not be reserved";
    else if (!any && !bitset_empty(claim->reservations))
        error = "satisfying updated nodeclaim constraints would remove all compatible reserved "
                "offering options";
    if (error == NULL)
        return true;
    pass->reserved_error = true;
    if (refusal_begin(pass, REASON_RESERVED_EXHAUSTED) != NULL)
        text_add(pass->why, error);
    return false;
}

static void take_reservations(struct pass *pass, struct claim *claim,
                              const struct claim_attempt *attempt)
{
    for (uint32_t r = 0; r < pass->problem->reservations_count; r++) {
        bool had = bitset_has(claim->reservations, r), has = bitset_has(attempt->reservations, r);
        if (has && !had)
            pass->reserved_left[r]--;
        else if (had && !has)
            pass->reserved_left[r]++;
    }
    bitset_copy(claim->reservations, attempt->reservations);
}

// --- minValues (SCH-245 to SCH-249)
// ---------------------------------------------------------------------

static bool min_values_met(struct pass *pass, const struct claim *claim, bool relaxable,
                           struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct type_table *table = claim->template->table;
    uint32_t *keys = memory_allocate_array(problem->sets->sets[attempt->set].count, sizeof *keys);
    uint32_t unmet = unmet_min_values(problem, table, attempt->rows, attempt->set, keys);
    bool met = unmet == 0 || relaxable;
    if (!met && refusal_begin(pass, REASON_MIN_VALUES) != NULL) {
        text_add(pass->why, "minValues requirement is not met for label(s) (label(s)=[");
        for (uint32_t i = 0; i < unmet; i++)
            text_format(pass->why, "%s%s", i > 0 ? " " : "",
                        vocabulary_key_text(problem->vocabulary, keys[i]));
        text_add(pass->why, "])");
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

// --- the check (SCH-212, 235)
// ---------------------------------------------------------------------------

// Rows of overhead groups whose DaemonSets' host ports the pod's collide with are dropped.
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

static bool rows_left(struct pass *pass, const struct claim *claim, uint32_t class, uint32_t set,
                      bool fresh, struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct row_filter *filter = type_table_filter(problem, claim->template->table, set);
    attempt->set = set;
    attempt->min_values_relaxed = false;
    if (!intersect_rows(attempt->rows, claim->rows, filter->both, pass->fitting)) {
        if (pass->why != NULL)
            refusal_add_filter(pass, claim, class, set);
        return false;
    }
    bool relaxable = fresh && problem->settings->min_values_best_effort;
    if (claim->template->has_min_values && !min_values_met(pass, claim, relaxable, attempt)) {
        if (pass->why != NULL)
            refusal_add_filter(pass, claim, class, set);
        return false;
    }
    return !claim->template->table->has_reservations || reserve(pass, claim, attempt);
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
            !problem_hostname_allowed(problem, alternative->hostname, claim->hostname)) {
            if (refusal_begin(pass, REASON_VOLUME_ZONE) != NULL) {
                text_add(pass->why, "incompatible volume requirements, ");
                sets_add_conflict(pass->why, problem->sets, base, alternative->set, true);
            }
            return REFUSED_SHAPE;
        }
        set = set_meet(problem->sets, base, alternative->set);
    }
    const struct class_state *state = pass_class(pass, class);
    if (state->hostname_groups.count == 0 && state->domain_groups.count == 0) {
        if (rows_left(pass, claim, class, set, fresh, attempt))
            return ACCEPTED;
        return pass->reserved_error ? REFUSED_NOW : REFUSED_SHAPE;
    }
    struct candidate candidate = {set, claim->hostname, true, claim->template->table};
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
        host_ports_add_conflict(pass->why, existing, wanted);
    return false;
}

enum verdict claim_check(struct pass *pass, const struct claim *claim, uint32_t class_id,
                         bool fresh, struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class_id));
    const struct node_template *template = claim->template;
    pass->reserved_error = false;
    if (!problem_tolerates(problem, shape->tolerations, template->taints)) {
        if (refusal_begin(pass, REASON_TAINT_NOT_TOLERATED) != NULL)
            refusal_add_taints(pass, shape->tolerations, template->taints);
        return REFUSED_SHAPE;
    }
    if (shape->impossible || !sets_compatible(problem->sets, claim->set, shape->set, true) ||
        !problem_hostname_allowed(problem, shape->hostname, claim->hostname)) {
        if (refusal_begin(pass, REASON_REQUIREMENT_MISMATCH) != NULL) {
            text_add(pass->why, "incompatible requirements, ");
            if (shape->impossible)
                text_add(pass->why, "an empty node affinity term selects no node");
            sets_add_conflict(pass->why, problem->sets, claim->set, shape->set, true);
        }
        return REFUSED_SHAPE;
    }
    for (uint32_t d = 0; d < problem->dimensions; d++)
        pass->total[d] = quantity_add(claim->requests[d], shape->requests[d]);
    pass->fitting.bits = attempt->rows.bits = template->table->count;
    bool fits = template_fits(problem, template, pass->total, pass->fitting);
    if (!ports_free(pass, claim, shape) || (!fits && pass->why == NULL))
        return REFUSED_SHAPE;
    drop_port_conflicts(template, shape, pass->fitting);
    uint32_t base = set_meet(problem->sets, claim->set, shape->set);
    if (pass->why == NULL &&
        !intersect_rows(attempt->rows, claim->rows, pass->fitting,
                        type_table_filter(problem, template->table, base)->both))
        return REFUSED_SHAPE;
    uint32_t alternatives = shape->volumes != NULL ? shape->volumes->alternatives_count : 0;
    if (alternatives == 0)
        return check_alternative(pass, claim, class_id, fresh, base, NULL, attempt);
    enum verdict verdict = REFUSED_SHAPE;
    for (uint32_t i = 0; i < alternatives; i++) {
        enum verdict next = check_alternative(pass, claim, class_id, fresh, base,
                                              &shape->volumes->alternatives[i], attempt);
        if (next == ACCEPTED)
            return ACCEPTED;
        if (next < verdict)
            verdict = next;
    }
    return verdict;
}

// --- the order of claims (SCH-210)
// ------------------------------------------------------------------------

static void reserve_bucket(struct pass *pass, uint32_t count)
{
    while (pass->first_with.count <= count) {
        vector_push(&pass->first_with, 0);
        vector_push(&pass->last_with, 0);
    }
}

static void leave_bucket(struct pass *pass, struct claim *claim, uint32_t count)
{
    if (claim->previous != 0)
        pass->claims.items[claim->previous - 1]->next = claim->next;
    else
        pass->first_with.items[count] = claim->next;
    if (claim->next != 0)
        pass->claims.items[claim->next - 1]->previous = claim->previous;
    else
        pass->last_with.items[count] = claim->previous;
}

// A new claim goes behind those with as many pods; one that got another pod goes before the ones
// that had that many: that is what a stable sort does.
static void enter_bucket(struct pass *pass, struct claim *claim, uint32_t count, bool in_front)
{
    reserve_bucket(pass, count);
    uint32_t first = pass->first_with.items[count], last = pass->last_with.items[count];
    uint32_t own = claim->index + 1;
    claim->order = in_front ? -++pass->orders_front : ++pass->orders_back;
    claim->previous = in_front ? 0 : last;
    claim->next = in_front ? first : 0;
    if (claim->previous != 0)
        pass->claims.items[claim->previous - 1]->next = own;
    else
        pass->first_with.items[count] = own;
    if (claim->next != 0)
        pass->claims.items[claim->next - 1]->previous = own;
    else
        pass->last_with.items[count] = own;
}

// SCH-214.
void claim_accept(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class,
                  const struct claim_attempt *attempt)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, class));
    uint32_t count = claim->pods.count;
    claim->set = attempt->set;
    bitset_copy(claim->rows, attempt->rows);
    for (uint32_t i = 0; i < shape->dimensions_count; i++) {
        uint32_t d = shape->dimensions[i];
        claim->requests[d] = quantity_add(claim->requests[d], shape->requests[d]);
    }
    list_for_each (port, &shape->ports)
        vector_push(&claim->ports, *port);
    claim->min_values_relaxed = claim->min_values_relaxed || attempt->min_values_relaxed;
    if (claim->template->table->has_reservations)
        take_reservations(pass, claim, attempt);
    if (count > 0)
        leave_bucket(pass, claim, count);
    pod_list_add(&claim->pods, pod);
    enter_bucket(pass, claim, count + 1, count > 0);
    pass->placements[pod].kind = ON_CLAIM;
    pass->placements[pod].index = claim->index;
    pass->placements[pod].class = class;
    topology_record(pass, class, claim->set, claim->hostname, claim->template->taints, true);
    pass->placements[pod].order = pass->version++;
}

// One claim: places the pod or remembers a refusal that is for good.
static bool try_claim(struct pass *pass, uint32_t index, uint32_t pod, uint32_t class)
{
    struct claim *claim = pass->claims.items[index];
    enum verdict verdict = claim_check(pass, claim, class, false, &pass->attempt);
    if (verdict == ACCEPTED)
        claim_accept(pass, claim, pod, class, &pass->attempt);
    else if (verdict == REFUSED_SHAPE)
        growing_bits_set(&pass_shape(pass, class_at(pass->problem, class)->shape)->refused_claims,
                         index);
    else if (verdict == REFUSED_CLASS)
        growing_bits_set(&pass_class(pass, class)->refused_claims, index);
    return verdict == ACCEPTED;
}

static int compare_claims(const void *a, const void *b, void *context)
{
    const struct pass *pass = context;
    const struct claim *x = pass->claims.items[*(const uint32_t *)a];
    const struct claim *y = pass->claims.items[*(const uint32_t *)b];
    if (x->pods.count != y->pods.count)
        return x->pods.count < y->pods.count ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// Where most claims are refused for good, the few others are kept in a list of their own.
static bool place_on_listed_claims(struct pass *pass, uint32_t pod, uint32_t class)
{
    struct shape_state *shape = pass_shape(pass, class_at(pass->problem, class)->shape);
    struct class_state *state = pass_class(pass, class);
    for (; state->listed_claims < pass->claims.count; state->listed_claims++)
        vector_push(&state->open_claims, state->listed_claims);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < state->open_claims.count; i++) {
        uint32_t index = state->open_claims.items[i];
        if (!growing_bits_have(&shape->refused_claims, index) &&
            !growing_bits_have(&state->refused_claims, index))
            state->open_claims.items[kept++] = index;
    }
    state->open_claims.count = kept;
    qsort_r(state->open_claims.items, kept, sizeof *state->open_claims.items, compare_claims, pass);
    for (uint32_t i = 0; i < kept; i++)
        if (try_claim(pass, state->open_claims.items[i], pod, class))
            return true;
    return false;
}

#define REFUSED_CLAIMS_WALKED 64 // before the list is used instead

bool place_on_claims(struct pass *pass, uint32_t pod, uint32_t class)
{
    struct shape_state *shape = pass_shape(pass, class_at(pass->problem, class)->shape);
    struct class_state *state = pass_class(pass, class);
    uint32_t walked = 0;
    for (uint32_t count = 1; count < pass->first_with.count; count++)
        for (uint32_t at = pass->first_with.items[count]; at != 0;
             at = pass->claims.items[at - 1]->next) {
            if (growing_bits_have(&shape->refused_claims, at - 1) ||
                growing_bits_have(&state->refused_claims, at - 1)) {
                if (++walked == REFUSED_CLAIMS_WALKED)
                    return place_on_listed_claims(pass, pod, class);
                continue;
            }
            if (try_claim(pass, at - 1, pod, class))
                return true;
        }
    return false;
}

// --- limits (SCH-360 to SCH-363)
// ----------------------------------------------------------------------------

void limits_start(struct pass *pass)
{
    struct problem *problem = pass->problem;
    pass->remaining =
        arena_allocate_array(pass->arena, problem->templates_count + 1, sizeof *pass->remaining);
    for (uint32_t t = 0; t < problem->templates_count; t++) {
        if (!problem->templates[t]->has_limits)
            continue;
        pass->remaining[t] =
            arena_allocate_array(pass->arena, problem->dimensions, sizeof(int64_t));
        memcpy(pass->remaining[t], problem->templates[t]->limits,
               problem->dimensions * sizeof(int64_t));
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct place *place = &problem->places[i];
        if (!pass->slots[i].usable || place->pool == NONE || pass->remaining[place->pool] == NULL)
            continue;
        for (uint32_t d = 0; d < problem->dimensions; d++)
            if (problem->templates[place->pool]->limits[d] != INT64_MAX)
                pass->remaining[place->pool][d] =
                    quantity_subtract(pass->remaining[place->pool][d], place->capacity[d]);
    }
}

// The rows that the limits still allow; false with an error if there are none.
static bool limit_rows(struct pass *pass, const struct node_template *template, struct bitset rows)
{
    struct problem *problem = pass->problem;
    bitset_copy(rows, template->rows);
    const int64_t *remaining = pass->remaining[template->index];
    if (remaining == NULL)
        return true;
    bool exhausted = template->has_node_limit && remaining[DIMENSION_NODES] <= 0;
    for (uint32_t d = 0; d < problem->dimensions && !exhausted; d++) {
        if (template->limits[d] == INT64_MAX)
            continue;
        bitset_for_each (r, rows)
            if (template->table->rows[r].capacity[d] > remaining[d])
                bitset_clear(rows, r);
    }
    if (!exhausted && !bitset_empty(rows))
        return true;
    if (refusal_begin(pass, REASON_LIMIT_EXCEEDED) != NULL)
        text_format(pass->why,
                    exhausted ? "node limits have been exhausted for nodepool (NodePool=%s)"
                              : "all available instance types exceed limits for nodepool "
                                "(NodePool=%s)",
                    template->pool->meta.name);
    return false;
}

static void take_from_limits(struct pass *pass, const struct claim *claim)
{
    int64_t *remaining = pass->remaining[claim->template->index];
    if (remaining == NULL)
        return;
    const struct node_template *template = claim->template;
    for (uint32_t d = 0; d < pass->problem->dimensions; d++) {
        if (template->limits[d] == INT64_MAX)
            continue;
        int64_t most = d == DIMENSION_NODES ? 1 : 0;
        bitset_for_each (r, claim->rows)
            if (template->table->rows[r].capacity[d] > most)
                most = template->table->rows[r].capacity[d];
        remaining[d] = quantity_subtract(remaining[d], most);
    }
}

// --- new claims (SCH-220 to SCH-224)
// -------------------------------------------------------------------------

// The next claim's; made once, however many attempts it takes.
static uint32_t placeholder_hostname(struct pass *pass, uint32_t index)
{
    if (pass->next_hostname_index == index + 1)
        return pass->next_hostname;
    char name[40];
    snprintf(name, sizeof name, "hostname-placeholder-%04u", index + 1);
    pass->next_hostname = vocabulary_value(pass->problem->vocabulary, name);
    pass->next_hostname_index = index + 1;
    return pass->next_hostname;
}

static struct claim *open_claim(struct pass *pass, const struct claim *fresh)
{
    struct claim *claim = arena_allocate(pass->arena, sizeof *claim);
    claim->template = fresh->template;
    claim->index = pass->claims.count;
    claim->hostname = fresh->hostname;
    claim->rows = bitset_create(pass->arena, fresh->template->table->count);
    claim->reservations = bitset_create(pass->arena, pass->problem->reservations_count);
    claim->requests =
        arena_allocate_array(pass->arena, pass->problem->dimensions, sizeof *claim->requests);
    vector_push(&pass->claims, claim);
    return claim;
}

bool place_on_new_claim(struct pass *pass, uint32_t pod, uint32_t class)
{
    struct problem *problem = pass->problem;
    struct text *why = pass->why, part = {0};
    struct claim fresh = {.requests = pass->zero,
                          .rows = pass->fresh_rows,
                          .hostname = placeholder_hostname(pass, pass->claims.count)};
    if (why != NULL)
        pass->why = &part;
    bool placed = false;
    for (uint32_t t = 0; t < problem->templates_count && !placed; t++) {
        fresh.template = problem->templates[t];
        fresh.set = fresh.template->set;
        fresh.rows.bits = fresh.template->table->count;
        pass->reserved_error = false;
        if (limit_rows(pass, fresh.template, fresh.rows) &&
            claim_check(pass, &fresh, class, true, &pass->attempt) == ACCEPTED) {
            if (pass->explain_only)
                break;
            struct claim *claim = open_claim(pass, &fresh);
            claim_accept(pass, claim, pod, class, &pass->attempt);
            take_from_limits(pass, claim);
            placed = true;
        }
        if (why != NULL && !placed) {
            text_join(why, "; ", part.data != NULL ? part.data : "");
            vector_push(&pass->refusals, (struct refusal){t, pass->code, text_take(&part)});
        }
        if (pass->reserved_error)
            break;
    }
    pass->why = why;
    text_free(&part);
    return placed;
}

// --- claims that a packer opens
// ---------------------------------------------------------------------------

static void drop_larger(const struct node_template *template, const struct problem *problem,
                        const int64_t *largest, struct bitset rows)
{
    for (uint32_t d = 0; d < problem->dimensions; d++) {
        if (!template->has_limits || template->limits[d] == INT64_MAX)
            continue;
        bitset_for_each (r, rows)
            if (template->table->rows[r].capacity[d] > largest[d])
                bitset_clear(rows, r);
    }
}

struct claim *claim_open(struct pass *pass, struct node_template *template, uint32_t pins,
                         const int64_t *largest, uint32_t pod, uint32_t class)
{
    struct problem *problem = pass->problem;
    if (!pass_class(pass, class)->prepared)
        topology_prepare(pass, class);
    struct claim fresh = {.template = template,
                          .requests = pass->zero,
                          .rows = pass->fresh_rows,
                          .hostname = placeholder_hostname(pass, pass->claims.count)};
    fresh.rows.bits = template->table->count;
    if (!sets_compatible(problem->sets, template->set, pins, true) ||
        !limit_rows(pass, template, fresh.rows))
        return NULL;
    drop_larger(template, problem, largest, fresh.rows);
    fresh.set = set_meet(problem->sets, template->set, pins);
    if (claim_check(pass, &fresh, class, true, &pass->attempt) != ACCEPTED)
        return NULL;
    struct claim *claim = open_claim(pass, &fresh);
    claim_accept(pass, claim, pod, class, &pass->attempt);
    take_from_limits(pass, claim);
    return claim;
}

bool claim_join(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class)
{
    if (!pass_class(pass, class)->prepared)
        topology_prepare(pass, class);
    if (claim_check(pass, claim, class, false, &pass->attempt) != ACCEPTED)
        return false;
    claim_accept(pass, claim, pod, class, &pass->attempt);
    return true;
}
