// What drift and expiry share: nodes that are to go for their own sake, whatever the price.
#pragma once

#include "engine/disrupt.h"

struct departure {
    const char *method; // of the plan's commands: "Drifted", "Expired"
    bool eventual;      // DIS-34
};
// DIS-717: as many of the list, in its order, as the budgets allow, their pods packed together; nodes
// without pods each by itself.
void depart(struct disruption *disruption, const struct departure *departure,
            const struct candidate_table *table, const candidate_list *list);
