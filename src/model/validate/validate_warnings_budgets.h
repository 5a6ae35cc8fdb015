// Warnings about disruption budgets (API-313, DIS-777).
#pragma once

#include "model/validate/validation.h"

#define BUDGET_REASONS_ALL 7u // a bit for each disruption reason

// Returns the reasons that never allow any disruption, as bits.
unsigned warn_budgets(struct validation *validation, const struct place *disruption_place,
                      const json_t *spec);
