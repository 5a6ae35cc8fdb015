#include "engine/placement/new_claim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pass/pass_state.h"
#include "engine/placement/claim_bounds.h"
#include "engine/placement/claim_price.h"
#include "engine/placement/limits.h"
#include "engine/placement/place_claim.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_record.h"

// The next claim's placeholder hostname; one for all attempts to open that claim.
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
    assert(fresh->rows.bits == fresh->template->table->count);
    struct claim *claim = arena_allocate(pass->arena, sizeof *claim);
    claim->template = fresh->template;
    claim->index = pass->claims.count;
    claim->hostname = fresh->hostname;
    claim->rows = bitset_create(pass->arena, fresh->template->table->count);
    claim->reservations = bitset_create(pass->arena, pass->problem->catalog.reservations_count);
    claim->requests =
        arena_allocate_array(pass->arena, pass->problem->dimensions.count, sizeof *claim->requests);
    vector_push(&pass->claims, claim);
    return claim;
}

bool place_on_new_claim(struct pass *pass, uint32_t pod, uint32_t class)
{
    assert(pod < pass->input.queue_count);
    struct problem *problem = pass->problem;
    struct text *why = pass->refusal.why, part = {0};
    struct claim fresh = {.requests = pass->scratch.zero,
                          .rows = pass->scratch.fresh_rows,
                          .hostname = placeholder_hostname(pass, pass->claims.count)};
    if (why != NULL)
        pass->refusal.why = &part;
    bool placed = false, deferred = false;
    for (uint32_t t = 0; t < problem->templates.count && !placed; t++) {
        fresh.template = problem->templates.items[t];
        fresh.set = fresh.template->set;
        fresh.rows.bits = fresh.template->table->count;
        pass->last.reserved_error = false;
        if (limits_allow_new(pass, fresh.template, fresh.rows) &&
            claim_check(pass, &fresh, class, true, &pass->scratch.attempt) == ACCEPTED) {
            if (pass->current.mode != PLACE) {
                placed = pass->current.mode == PLACE_PROBE;
                pass->current.probed_price =
                    claim_attempt_price(pass, &fresh, &pass->scratch.attempt);
                break;
            }
            struct claim *claim = open_claim(pass, &fresh);
            claim_accept(pass, claim, pod, class, &pass->scratch.attempt);
            placed = true;
        }
        if (why != NULL && !placed) {
            text_join(why, "; ", part.data != NULL ? part.data : "");
            vector_push(&pass->refusal.templates,
                        (struct template_refusal){t, pass->refusal.code, text_take(&part)});
        }
        if (pass->last.reserved_error && !problem->strategy->assigns_one_reservation)
            break; // SCH-222; otherwise the remaining reservations are known
        deferred = deferred || pass->last.reserved_error;
        pass->last.limited = pass->last.limited || pass->last.reserved_error;
    }
    pass->last.reserved_error = pass->last.reserved_error || (deferred && !placed);
    pass->refusal.why = why;
    text_free(&part);
    return placed;
}

// --- claims that a packer opens ------------------------------------------------------------------

static void drop_larger(const struct node_template *template, const struct problem *problem,
                        const int64_t *largest, struct bitset rows)
{
    for (uint32_t d = 0; d < problem->dimensions.count && largest != NULL; d++) {
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
    assert(pod < pass->input.queue_count);
    assert(pass->placements[pod].kind == NOT_PLACED);
    struct problem *problem = pass->problem;
    if (!pass_class(pass, class)->prepared)
        topology_prepare(pass, class);
    struct claim fresh = {.template = template,
                          .requests = pass->scratch.zero,
                          .rows = pass->scratch.fresh_rows,
                          .hostname = placeholder_hostname(pass, pass->claims.count)};
    fresh.rows.bits = template->table->count;
    pass->current.required_set = pass_required_set(pass, pod);
    if (!sets_compatible(problem->sets, template->set, pins, true) ||
        !limits_allow_new(pass, template, fresh.rows))
        return NULL;
    drop_larger(template, problem, largest, fresh.rows);
    fresh.set = set_meet(problem->sets, template->set, pins);
    if (claim_check(pass, &fresh, class, true, &pass->scratch.attempt) != ACCEPTED)
        return NULL;
    struct claim *claim = open_claim(pass, &fresh);
    claim_accept(pass, claim, pod, class, &pass->scratch.attempt);
    assert(claim->pods.count == 1);
    return claim;
}

bool claim_join(struct pass *pass, struct claim *claim, uint32_t pod, uint32_t class)
{
    assert(claim == pass->claims.items[claim->index]);
    assert(pass->placements[pod].kind == NOT_PLACED);
    if (!pass_class(pass, class)->prepared)
        topology_prepare(pass, class);
    pass->current.required_set = pass_required_set(pass, pod);
    if (!claim_bounds_allow_share(pass, claim, pod) ||
        claim_check(pass, claim, class, false, &pass->scratch.attempt) != ACCEPTED)
        return false;
    claim_accept(pass, claim, pod, class, &pass->scratch.attempt);
    return true;
}
