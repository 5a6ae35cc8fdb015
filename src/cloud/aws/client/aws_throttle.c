#include "cloud/aws/client/aws_throttle.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

#define RATE_MIN       0.5 // calls a second
#define CUT            0.7
#define GROWTH         0.1          // of the rate, a second; at least RATE_MIN
#define CUT_PAUSE      (1 * SECOND) // calls of one burst cut the rate once
#define FORGET_AFTER   (3 * MINUTE) // without throttling
#define MEASURE_WINDOW (1 * SECOND)
#define WAIT_MIN \
    (1 * MILLISECOND) // a wait rounded to nothing would be one of the same moment, for ever

TAILQ_HEAD(turns, aws_turn);

struct bucket {
    struct aws_throttle *throttle;
    struct turns waiting[AWS_PRIORITY_COUNT];
    struct timer *timer;
    bool is_limited;
    double rate, tokens;          // a second
    double measured;              // calls a second, lately
    uint32_t window_calls;        // since window_began
    int64_t window_began, filled; // monotonic
    int64_t refused;              // the last time
};
struct aws_throttle {
    struct loop *loop;
    struct bucket buckets[AWS_SERVICE_COUNT][2]; // reads, changes
};

static void bucket_fill(struct bucket *bucket);
static void bucket_measure(struct bucket *bucket);
static bool bucket_take(struct bucket *bucket);
static void bucket_serve(void *context);

static struct bucket *bucket_of(struct aws_throttle *throttle, enum aws_action action)
{
    const struct aws_action_info *info = aws_action_info(action);
    return &throttle->buckets[info->service][info->is_mutating];
}

struct aws_throttle *aws_throttle_create(struct loop *loop)
{
    struct aws_throttle *throttle = memory_allocate(sizeof *throttle);
    throttle->loop = loop;
    for (enum aws_service service = 0; service < AWS_SERVICE_COUNT; service++) {
        for (size_t i = 0; i < 2; i++) {
            struct bucket *bucket = &throttle->buckets[service][i];
            bucket->throttle = throttle;
            bucket->timer = timer_create_on(loop, bucket_serve, bucket);
            for (size_t j = 0; j < AWS_PRIORITY_COUNT; j++)
                TAILQ_INIT(&bucket->waiting[j]);
        }
    }
    return throttle;
}

void aws_throttle_destroy(struct aws_throttle *throttle)
{
    if (throttle == NULL)
        return;
    for (enum aws_service service = 0; service < AWS_SERVICE_COUNT; service++) {
        for (size_t i = 0; i < 2; i++) {
            struct bucket *bucket = &throttle->buckets[service][i];
            for (size_t j = 0; j < AWS_PRIORITY_COUNT; j++)
                assert(TAILQ_EMPTY(&bucket->waiting[j]));
            timer_destroy(bucket->timer);
        }
    }
    free(throttle);
}

static struct aws_turn *bucket_first(struct bucket *bucket)
{
    for (size_t i = 0; i < AWS_PRIORITY_COUNT; i++) {
        if (!TAILQ_EMPTY(&bucket->waiting[i]))
            return TAILQ_FIRST(&bucket->waiting[i]);
    }
    return NULL;
}

bool aws_throttle_enter(struct aws_throttle *throttle, struct aws_turn *turn)
{
    assert(!turn->is_waiting);
    struct bucket *bucket = bucket_of(throttle, turn->action);
    bucket_fill(bucket);
    if (bucket_first(bucket) == NULL && bucket_take(bucket))
        return true;
    turn->is_waiting = true;
    TAILQ_INSERT_TAIL(&bucket->waiting[aws_action_info(turn->action)->priority], turn, link);
    if (!timer_is_running(bucket->timer))
        timer_start(bucket->timer, 0);
    return false;
}

void aws_throttle_leave(struct aws_throttle *throttle, struct aws_turn *turn)
{
    if (!turn->is_waiting)
        return;
    struct bucket *bucket = bucket_of(throttle, turn->action);
    TAILQ_REMOVE(&bucket->waiting[aws_action_info(turn->action)->priority], turn, link);
    turn->is_waiting = false;
}

void aws_throttle_refused(struct aws_throttle *throttle, enum aws_action action)
{
    struct bucket *bucket = bucket_of(throttle, action);
    int64_t now = loop_monotonic_ns(throttle->loop);
    bucket_fill(bucket);
    bool was_cut = bucket->is_limited && ns_subtract(now, bucket->refused) < CUT_PAUSE;
    bucket->refused = now;
    if (was_cut)
        return;
    bucket_measure(bucket);
    double lately = bucket->measured;
    double rate = (bucket->is_limited && bucket->rate < lately ? bucket->rate : lately) * CUT;
    bucket->is_limited = true;
    bucket->rate = rate < RATE_MIN ? RATE_MIN : rate;
    bucket->tokens = 0;
    bucket->filled = now;
}

static void bucket_fill(struct bucket *bucket)
{
    int64_t now = loop_monotonic_ns(bucket->throttle->loop);
    if (!bucket->is_limited)
        return;
    if (ns_subtract(now, bucket->refused) >= FORGET_AFTER) {
        bucket->is_limited = false;
        return;
    }
    double seconds = seconds_between(bucket->filled, now);
    double growth = bucket->rate * GROWTH;
    bucket->rate += (growth > RATE_MIN ? growth : RATE_MIN) * (seconds < 1 ? seconds : 1);
    double room = bucket->rate > 1 ? bucket->rate : 1; // a second's worth
    bucket->tokens += bucket->rate * seconds;
    bucket->tokens = bucket->tokens < room ? bucket->tokens : room;
    bucket->filled = now;
}

static void bucket_measure(struct bucket *bucket)
{
    int64_t now = loop_monotonic_ns(bucket->throttle->loop);
    double seconds = seconds_between(bucket->window_began, now);
    if (ns_subtract(now, bucket->window_began) >= MEASURE_WINDOW) {
        bucket->measured = bucket->window_calls / seconds;
        bucket->window_calls = 0;
        bucket->window_began = now;
    } else if (bucket->window_calls > bucket->measured) {
        bucket->measured = bucket->window_calls; // a burst within one window
    }
}

static bool bucket_take(struct bucket *bucket)
{
    if (bucket->is_limited && bucket->tokens < 1)
        return false;
    if (bucket->is_limited)
        bucket->tokens -= 1;
    bucket_measure(bucket);
    bucket->window_calls++;
    return true;
}

// Lets those go that there are tokens for. The one that goes may do anything, also enter again.
static void bucket_serve(void *context)
{
    struct bucket *bucket = context;
    bucket_fill(bucket);
    struct aws_turn *turn = bucket_first(bucket);
    if (turn == NULL)
        return;
    if (!bucket_take(bucket)) {
        int64_t wait = ns_from_seconds((1 - bucket->tokens) / bucket->rate);
        timer_start(bucket->timer, wait < WAIT_MIN ? WAIT_MIN : wait);
        return;
    }
    aws_throttle_leave(bucket->throttle, turn);
    timer_start(bucket->timer, 0); // the next one; `ready` may destroy the throttle
    turn->ready(turn->context);
}
