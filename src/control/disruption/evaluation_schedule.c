#include "control/disruption/evaluation_schedule.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/command/disruption_backoff.h"
#include "control/disruption/disruption_intervals.h"
#include "control/disruption/evaluation_report.h"
#include "control/state/cluster.h"
#include "control/state/decision_inputs.h"
#include "control/state/state_node.h"
#include "engine/disruption/expiry.h"
#include "engine/disruption/strategy.h"
#include "model/schema/condition_types.h"

#define QUIET_NS        SECOND
#define DURATION_SHARE  4 // the pause after an evaluation, as a multiple of its duration
#define UNREST_LOOK_NS  (500 * MILLISECOND)
#define UNLAUNCHED_NS   (30 * SECOND) // of a command: so long it may hold up evaluations
#define REFUSED_LOOK_NS (5 * SECOND)  // from a refused decision to the next look
#define IN_VAIN_NS      (2 * SECOND) // the pause after an evaluation of due nodes without a command

struct evaluation_schedule { // all instants are monotonic
    struct evaluation_options options;
    const struct disruption_parts *parts;
    struct control *control;
    struct decision_inputs *inputs;
    struct evaluation_runner *runner;
    uint64_t evaluated_version; // of the inputs: of the last evaluation by all methods
    uint64_t seen_version;      // as last seen
    int64_t changed_ns;         // when a change was last seen
    int64_t evaluated_ns;       // the end of the last evaluation
    int64_t not_before_ns;      // the next one begins
    int64_t again_ns;           // evaluate even without a change
    // Of the nodes that are due, which are evaluated meanwhile.
    uint64_t due_nodes_version;
    int64_t due_nodes_again_ns, due_nodes_not_before_ns;
};

struct evaluation_schedule *evaluation_schedule_create(const struct evaluation_options *options)
{
    struct evaluation_schedule *schedule = memory_allocate(sizeof *schedule);
    schedule->options = *options;
    schedule->parts = options->parts;
    schedule->control = options->parts->control;
    schedule->runner = evaluation_runner_create(options);
    schedule->inputs = decision_inputs_create(schedule->control);
    decision_inputs_touch(schedule->inputs);
    return schedule;
}

void evaluation_schedule_destroy(struct evaluation_schedule *schedule)
{
    if (schedule == NULL)
        return;
    evaluation_runner_destroy(schedule->runner);
    decision_inputs_destroy(schedule->inputs);
    free(schedule);
}

void evaluation_schedule_touch(struct evaluation_schedule *schedule)
{
    decision_inputs_touch(schedule->inputs);
}

bool evaluation_schedule_is_running(const struct evaluation_schedule *schedule)
{
    return evaluation_runner_is_running(schedule->runner);
}

// --- due times -----------------------------------------------------------------------------------
// DIS-762: a deadline is near, or will be before the next look.
static bool may_expire(const struct control *control, const struct node_claim *claim)
{
    return disruption_strategy_of(control->manager.settings)->replaces_expiring &&
           expiry_window_start(claim) <= ns_add(manager_now(&control->manager), LOOK_SETTLED_NS);
}

static bool is_due(const struct control *control, const struct node_claim *claim)
{
    return condition_is_true(&claim->status.conditions, CONDITION_DRIFTED) ||
           may_expire(control, claim);
}

static bool is_due_or_consolidatable(const struct control *control, const struct node_claim *claim)
{
    return condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE) ||
           is_due(control, claim);
}

// Some node may be a candidate; without one an evaluation has nothing to examine.
static bool any_claim(const struct control *control,
                      bool (*is_candidate)(const struct control *, const struct node_claim *))
{
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        const struct node_claim *claim = state_only_claim(state);
        if (claim != NULL && !state_marked(state) && is_candidate(control, claim))
            return true;
    }
    return false;
}

// When the next evaluation is due; NS_NEVER: there are no candidates.
static int64_t evaluation_due(struct evaluation_schedule *schedule, int64_t now_ns)
{
    uint64_t version = decision_inputs_version(schedule->inputs);
    if (version != schedule->seen_version) {
        schedule->seen_version = version;
        schedule->changed_ns = now_ns;
    }
    int64_t due_ns = schedule->again_ns;
    if (version != schedule->evaluated_version)
        due_ns = ns_minimum(ns_add(schedule->changed_ns, QUIET_NS),
                            ns_add(schedule->evaluated_ns, LOOK_AGAIN_NS));
    return ns_maximum(due_ns, schedule->not_before_ns);
}

// Several nodes of one command are validated in a moment: a command that began meanwhile would take
// the room that their pods were planned for.
static bool is_a_set_that_waits(const struct disruption_command *command)
{
    return command->phase == COMMAND_WAIT && command->nodes.count > 1 &&
           command->reason == DISRUPTION_UNDERUTILIZED;
}

static bool are_marked(const struct control *control, const struct disruption_command *command)
{
    list_for_each (entry, &command->nodes) {
        const struct state_node *state = cluster_state_named(control->cluster, entry->node);
        if (state != NULL && !state_marked(state))
            return false;
    }
    return true;
}

// Replacements are launched in a moment, and then the nodes are marked (DIS-306). Until then the
// command's pods have no known place, and an evaluation would buy nodes for them, too.
static bool is_about_to_launch(const struct control *control,
                               const struct disruption_command *command)
{
    int64_t age_ns = ns_subtract(loop_monotonic_ns(control->manager.loop), command->created_ns);
    return command->replacements.count > 0 && command->phase <= COMMAND_AWAIT &&
           (command->phase >= COMMAND_LAUNCH || command->reason == DISRUPTION_DRIFTED) &&
           age_ns < UNLAUNCHED_NS && !are_marked(control, command);
}

