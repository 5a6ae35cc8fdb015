#include "control/disruption/validation_delay.h"

#include <assert.h>

int64_t validation_delay_ns(const struct control_strategy *strategy, enum disruption_reason reason)
{
    assert(strategy->validation_ns > 0 && strategy->empty_validation_ns > 0);
    if (reason == DISRUPTION_DRIFTED)
        return 0;
    return reason == DISRUPTION_EMPTY ? strategy->empty_validation_ns : strategy->validation_ns;
}
