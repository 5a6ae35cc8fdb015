#include "cloud/aws/credentials/credential_chain.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "cloud/aws/credentials/credential_fetch.h"

#define MARGIN        (5 * MINUTE)  // before the end
#define JITTER_MAX    (1 * MINUTE)  // earlier still, so that replicas do not come together
#define AT_LEAST      (10 * SECOND) // credentials that end sooner are not used
#define FAILURE_PAUSE (2 * SECOND)  // an error is told again for so long
#define RENEWAL_PAUSE (30 * SECOND) // after a renewal failed, with credentials that still hold
#define REFUSED_PAUSE (5 * SECOND)
#define STABLE_LEAST  (10 * MINUTE) // how long the instance's credentials are used beyond their end
#define STABLE_MOST   (15 * MINUTE) // before newer ones are asked for

struct waiter {
    TAILQ_ENTRY(waiter) link;
    aws_credentials_done done;
    void *context;
};
TAILQ_HEAD(waiters, waiter);

struct chain {
    struct aws_credentials_source base;
    struct credential_fetch_options options;
    struct aws_environment environment;
    char region[AWS_REGION_BYTES];
    struct random random;
    struct held_credentials held;   // none: no access key
    int64_t renew_at;               // instant
    int64_t fetched_at;             // monotonic; of the last success
    struct error error;             // of the last fetch
    int64_t failed_at;              // monotonic
    struct credential_fetch *fetch; // NULL: none under way
    struct waiters waiters;
    bool is_telling, is_destroyed; // waiters are told; one of them has destroyed the chain
};

static void chain_get(struct aws_credentials_source *base, aws_credentials_done done,
                      void *context);
static void chain_cancel(struct aws_credentials_source *base, void *context);
static void chain_refused(struct aws_credentials_source *base);
static void chain_destroy(struct aws_credentials_source *base);
static void fetch_begin(struct chain *chain);
static void fetched(void *context, struct held_credentials *held, const struct error *error);
static void tell_waiters(struct chain *chain);

static const struct aws_credentials_operations operations = {
    .get = chain_get, .cancel = chain_cancel, .refused = chain_refused, .destroy = chain_destroy};

struct aws_credentials_source *credential_chain_create(
    const struct credential_chain_options *options)
{
    struct chain *chain = memory_allocate(sizeof *chain);
    chain->base.operations = &operations;
    chain->environment =
        (struct aws_environment){options->environment, options->environment_context};
    snprintf(chain->region, sizeof chain->region, "%s", options->region);
    chain->options = (struct credential_fetch_options){.loop = options->loop,
                                                       .http = options->http,
                                                       .environment = &chain->environment,
                                                       .region = chain->region,
                                                       .seed = options->seed};
    random_seed(&chain->random, options->seed);
    TAILQ_INIT(&chain->waiters);
    return &chain->base;
}

static bool holds(const struct chain *chain)
{
    int64_t now = loop_now_ns(chain->options.loop);
    return chain->held.access_key_id != NULL && ns_subtract(chain->held.expires, now) > AT_LEAST;
}

static void answer(const struct chain *chain, aws_credentials_done done, void *context)
{
    struct aws_credentials view;
    struct aws_credentials_result result = {.error = chain->error};
    if (holds(chain)) {
        view = held_credentials_view(&chain->held);
        result = (struct aws_credentials_result){.credentials = &view};
    }
    assert((result.credentials != NULL) != (result.error.kind != ERROR_NONE));
    done(context, &result);
}

static bool failed_lately(const struct chain *chain, int64_t pause)
{
    int64_t now = loop_monotonic_ns(chain->options.loop);
    return chain->error.kind != ERROR_NONE && ns_subtract(now, chain->failed_at) < pause;
}

static void chain_get(struct aws_credentials_source *base, aws_credentials_done done, void *context)
{
    struct chain *chain = (struct chain *)base;
    bool has_some = holds(chain);
    bool is_due = !has_some || loop_now_ns(chain->options.loop) >= chain->renew_at;
    if (is_due && chain->fetch == NULL &&
        !failed_lately(chain, has_some ? RENEWAL_PAUSE : FAILURE_PAUSE))
        fetch_begin(chain);
    if (has_some || chain->fetch == NULL) {
        answer(chain, done, context);
        return;
    }
    struct waiter *waiter = memory_allocate(sizeof *waiter);
    waiter->done = done;
    waiter->context = context;
    TAILQ_INSERT_TAIL(&chain->waiters, waiter, link);
}