static bool one_is_unsettled(const struct control *control, const struct commands *commands)
{
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(commands, &position)) != NULL;)
        if (is_a_set_that_waits(command) || is_about_to_launch(control, command))
            return true;
    return false;
}

static bool one_waits(const struct commands *commands)
{
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(commands, &position)) != NULL;)
        if (command->phase < COMMAND_LAUNCH)
            return true;
    return false;
}

static bool is_held_up(const struct evaluation_schedule *schedule)
{
    const struct commands *commands = schedule->parts->commands;
    return schedule->control->strategy->validates_one_by_one
               ? one_waits(commands)
               : pod_waves_left(schedule->options.waves, schedule->control) > 0 ||
                     one_is_unsettled(schedule->control, commands);
}

static bool awaits_rest(const struct evaluation_schedule *schedule, int64_t now_ns)
{
    return schedule->control->strategy->awaits_rest &&
           pod_waves_await_rest(schedule->options.waves, schedule->control, now_ns);
}

// A choice among all nodes waits for the cluster to come to rest; nodes that must go do not.
static int64_t evaluate_due_nodes(struct evaluation_schedule *schedule, uint64_t version,
                                  int64_t now_ns)
{
    bool is_seen = version == schedule->due_nodes_version && now_ns < schedule->due_nodes_again_ns;
    if (is_seen || now_ns < schedule->due_nodes_not_before_ns ||
        !any_claim(schedule->control, is_due))
        return ns_add(now_ns, UNREST_LOOK_NS);
    schedule->due_nodes_version = version;
    evaluation_runner_start(schedule->runner,
                            evaluation_create(schedule->parts, EVALUATION_DUE_NODES));
    return NS_NEVER;
}

int64_t evaluation_schedule_start(struct evaluation_schedule *schedule)
{
    int64_t now_ns = loop_monotonic_ns(schedule->control->manager.loop);
    if (evaluation_schedule_is_running(schedule))
        return NS_NEVER;
    struct disruption_evaluation *check = evaluation_create(schedule->parts, EVALUATION_CHECK);
    if (check != NULL) {
        evaluation_runner_start(schedule->runner, check);
        return NS_NEVER;
    }
    int64_t due_ns = evaluation_due(schedule, now_ns);
    if (now_ns < due_ns)
        return due_ns;
    if (is_held_up(schedule))
        return ns_add(now_ns, LOOK_SOON_NS);
    uint64_t version = decision_inputs_version(schedule->inputs);
    if (awaits_rest(schedule, now_ns))
        return evaluate_due_nodes(schedule, version, now_ns);
    schedule->evaluated_version = version;
    // DIS-400: an evaluation would count no candidate.
    if (!any_claim(schedule->control, is_due_or_consolidatable)) {
        disruption_metrics_record_none(schedule->options.metrics);
        schedule->again_ns = ns_add(now_ns, LOOK_SETTLED_NS);
        return schedule->again_ns;
    }
    evaluation_runner_start(schedule->runner,
                            evaluation_create(schedule->parts, EVALUATION_METHODS));
    return NS_NEVER;
}

// --- results -------------------------------------------------------------------------------------
// The earliest blocker that ends by itself.
static int64_t next_evaluation(const struct evaluation_schedule *schedule,
                               const struct disruption_evaluation *evaluation, int64_t now_ns)
{
    const struct manager *manager = &schedule->control->manager;
    int64_t next_ns = ns_minimum(ns_add(now_ns, LOOK_SETTLED_NS),
                                 disruption_backoff_next(schedule->parts->backoff));
    if (evaluation->has_refused)
        next_ns = ns_minimum(next_ns, ns_add(now_ns, REFUSED_LOOK_NS));
    int64_t change = evaluation->next_change;
    if (change != NS_NEVER)
        next_ns = ns_minimum(next_ns, ns_subtract(ns_add(now_ns, change), manager_now(manager)));
    return next_ns;
}

static void note_evaluated(struct evaluation_schedule *schedule,
                           const struct disruption_evaluation *evaluation, uint32_t commands,
                           int64_t now_ns)
{
    int64_t took_ns = ns_subtract(now_ns, evaluation->started_ns);
    int64_t next_ns = next_evaluation(schedule, evaluation, now_ns);
    schedule->evaluated_ns = now_ns;
    schedule->not_before_ns =
        commands > 0 ? now_ns : ns_add(now_ns, ns_multiply(DURATION_SHARE, took_ns));
    if (evaluation->kind == EVALUATION_DUE_NODES) {
        schedule->due_nodes_again_ns = next_ns;
        schedule->due_nodes_not_before_ns = commands > 0 ? now_ns : ns_add(now_ns, IN_VAIN_NS);
    } else {
        schedule->again_ns = next_ns;
    }
    evaluation_report(evaluation, schedule->options.metrics);
}

void evaluation_schedule_carry_out(struct evaluation_schedule *schedule)
{
    struct disruption_evaluation *evaluation = evaluation_runner_take(schedule->runner);
    if (evaluation == NULL)
        return;
    int64_t now_ns = loop_monotonic_ns(schedule->control->manager.loop);
    uint32_t commands = evaluation_carry_out(evaluation, true).commands;
    if (evaluation->kind == EVALUATION_METHODS || evaluation->kind == EVALUATION_DUE_NODES)
        note_evaluated(schedule, evaluation, commands, now_ns);
    if (commands > 0)
        decision_inputs_touch(schedule->inputs);
    evaluation_destroy(evaluation);
}
