#include "engine/placement/pass_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/placement/limits.h"
#include "engine/placement/pass.h"
#include "engine/placement/pass_retry.h"

// SCH-517: highest priority first; placeholders last, whatever their priority.
static int compare_by_priority(const void *a, const void *b)
{
    const struct queued_pod *x = a, *y = b;
    int64_t left = queued_pod_priority(x), right = queued_pod_priority(y);
    if (left != right)
        return left > right ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// Restarts the pass with the queue in order of priority. The new queue lives as long as the
// problem.
static void order_by_priority(struct pass *pass)
{
    struct problem *problem = pass->problem;
    struct pass_input input = pass->input;
    struct queued_pod *queue =
        arena_allocate_array(problem->arena, input.queue_count + 1, sizeof *queue);
    memcpy(queue, input.queue, input.queue_count * sizeof *queue);
    qsort(queue, input.queue_count, sizeof *queue, compare_by_priority);
    for (uint32_t i = 0; i < input.queue_count; i++)
        queue[i].index = i;
    input.queue = queue;
    struct pass *rerun = pass_create(problem, &input), before = *pass;
    *pass = *rerun;
    *rerun = before;
    pass_destroy(rerun);
}

void pass_run(struct pass *pass)
{
    bool fresh = pass->version == 0;
    pass_run_queue(pass);
    if (fresh && pass_priorities_matter(pass)) {
        order_by_priority(pass);
        pass_run_queue(pass);
    }
    if (fresh &&
        pass->input.reserved_strict) // simulations predict the outcome, so they do not retry
        pass_retry(pass);
    limits_settle(pass);
}
