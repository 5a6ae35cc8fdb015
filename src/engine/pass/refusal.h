// Texts of refusals, written on request (SCH-520).
#pragma once

#include "engine/pass/pass_state.h"

// Starts the text of a refusal and discards an earlier one. Returns pass->refusal.why (NULL: no
// text is requested).
struct text *refusal_begin(struct pass *pass, enum reason_code code);
void refusal_add_taints(struct pass *pass, uint32_t tolerations, uint32_t taints);
