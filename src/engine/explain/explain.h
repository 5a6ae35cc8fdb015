// Full explanations of unplaced and placed pods (SCH-520), on request. Passes never run them; each
// class is explained once.
//
// Explanations read the pass after its end. They place nothing but may create requirement sets,
// shapes and classes.
#pragma once

#include "engine/explain/explain_funnel.h"

struct explained { // a class of unplaced pods; in the plan's arena
    const char *message;
    bool deferred;
    LIST(struct plan_reason) reasons;
    struct plan_explanation *explanation; // NULL: not requested
};

void explained_add_reason(struct arena *arena, struct explained *out, enum reason_code code,
                          const char *node_pool, const char *detail);

// Groups existing nodes by why they refuse the class. `refused` (REASON_COUNT) gets the counts by
// code; `explanation`, if any, gets a summary and the groups.
void explain_nodes(struct pass *pass, uint32_t class, struct arena *arena, uint32_t *refused,
                   struct plan_explanation *explanation);
// The funnels of all pools. Uses the refusals of the last attempt.
void explain_funnels(struct pass *pass, uint32_t class, struct arena *arena,
                     struct plan_explanation *explanation);
// The code of a template's refusal, more precise than the message: the stage that leaves no type.
enum reason_code explain_code(struct pass *pass, const struct node_template *template,
                              uint32_t class, enum reason_code code);
// The preferences dropped from class `own` to class `last`.
void explain_given_up(struct pass *pass, uint32_t own, uint32_t last, struct arena *arena,
                      struct plan_explanation *explanation);
// Pools that the pass did not use: not ready or being deleted (both with a reason), static.
void explain_absent_pools(const struct problem *problem, struct arena *arena,
                          struct explained *out);

// Tries a new claim of the template for the class without placing it. `ignore_limits`: as if the
// pool had none. On success pass->scratch.attempt has its types; *price and *type are those of the
// cheapest.
bool explain_try_template(struct pass *pass, const struct node_template *template, uint32_t class,
                          bool ignore_limits, const char **type, int64_t *price);
// The cheapest of the rows under a set.
const struct row *explain_cheapest(struct problem *problem, const struct node_template *template,
                                   uint32_t set, struct bitset rows, int64_t *price);
