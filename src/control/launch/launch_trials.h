// What is known against launches (launch_backoff.h): offerings and NodePools that failed or are on
// trial since, NodeClaims under way that will tell, and what each could have been launched as.
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "control/runtime/control.h"

#define LOST_NS (2 * MINUTE) // a NodeClaim that nobody has seen
#define ATTEMPTS_FIRST \
    1 // NodeClaims at a time, after a failure; three more for each machine that came
#define ATTEMPTS_MORE    3
#define TRIAL_PASSED     16 // machines in a row: nothing is held back any more
#define DRY_ATTEMPTS     2  // of a NodePool without any other offering, at a time
#define OFFERING_KEY_MAX 400

// An offering, or a NodePool as a whole, that failed last or is being tried since.
struct trial {
    uint32_t failures, successes; // in a row; both 0: nothing is known against it
    uint32_t attempts;            // NodeClaims under way that will tell
    bool is_hidden;               // the provider itself said last that it is not to be had
    int64_t until_ns;             // monotonic: not tried before
    int64_t failed_at;            // wall clock, the last one
    int64_t delay_ns;             // from there to until_ns
};

struct attempt { // a NodeClaim under way
    int64_t since_ns;
    VECTOR(struct trial *) trials; // these stay where they are as long as it is under way
};

struct pool_backoff {
    char *uid;
    double pace; // of its delays: that all who miss the same machines do not ask in step
    struct trial whole;
    const char *whole_reason; // of the last failure; static text
    struct map *offerings;    // key of an offering -> struct trial
    struct map *attempts;     // name of a NodeClaim -> struct attempt
    bool is_dry;              // every offering that the provider has failed last
    bool inherits;            // a predecessor had failures, it is not known which
    uint32_t dry_failures;
    int64_t dry_until_ns;
    uint32_t failing, offered; // offerings: that failed lately, of those that the provider has
    // What the pool's decisions see; NULL: the provider's own.
    const struct instance_type_catalog *provided, *reduced;
    int64_t reduced_until_ns; // monotonic: something comes back
    bool outdated;
};

// What a NodeClaim could have been launched as when it was created. The provider may say another
// thing by the time at which the launch fails: others of its wave, or other NodePools, were faster.
struct planned {
    const struct instance_type_catalog *catalog; // a reference
    int64_t since_ns;
};

struct launch_backoff {
    struct control *control;
    struct map *pools;   // by name
    struct map *planned; // name of a NodeClaim -> struct planned
    int64_t swept_ns;    // monotonic: when the NodeClaims that never came were last looked for
    struct reconcile_queue
        *queue; // of NodePools whose condition is to be looked at; NULL: as upstream
};

// The NodePool's, made if there is none of its UID.
struct pool_backoff *pool_backoff_make(struct launch_backoff *backoff, const struct object *pool);
// Of the NodeClaim's NodePool; NULL: nothing is known against it.
struct pool_backoff *pool_backoff_of(const struct launch_backoff *backoff,
                                     const struct node_claim *claim);
void pool_backoff_destroy(void *pool);

void offering_key_of(char out[OFFERING_KEY_MAX], const char *type, const char *zone,
                     const char *capacity_type); // each may be NULL
void offering_key(char out[OFFERING_KEY_MAX], const struct instance_type *type,
                  const struct offering *offering);

bool trial_runs(const struct trial *trial); // it failed, and has not passed since
bool trial_lets_in(const struct trial *trial, int64_t now_ns); // one more NodeClaim
bool whole_runs(const struct pool_backoff *pool); // the NodePool is on trial as a whole

void attempt_destroy(void *attempt);
void attempt_end(struct pool_backoff *pool, const char *claim); // it is fine if there is none
// Its offerings are no longer tried by it; answers whether there was an attempt.
bool attempt_launched(struct pool_backoff *pool, const char *claim);

void planned_destroy(void *planned); // NULL is fine
