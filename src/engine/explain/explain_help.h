// What would help (explain.h; SCH-520 part 3): the class with one thing changed is tried like any
// other, on existing nodes and on new ones. The pods that have a place then are told.
#pragma once

#include "engine/explain/explain.h"

// Single changes that would give the class a place (explain_help.c).
void explain_help(struct pass *pass, uint32_t class, struct arena *arena,
                  struct plan_explanation *explanation);
