#include "control/runtime/strategy.h"

#include "base/nanoseconds.h"
#include "model/reading/settings.h"

static const struct control_strategy upstream = {
    .validates_one_by_one = true,
    .validation_ns = 15 * SECOND,
    .empty_validation_ns = 15 * SECOND,
};
static const struct control_strategy adze = {
    .keeps_plans = true,
    .ends_idle_nominations = true,
    .delays_pod_events = true,
    .compares_crds = true,
    .remembers_consolidation = true,
    .reports_results = true,
    .backs_off_disruption = true,
    .plans_evicted_pods = true,
    .learns_cpu_use = true,
    .backs_off_launches = true,
    .learns_capacity = true,
    .orders_evictions = true,
    .limits_repair_by_cluster = true,
    .drains_briefly = true,
    .names_drain_blockers = true,
    .skips_conditions_at_end = true,
    .nominates_pods = true,
    .counts_launch_attempts = true,
    .reports_uninitialized = true,
    .refuses_unknown_buffers = true,
    .follows_buffer_workloads = true,
    .anticipates_pods = true,
    .plans_in_chunks = true,
    .remembers_answers = true,
    .replans_shortages = true,
    .checks_limits_ahead = true,
    .awaits_ready_replacements = true,
    .holds_replacements = true,
    .removes_replacements = true,
    .skips_unread_reasons = true,
    .checks_blockers = true,
    .leaves_wanted_nodes = true,
    .awaits_rest = true,
    .validation_ns = 3 * SECOND,
    .empty_validation_ns = SECOND,
};

const struct control_strategy *control_strategy_of(const struct settings *settings)
{
    return settings->compatibility_upstream ? &upstream : &adze;
}
