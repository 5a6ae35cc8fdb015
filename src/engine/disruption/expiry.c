#include "engine/disruption/expiry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/remove_nodes.h"

#define WINDOW_SHARE 10           // of expireAfter
#define LEAD_USUAL   (5 * MINUTE) // without observations

int64_t expiry_deadline(const struct node_claim *claim)
{
    const struct duration *after = &claim->spec.expire_after;
    if (after->text == NULL || after->nanoseconds == DURATION_NEVER)
        return INT64_MAX;
    return ns_add(claim->meta.creation_timestamp, after->nanoseconds);
}

int64_t expiry_window_start(const struct node_claim *claim)
{
    int64_t deadline = expiry_deadline(claim);
    return deadline == INT64_MAX
               ? INT64_MAX
               : ns_subtract(deadline, claim->spec.expire_after.nanoseconds / WINDOW_SHARE);
}

bool expiry_is_near(const struct node_claim *claim, int64_t now)
{
    return expiry_window_start(claim) <= now && now < expiry_deadline(claim);
}

static int compare_deadlines(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    int64_t left = expiry_deadline(x->claim), right = expiry_deadline(y->claim);
    if (left != right)
        return left < right ? -1 : 1;
    return strcmp(x->node->meta.name, y->node->meta.name);
}

// The pool's nodes with a deadline ahead, the next first. Drifted nodes belong to the drift method.
static candidate_list find_expiring(struct disruption *disruption,
                                    const struct candidate_table *table,
                                    const struct disruption_pool *pool)
{
    candidate_list list = candidate_list_create(disruption, table);
    int64_t now = disruption->snapshot->time;
    list_for_each (candidate, &table->candidates) {
        int64_t deadline = expiry_deadline(candidate->claim);
        if (candidate->pool == pool && deadline != INT64_MAX && deadline > now &&
            !candidate_is_drifted(candidate))
            list.items[list.count++] = candidate;
    }
    qsort(list.items, list.count, sizeof *list.items, compare_deadlines);
    return list;
}

// When the node may go; `place` is its position by deadline, from 1.
static int64_t may_go_at(const struct disruption *disruption,
                         const struct disruption_candidate *candidate, int64_t place)
{
    const struct disruption_inputs *inputs = disruption->inputs;
    int64_t lead = inputs->expiry_lead_ns > 0 ? inputs->expiry_lead_ns : LEAD_USUAL;
    int64_t allowed = candidate->pool->allowed;
    assert(allowed > 0);
    assert(place > 0);
    int64_t rounds = place / allowed + (place % allowed != 0);
    int64_t start = ns_subtract(expiry_deadline(candidate->claim), quantity_multiply(lead, rounds));
    int64_t window = expiry_window_start(candidate->claim);
    return start > window ? start : window;
}

// Adds the pool's nodes that may go now: as many as are due, by deadline.
static void add_due(struct disruption *disruption, const struct candidate_table *table,
                    const struct disruption_pool *pool, candidate_list *due)
{
    assert(pool->allowed > 0);
    int64_t now = disruption->snapshot->time, *look_again = &disruption->plan->look_again;
    candidate_list expiring = find_expiring(disruption, table, pool);
    uint32_t count = 0;
    for (uint32_t i = 0; i < expiring.count; i++) {
        int64_t at = may_go_at(disruption, expiring.items[i], i + 1);
        count += at <= now;
        if (at > now && (*look_again == 0 || at < *look_again))
            *look_again = at;
    }
    for (uint32_t i = 0; i < count; i++)
        if (expiry_is_near(expiring.items[i]->claim, now) &&
            !disruption_is_paused(disruption, expiring.items[i], true))
            due->items[due->count++] = expiring.items[i];
}

void expiry_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_DRIFTED, false);
    candidate_list due = candidate_list_create(disruption, &table);
    list_for_each (pool, &table.pools)
        if (!pool->pool->spec.replicas.present && pool->allowed > 0)
            add_due(disruption, &table, pool, &due);
    qsort(due.items, due.count, sizeof *due.items, compare_deadlines);
    if (due.count > 0)
        remove_nodes(disruption, &(struct node_removal){.reason = DISRUPTION_EXPIRED}, &table,
                     &due);
}
