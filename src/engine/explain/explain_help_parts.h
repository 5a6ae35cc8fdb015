// What the searches for suggested changes share: of the pod (explain_help.c), of NodePools
// (explain_pool_help.c).
#pragma once

#include "engine/explain/explain.h"

#define HELP_MAX 12 // suggested changes

struct helper {
    struct pass *pass;
    struct arena *arena; // the plan's
    uint32_t class;
    struct plan_explanation *explanation;
};
struct outcome {   // the place of a changed class, or of the class with a changed NodePool
    uint32_t node; // or NONE
    const struct node_template *template;
    const char *type;
    int64_t price;
};
struct help_names {
    const char **items;
    uint32_t count, capacity;
};

struct shape help_own_shape(const struct helper *helper);
// Appends the pod's place, adds the entry and frees `detail`.
void help_add(struct helper *helper, const char *change, struct text *detail,
              const struct outcome *outcome);
// Values of the key that the place has or may have. Call after explain_try_template() of the
// outcome.
void help_values_there(struct helper *helper, const struct outcome *outcome, uint32_t key,
                       struct help_names *out);
