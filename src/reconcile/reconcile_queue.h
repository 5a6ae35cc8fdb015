// The queue of one controller: keys to reconcile, coalesced, with limited concurrency, per-item
// exponential back-off and an overall retry rate (LIF-340, LIF-341).
//
// One reconcile at a time works on a key. A reconcile that has started an operation returns
// RECONCILE_RUNNING; the item stays "in work" until reconcile_queue_finish(), and additions of its
// key meanwhile coalesce into one further run. Reconciles run from a timer of the loop, never
// inside reconcile_queue_add().
#pragma once

#include "base/loop.h"
#include "reconcile/queue_metrics.h"

struct reconcile_queue;

enum reconcile_status {
    RECONCILE_DONE,    // nothing left to do until the next event
    RECONCILE_AFTER,   // done; come back after `after_ns` at the latest
    RECONCILE_ERROR,   // logged, retried with back-off
    RECONCILE_BACKOFF, // retried with back-off, not logged
    // Another writer was faster, and the mirror will show it soon (LIF-4): retried after a short
    // delay, which grows like a back-off but takes nothing from the overall retry rate. In a wave
    // every node may meet a conflict; at ten retries a second the last of 300 would wait for half a
    // minute.
    RECONCILE_CONFLICT,
    RECONCILE_RUNNING, // an operation was started; it ends with reconcile_queue_finish()
};
struct reconcile_result {
    enum reconcile_status status;
    int64_t after_ns;
};
static inline struct reconcile_result reconcile_done(void)
{
    return (struct reconcile_result){RECONCILE_DONE, 0};
}
static inline struct reconcile_result reconcile_after(int64_t after_ns)
{
    return (struct reconcile_result){RECONCILE_AFTER, after_ns};
}
static inline struct reconcile_result reconcile_running(void)
{
    return (struct reconcile_result){RECONCILE_RUNNING, 0};
}
static inline struct reconcile_result reconcile_error(void)
{
    return (struct reconcile_result){RECONCILE_ERROR, 0};
}

struct work_item;
const char *work_item_key(const struct work_item *item);
struct reconcile_queue *work_item_queue(const struct work_item *item);

// RECONCILE_ERROR: `error` is the failure.
typedef struct reconcile_result (*reconcile_function)(void *context, struct work_item *item,
                                                      struct error *error);

struct reconcile_queue_options {
    const char *name;     // "nodeclaim.lifecycle": metric label `controller` and log context
    const char *kind;     // "NodeClaim": log context of the key; NULL: none
    uint32_t concurrency; // 0: 1
    int64_t backoff_base_ns, backoff_max_ns; // 0: 5 ms, 1 min (LIF-472)
    double rate, burst;                      // of retries over all items; 0: unlimited
    reconcile_function reconcile;
    void *context;
};
struct reconcile_queue *reconcile_queue_create(struct loop *loop,
                                               const struct queue_metrics *metrics,
                                               const struct reconcile_queue_options *options);
void reconcile_queue_destroy(struct reconcile_queue *queue); // NULL is fine

// Nothing runs before reconcile_queue_start(); keys may be added.
void reconcile_queue_start(struct reconcile_queue *queue);
// No further reconcile begins; operations under way may still finish.
void reconcile_queue_stop(struct reconcile_queue *queue);

void reconcile_queue_add(struct reconcile_queue *queue, const char *key);
// The earliest of several delays counts; an item in work is requeued when it is done.
void reconcile_queue_add_after(struct reconcile_queue *queue, const char *key, int64_t delay_ns);
// Drops the key's waiting item (not one in work) and its back-off.
void reconcile_queue_forget(struct reconcile_queue *queue, const char *key);

// Ends RECONCILE_RUNNING. RECONCILE_DONE: the operation succeeded, and the key is reconciled again
// at once; its failure count stays until a reconcile ends well.
void reconcile_queue_finish(struct work_item *item, struct reconcile_result result,
                            const struct error *error);

uint32_t reconcile_queue_in_work(const struct reconcile_queue *queue);
uint32_t reconcile_queue_failures(const struct reconcile_queue *queue, const char *key);
// The ages of the items in work: their sum and the largest.
void reconcile_queue_work(const struct reconcile_queue *queue, double *unfinished_seconds,
                          double *longest_seconds);
const char *reconcile_queue_name(const struct reconcile_queue *queue);
bool reconcile_queue_has(const struct reconcile_queue *queue,
                         const char *key); // waiting or in work
