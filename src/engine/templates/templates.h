// NodePools as templates of claims (SCH-40 to SCH-47), with the overhead of DaemonSets on their
// types (SCH-140 to SCH-148).
#pragma once

#include "engine/problem/problem.h"

void templates_build(struct problem *problem);
// Fills the template's `set` and `own_set` from its NodePool alone.
void template_make_sets(struct problem *problem, struct node_template *template);
// The template with other sets or taints (those of `changed`; the rest follows from them), for
// explanations. NULL: no type is left. To be freed with template_forget().
struct node_template *template_vary(struct problem *problem, const struct node_template *changed);
void template_forget(struct node_template *variant);

// Fills `out` (sized for the table) with the rows that hold `requests` beside their DaemonSets
// (SCH-235). False if there are none.
bool template_fits(const struct problem *problem, const struct node_template *template,
                   const int64_t *requests, struct bitset out);

// SCH-245, with SCH-249's correction: distinct values of `key` over the rows that the requirement
// allows.
uint32_t count_values(struct problem *problem, const struct type_table *table, struct bitset rows,
                      uint32_t set, uint32_t key);
// The keys of `set` whose minValues the rows do not meet, by text; returns how many. `keys` has
// room for as many as the set has entries.
uint32_t unmet_min_values(struct problem *problem, const struct type_table *table,
                          struct bitset rows, uint32_t set, uint32_t *keys);
// "<group>/<lower-case kind>", the label that names the node class (SCH-44).
char *node_class_label(struct arena *arena, const struct node_class_reference *reference);
