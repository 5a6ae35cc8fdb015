// The state of launch back-off (launch_backoff.h): offerings and NodePools that failed or are on
// trial, attempts under way, and the offerings that each NodeClaim may be launched as.
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "control/runtime/control.h"

#define LOST_NS (2 * MINUTE) // a NodeClaim that the mirror never had
#define ATTEMPTS_FIRST \
    1 // NodeClaims at a time, after a failure; three more for each machine that came
#define ATTEMPTS_MORE    3
#define TRIAL_PASSED     16 // machines in a row: nothing is held back any more
#define DRY_ATTEMPTS     2  // of a NodePool without any other offering, at a time
#define OFFERING_KEY_MAX 400

// An offering, or a NodePool as a whole, that failed last or is on trial.
struct trial {
    uint32_t failures, successes; // in a row; both 0: no failure is known
    uint32_t attempts;            // NodeClaims under way that decide the trial
    bool is_advised;              // the pool's advice is about its last failure
    bool is_hidden;               // the provider's catalog has it as unavailable
    int64_t until_ns;             // monotonic: no attempt before
    int64_t failed_at;            // wall clock, the last failure
    int64_t delay_ns;             // from failed_at to until_ns
};

struct attempt { // a NodeClaim under way
    int64_t since_ns;
    VECTOR(struct trial *) trials; // at fixed addresses while it is under way
};

struct pool_backoff {
    char *uid;
    double pace; // of its delays: controllers that miss the same machines do not retry in step
    struct trial whole;
    const char *whole_reason; // of the last failure; static text
    char *advice;             // of the provider, about the last failure that had one; or NULL
    struct map *offerings;    // key of an offering -> struct trial
    struct map *attempts;     // name of a NodeClaim -> struct attempt
    bool is_dry;              // every available offering failed last
    bool inherits;            // a predecessor had failures of unknown offerings
    uint32_t dry_failures;
    int64_t dry_until_ns;
    uint32_t failing, offered; // offerings with recent failures; offerings of the provider
    // The catalog of the pool's decisions; NULL: the provider's own.
    const struct instance_type_catalog *provided, *reduced;
    int64_t reduced_until_ns; // monotonic: the next offering comes back
    bool outdated;
};

// The offerings that a NodeClaim may be launched as, as of its creation. The provider's catalog may
// differ when the launch fails: other NodeClaims were faster.
struct planned {
    const struct instance_type_catalog *catalog; // a reference
    int64_t since_ns;
};

struct launch_backoff {
    struct control *control;
    struct map *pools;             // by name
    struct map *planned;           // name of a NodeClaim -> struct planned
    int64_t swept_ns;              // monotonic: the last search for NodeClaims that never appeared
    struct reconcile_queue *queue; // NodePools whose condition is due; NULL: as upstream
    // launch_backoff_on_shortage(); NULL: none
    void (*listener)(void *context, const struct node_claim *claim, const char *answer);
    void *listener_context;
};

// The NodePool's record; a new one if there is none of its UID.
struct pool_backoff *pool_backoff_make(struct launch_backoff *backoff, const struct object *pool);
// The record of the NodeClaim's NodePool; NULL: it has no failures.
struct pool_backoff *pool_backoff_of(const struct launch_backoff *backoff,
                                     const struct node_claim *claim);
void pool_backoff_destroy(void *pool);

void offering_key_of(char out[OFFERING_KEY_MAX], const char *type, const char *zone,
                     const char *capacity_type); // each may be NULL
void offering_key(char out[OFFERING_KEY_MAX], const struct instance_type *type,
                  const struct offering *offering);

bool trial_runs(const struct trial *trial);                   // it has failed and not passed since
bool trial_admits(const struct trial *trial, int64_t now_ns); // one more NodeClaim
bool whole_runs(const struct pool_backoff *pool);             // the NodePool is on trial as a whole

void attempt_destroy(void *attempt);
void attempt_end(struct pool_backoff *pool, const char *claim); // NULL is fine
// The attempt no longer counts for its offerings; false: there was none.
bool attempt_launched(struct pool_backoff *pool, const char *claim);

void planned_destroy(void *planned); // NULL is fine