static void chain_cancel(struct aws_credentials_source *base, void *context)
{
    struct chain *chain = (struct chain *)base;
    struct waiter *next;
    for (struct waiter *waiter = TAILQ_FIRST(&chain->waiters); waiter != NULL; waiter = next) {
        next = TAILQ_NEXT(waiter, link);
        if (waiter->context != context)
            continue;
        TAILQ_REMOVE(&chain->waiters, waiter, link);
        free(waiter);
    }
}

static void chain_refused(struct aws_credentials_source *base)
{
    struct chain *chain = (struct chain *)base;
    int64_t age = ns_subtract(loop_monotonic_ns(chain->options.loop), chain->fetched_at);
    if (age >= REFUSED_PAUSE) // a fetch that is under way brings others
        held_credentials_clear(&chain->held);
}

static void chain_destroy(struct aws_credentials_source *base)
{
    struct chain *chain = (struct chain *)base;
    struct waiter *waiter;
    if (chain->fetch != NULL)
        credential_fetch_cancel(chain->fetch);
    while ((waiter = TAILQ_FIRST(&chain->waiters)) != NULL) {
        TAILQ_REMOVE(&chain->waiters, waiter, link);
        free(waiter);
    }
    held_credentials_clear(&chain->held);
    chain->is_destroyed = true;
    if (!chain->is_telling)
        free(chain);
}

static void fetch_begin(struct chain *chain)
{
    assert(chain->fetch == NULL);
    chain->options.seed = random_next(&chain->random);
    chain->fetch = credential_fetch_start(&chain->options, fetched, chain);
}

// The metadata service gives the old ones while it gets no new ones, and EC2 takes them on.
static void use_on(struct chain *chain)
{
    if (!chain->held.is_of_instance || chain->held.access_key_id == NULL || holds(chain))
        return;
    int64_t now = loop_now_ns(chain->options.loop);
    int64_t end = ns_add(now, random_between(&chain->random, STABLE_LEAST, STABLE_MOST));
    log_info("the instance's AWS credentials have expired; they are used on until there are others",
             "d:asking-again-in", ns_subtract(end, now));
    chain->held.expires = end;
    chain->renew_at = ns_subtract(end, MARGIN);
}

// Five minutes and a bit before the end; of short-lived ones in the middle.
static int64_t renewal_of(struct chain *chain)
{
    int64_t left = ns_subtract(chain->held.expires, loop_now_ns(chain->options.loop));
    int64_t early = ns_add(MARGIN, random_between(&chain->random, 0, JITTER_MAX));
    return ns_subtract(chain->held.expires, early > left / 2 ? left / 2 : early);
}

static void fetched(void *context, struct held_credentials *held, const struct error *error)
{
    struct chain *chain = context;
    struct loop *loop = chain->options.loop;
    chain->fetch = NULL;
    chain->error = (struct error){0};
    if (held != NULL) {
        held_credentials_clear(&chain->held);
        chain->held = *held;
        *held = (struct held_credentials){0};
        chain->fetched_at = loop_monotonic_ns(loop);
        chain->renew_at = renewal_of(chain);
        use_on(chain);
        if (!holds(chain))
            error_set(&chain->error, ERROR_UNAUTHORIZED,
                      "AWS credentials: those that were given have expired already");
    } else {
        chain->error = *error;
        use_on(chain);
    }
    if (chain->error.kind != ERROR_NONE) {
        chain->failed_at = loop_monotonic_ns(loop);
        if (holds(chain)) // nobody else is told
            log_error("cannot renew AWS credentials", "s:error", chain->error.message);
    }
    tell_waiters(chain);
}

static void tell_waiters(struct chain *chain)
{
    chain->is_telling = true;
    while (!TAILQ_EMPTY(&chain->waiters)) { // a destruction leaves none
        struct waiter *waiter = TAILQ_FIRST(&chain->waiters);
        struct waiter copy = *waiter;
        TAILQ_REMOVE(&chain->waiters, waiter, link);
        free(waiter);
        answer(chain, copy.done, copy.context);
    }
    chain->is_telling = false;
    if (chain->is_destroyed)
        free(chain);
}
