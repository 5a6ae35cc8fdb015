// Texts of refusals, where somebody asks for them (SCH-520).
#pragma once

#include "engine/pass/pass_state.h"

// Begins the text of a refusal, forgetting an earlier one. Returns pass->refusal.why (NULL: nobody
// asks).
struct text *refusal_begin(struct pass *pass, enum reason_code code);
void refusal_add_taints(struct pass *pass, uint32_t tolerations, uint32_t taints);
