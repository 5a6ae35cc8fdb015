#include "control/nodeclaim/liveness.h"

#include "base/nanoseconds.h"
#include "control/launch/launch_backoff.h"
#include "control/nodeclaim/claim_pass.h"
#include "control/nodepool/registration_health.h"
#include "model/schema/condition_types.h"

#define LAUNCH_TIMEOUT (5 * MINUTE)

static void report_timeout(const struct claim_pass *pass, int64_t timeout, const char *reason)
{
    log_debug("terminating due to timeout", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim",
              pass->claim->meta.name, "d:timeout", timeout, "s:reason", reason);
}

static void give_up(struct claim_pass *pass, int64_t timeout, const char *reason)
{
    report_timeout(pass, timeout, reason);
    if (!pass->record->failure_recorded) { // one outcome a NodeClaim (LIF-441)
        registration_health_failed(pass->parts->registration_health, pass->claim);
        launch_backoff_failed(pass->parts->launch_backoff, pass->claim, reason);
    }
    pass->record->failure_recorded = true;
    pass->delete_reason = reason;
}

// LIF-443: only if a deadline is set. The machine has come, so the failure does not count against
// its NodePool.
static void initialization_deadline(struct claim_pass *pass)
{
    int64_t timeout = pass->control->manager.settings->initialization_timeout;
    if (timeout == 0 || conditions_are(&pass->conditions, CONDITION_INITIALIZED, "True"))
        return;
    const struct condition *registered = conditions_get(&pass->conditions, CONDITION_REGISTERED);
    int64_t left = ns_subtract(ns_add(registered->last_transition_time, timeout), pass->now);
    if (left > 0) {
        pass_requeue(pass, left);
    } else if (pass->node_patch == NULL) {
        report_timeout(pass, timeout, "initialization_timeout");
        pass->delete_reason = "initialization_timeout";
    }
}

void claim_liveness(struct claim_pass *pass)
{
    if (pass->delete_reason != NULL)
        return;
    if (conditions_are(&pass->conditions, CONDITION_REGISTERED, "True")) {
        initialization_deadline(pass);
        return;
    }
    const struct condition *launched = conditions_get(&pass->conditions, CONDITION_LAUNCHED);
    if (!conditions_are(&pass->conditions, CONDITION_LAUNCHED, "True")) {
        int64_t left =
            ns_subtract(ns_add(launched->last_transition_time, LAUNCH_TIMEOUT), pass->now);
        if (left <= 0) {
            give_up(pass, LAUNCH_TIMEOUT, "launch_timeout");
            return;
        }
        pass_requeue(pass, left);
    }
    const struct condition *registered = conditions_get(&pass->conditions, CONDITION_REGISTERED);
    int64_t timeout = pass->control->manager.settings->registration_timeout;
    int64_t left = ns_subtract(ns_add(registered->last_transition_time, timeout), pass->now);
    if (left > 0)
        pass_requeue(pass, left);
    else if (pass->node_patch == NULL &&
             !pass->node_settles) // its registration is under way otherwise
        give_up(pass, timeout, "registration_timeout");
}
