#include "model/snapshot/strategy.h"

#include "model/reading/settings.h"

static const struct snapshot_strategy upstream = {0};
static const struct snapshot_strategy adze = {
    .refuses_duplicate_types = true,
    .plans_unexamined_pods = true,
};

const struct snapshot_strategy *snapshot_strategy_of(const struct settings *settings)
{
    return settings->compatibility_upstream ? &upstream : &adze;
}
