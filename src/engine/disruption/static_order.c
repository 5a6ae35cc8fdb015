#include "engine/disruption/static_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"

static double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static double lifetime_left(const struct node_claim *claim, int64_t now) // LIF-234
{
    const struct duration *expiry = &claim->spec.expire_after;
    if (expiry->text == NULL || expiry->nanoseconds == DURATION_NEVER)
        return 1;
    if (expiry->nanoseconds <= 0)
        return 0;
    double age = (double)ns_subtract(now, claim->meta.creation_timestamp);
    return clamp(((double)expiry->nanoseconds - age) / (double)expiry->nanoseconds, 0, 1);
}

struct static_candidate static_candidate_unlaunched(const struct node_claim *claim)
{
    return (struct static_candidate){.claim = claim, .rank = STATIC_UNLAUNCHED};
}

struct static_candidate static_candidate_of(const struct node_claim *claim,
                                            const struct pod *const *pods, uint32_t count,
                                            int64_t now)
{
    struct static_candidate candidate = {.claim = claim};
    assert(claim != NULL && (pods != NULL || count == 0));
    bool empty = true, protected = false;
    double cost = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pod *pod = pods[i];
        if (pod_is_terminal(pod))
            continue;
        protected = protected || pod_is_protected(pod, now);
        empty = empty && (pod_owned_by_daemon_set(pod) || pod_owned_by_node(pod));
        cost += pod_eviction_cost(pod);
    }
    candidate.rank = protected ? STATIC_PROTECTED : empty ? STATIC_EMPTY : STATIC_USED;
    candidate.cost = candidate.rank == STATIC_EMPTY ? 0 : cost * lifetime_left(claim, now);
    return candidate;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct static_candidate *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    int64_t x = a->claim->meta.creation_timestamp, y = b->claim->meta.creation_timestamp;
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(a->claim->meta.name, b->claim->meta.name);
}

void static_candidates_sort(struct static_candidate *candidates, uint32_t count)
{
    assert(candidates != NULL || count == 0);
    if (count > 0)
        qsort(candidates, count, sizeof *candidates, compare_candidates);
}
