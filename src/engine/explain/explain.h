// Why a pod has no place, or the one that it has, in full (SCH-520). Only where asked for: nothing
// here runs in a pass, and everything is worked out once a class.
//
// Explanations look at the pass as it ended. They place nothing, but they may make requirement
// sets, shapes and classes of their own.
#pragma once

#include "engine/explain/explain_funnel.h"

struct explained { // a class of pods without a place; in the plan's arena
    const char *message;
    bool deferred;
    LIST(struct plan_reason) reasons;
    struct plan_explanation *explanation; // NULL: not asked for
};

void explained_add_reason(struct arena *arena, struct explained *out, enum reason_code code,
                          const char *node_pool, const char *detail);

// Existing nodes by what they have against the class: the counts by code into `refused`
// (REASON_COUNT); with `explanation`, its summary and groups, too.
void explain_nodes(struct pass *pass, uint32_t class, struct arena *arena, uint32_t *refused,
                   struct plan_explanation *explanation);
// The funnels of all pools. Uses the refusals of the last attempt.
void explain_funnels(struct pass *pass, uint32_t class, struct arena *arena,
                     struct plan_explanation *explanation);
// The code of a template's refusal, sharper than the message's: after which stage nothing is left.
enum reason_code explain_code(struct pass *pass, const struct node_template *template,
                              uint32_t class, enum reason_code code);
// The preferences that were dropped on the way from class `own` to class `last`.
void explain_given_up(struct pass *pass, uint32_t own, uint32_t last, struct arena *arena,
                      struct plan_explanation *explanation);
// Pools that the pass never saw: not ready, being deleted (both with a reason), static.
void explain_absent_pools(const struct problem *problem, struct arena *arena,
                          struct explained *out);

// A new claim of a template for the class, tried without placing it. `ignore_limits`: as if the
// pool had none. On success pass->scratch.attempt tells its types; *price is the cheapest's, *type
// its name.
bool explain_try_template(struct pass *pass, const struct node_template *template, uint32_t class,
                          bool ignore_limits, const char **type, int64_t *price);
// The cheapest of the rows under a set.
const struct row *explain_cheapest(struct problem *problem, const struct node_template *template,
                                   uint32_t set, struct bitset rows, int64_t *price);
