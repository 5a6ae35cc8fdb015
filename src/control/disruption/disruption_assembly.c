#include "control/disruption/disruption_assembly.h"

#include "control/command/blocked_events.h"
#include "control/command/consolidation_history.h"
#include "control/command/consolidation_outcomes.h"
#include "control/command/consolidation_target.h"
#include "control/command/disruption_backoff.h"
#include "control/command/node_timings.h"
#include "control/command/savings.h"
#include "control/command/spot_price_history.h"
#include "control/disruption/disruption_cleanup.h"
#include "control/disruption/disruption_queue.h"

void disruption_assemble(struct disruption_parts *parts)
{
    struct control *control = parts->control;
    parts->backoff = disruption_backoff_create(control);
    parts->queue = disruption_queue_create(parts);
    parts->cleanup = disruption_cleanup_create(control, parts->commands);
    parts->timings = node_timings_create(control);
    parts->savings = savings_create(control);
    parts->history = consolidation_history_create(control, parts->savings);
    parts->outcomes = consolidation_outcomes_create(control, parts->history, parts->savings);
    parts->target = consolidation_target_create(control);
    parts->spot_prices = spot_price_history_create();
    parts->blocked_events = blocked_events_create(control);
}

void disruption_disassemble(struct disruption_parts *parts)
{
    disruption_cleanup_destroy(parts->cleanup);
    disruption_queue_destroy(parts->queue);
    disruption_backoff_destroy(parts->backoff);
    node_timings_destroy(parts->timings);
    consolidation_outcomes_destroy(parts->outcomes);
    consolidation_history_destroy(parts->history);
    consolidation_target_destroy(parts->target);
    spot_price_history_destroy(parts->spot_prices);
    blocked_events_destroy(parts->blocked_events);
    savings_destroy(parts->savings);
}
