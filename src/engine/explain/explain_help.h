// Suggested changes (explain.h; SCH-520 part 3): the class with one change is tried on existing
// nodes and on new ones; changes that give it a place are reported.
#pragma once

#include "engine/explain/explain.h"

// Finds single changes that would give the class a place.
void explain_help(struct pass *pass, uint32_t class, struct arena *arena,
                  struct plan_explanation *explanation);
