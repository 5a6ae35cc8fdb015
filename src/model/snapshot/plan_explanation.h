// Explanations as JSON (SCH-520); docs/cli.md lists the fields.
#pragma once

#include <jansson.h>

#include "model/snapshot/plan.h"

json_t *plan_choice_encode(const struct plan_choice *choice);
// Sets the fields of an explanation in the object `json`.
void plan_explanation_encode(json_t *json, const struct plan_explanation *explanation);
