#include "control/provisioning/claim_rounds.h"

#include <assert.h>
#include <stdlib.h>

#include "control/launch/claim_creation.h"
#include "control/launch/launch_attempts.h"
#include "control/provisioning/claim_limits.h"
#include "control/state/claim_name.h"
#include "control/state/node_claim_template.h"
#include "reconcile/operations.h"

#define ROUND_CLAIMS_MAX 100

struct claim_rounds {
    struct provisioning_pass *pass;
    uint32_t next; // first claim of the next round
    // The present round:
    struct arena *arena;           // NULL before the first
    uint32_t first, count;         // claims of the plan
    struct claim_types *types;     // of each
    char *names[ROUND_CLAIMS_MAX]; // of the NodeClaims; NULL: not to be created
};

struct round_creation { // one create call
    struct claim_creation creation;
    struct provisioning_pass *pass;
    uint32_t index; // of the plan's claim
};

struct claim_rounds *claim_rounds_create(struct provisioning_pass *pass)
{
    assert(pass->plan != NULL);
    struct claim_rounds *rounds = memory_allocate(sizeof *rounds);
    rounds->pass = pass;
    return rounds;
}

void claim_rounds_destroy(struct claim_rounds *rounds)
{
    if (rounds == NULL)
        return;
    if (rounds->arena != NULL)
        arena_destroy(rounds->arena);
    free(rounds);
}

// --- a round's NodeClaims ------------------------------------------------------------------------
static char *choose_name(const struct claim_rounds *rounds, const struct plan_claim *claim)
{
    char name[CLAIM_NAME_MAX];
    choose_claim_name(rounds->pass->control, claim->node_pool->meta.name, name);
    return arena_copy_string(rounds->arena, name);
}

static bool pool_can_launch(const struct control *control, const struct plan_claim *claim)
{
    const struct node_pool *pool = find_pool(control, claim->node_pool->meta.name);
    return pool != NULL && !object_is_deleting((const struct object *)pool);
}

static void begin_round(struct claim_rounds *rounds)
{
    if (rounds->arena != NULL)
        arena_destroy(rounds->arena);
    *rounds = (struct claim_rounds){.pass = rounds->pass,
                                    .next = rounds->next,
                                    .arena = arena_create(64 * 1024),
                                    .first = rounds->next};
}

// The claims of the next round; with limits also all later ones, for which the types must leave
// room.
static struct plan claims_to_fit(const struct claim_rounds *rounds)
{
    const struct plan *plan = rounds->pass->plan;
    uint32_t left = plan->claims.count - rounds->next;
    bool limited = false;
    struct plan part = {0};
    part.claims.items = plan->claims.items + rounds->next;
    for (uint32_t i = 0; i < left && !limited; i++)
        limited = part.claims.items[i].node_pool->spec.limits.count > 0;
    part.claims.count = limited || left < ROUND_CLAIMS_MAX ? left : ROUND_CLAIMS_MAX;
    return part;
}

// Chooses types and names for the next round that has any NodeClaims; returns their number.
static uint32_t prepare(struct claim_rounds *rounds)
{
    struct provisioning_pass *pass = rounds->pass;
    uint32_t count = 0;
    while (count == 0 && rounds->next < pass->plan->claims.count) {
        begin_round(rounds);
        struct plan part = claims_to_fit(rounds);
        rounds->count = part.claims.count < ROUND_CLAIMS_MAX ? part.claims.count : ROUND_CLAIMS_MAX;
        rounds->types = claims_within_limits(pass->control, rounds->arena, &part);
        for (uint32_t i = 0; i < rounds->count; i++) {
            const struct plan_claim *claim = &part.claims.items[i];
            if (rounds->types[i].types.count > 0 && pool_can_launch(pass->control, claim)) {
                rounds->names[i] = choose_name(rounds, claim);
                count++;
                continue;
            }
            log_error("Reconciler error", "s:controller", "provisioner", "o:NodePool",
                      claim->node_pool->meta.name, "s:error",
                      "creating node claim, resource usage exceeds limit");
        }
        rounds->next += rounds->count;
    }
    return count;
}

// --- the calls -----------------------------------------------------------------------------------
static enum operation_outcome note_created(void *context, const char *key, enum claim_answer answer,
                                           const struct kube_result *result)
{
    const struct round_creation *call = context;
    (void)key;
    if (answer == CLAIM_CREATED) {
        provisioning_pass_created(call->pass, call->index,
                                  (const struct node_claim *)result->object);
        return OPERATION_NOTED;
    }
    if (answer == CLAIM_EXISTS || answer == CLAIM_UNANSWERED)
        provisioning_pass_uncertain(call->pass, call->index, call->creation.name);
    call->pass->failed = true;
    struct error error = result->error;
    error_prefix(&error, "creating node claim");
    log_error("Reconciler error", "s:controller", "provisioner", "s:error", error.message);
    return OPERATION_NOTED;
}

static void create_one(const struct claim_rounds *rounds, struct work_item *item, uint32_t index,
                       json_t *body)
{
    struct provisioning_pass *pass = rounds->pass;
    const struct plan_claim *planned = &pass->plan->claims.items[rounds->first + index];
    struct round_creation *call = arena_allocate(rounds->arena, sizeof *call);
    call->pass = pass;
    call->index = rounds->first + index;
    call->creation = (struct claim_creation){.control = pass->control,
                                             .controller = "provisioner",
                                             .reason = "provisioned",
                                             .pool = planned->node_pool->meta.name,
                                             .name = rounds->names[index],
                                             .min_values_relaxed = planned->min_values_relaxed,
                                             .requests = &planned->requests,
                                             .types = &rounds->types[index],
                                             .answered = note_created,
                                             .context = call};
    claim_creation_start(&call->creation,
                         &(struct operation_about){.manager = &pass->control->manager,
                                                   .item = item,
                                                   .doing = "creating node claim"},
                         body);
}

// LIF-440: a failed offering is retried by few NodeClaims. The pods of the others are planned anew
// without it.
static uint32_t start_round(const struct claim_rounds *rounds, struct work_item *item)
{
    struct provisioning_pass *pass = rounds->pass;
    uint32_t started = 0;
    for (uint32_t i = 0; i < rounds->count; i++) {
        if (rounds->names[i] == NULL)
            continue;
        json_t *body = node_claim_body(pass->control, &pass->plan->claims.items[rounds->first + i],
                                       &rounds->types[i], rounds->names[i]);
        if (!launch_backoff_admits(pass->parts.sources.launch_backoff, body, LAUNCH_WANTED)) {
            pass->held_back++;
            json_decref(body);
            continue;
        }
        create_one(rounds, item, i, body);
        started++;
    }
    return started;
}

uint32_t claim_rounds_start_next(struct claim_rounds *rounds, struct work_item *item)
{
    uint32_t started = 0;
    while (started == 0 && prepare(rounds) > 0)
        started = start_round(rounds, item);
    return started;
}
