#include "control/command/consolidation_outcomes.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/command/consolidation_history.h"
#include "control/command/savings.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"

#define JUDGED_AFTER_NS (10 * MINUTE)
#define MEMORY_NS       (24 * HOUR)
#define STRIKES         2 // moves after which a workload is planned by where it goes
#define NODES_KEPT      8 // of a workload: where its pods were put lately
#define OUTCOMES_MAX    200
#define LED_MIN         10   // pods of a command that show whether they go where they are led
#define LED_PERCENT     60   // of them that must have
#define UNGUIDED_NS     HOUR // for which no drain is guided otherwise

struct planned_pods {      // of a workload for one node
    char *workload, *node; // UID; the Node, NULL: not known yet
    uint32_t replacement;  // NO_REPLACEMENT: for an existing node
    uint32_t pods, landed; // landed: on that node
};
struct landing { // of a pod on another node
    char *workload, *node;
};
struct outcome {
    char id[37];
    char *pool;
    int64_t begun;            // wall clock
    int64_t due_ns;           // monotonic; 0: the command is under way
    uint32_t led;             // pods that were to be led to their places
    int64_t price, predicted; // of its nodes; saving; nano-USD an hour
    VECTOR(struct planned_pods) planned;
    VECTOR(struct landing) elsewhere;
    VECTOR(char *) replacements; // names of NodeClaims
};
struct habit { // of a workload
    uint32_t strikes;
    int64_t last;            // wall clock
    char *nodes[NODES_KEPT]; // the last one first
    uint32_t nodes_count;
};
struct consolidation_outcomes {
    struct control *control;
    struct savings *savings;
    struct consolidation_history *history;
    VECTOR(struct outcome *) outcomes; // in the order in which they began
    struct map *habits;                // struct habit by UID of the workload
    int64_t unguided_until_ns;         // monotonic
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);

struct consolidation_outcomes *consolidation_outcomes_create(struct control *control,
                                                             struct consolidation_history *history,
                                                             struct savings *savings)
{
    struct consolidation_outcomes *outcomes = memory_allocate(sizeof *outcomes);
    outcomes->control = control;
    outcomes->savings = savings;
    outcomes->history = history;
    outcomes->habits = map_create();
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, outcomes);
    return outcomes;
}

static void outcome_destroy(struct outcome *outcome)
{
    vector_for_each (planned, &outcome->planned) {
        free(planned->workload);
        free(planned->node);
    }
    vector_for_each (landing, &outcome->elsewhere) {
        free(landing->workload);
        free(landing->node);
    }
    vector_for_each (name, &outcome->replacements)
        free(*name);
    vector_free(&outcome->planned);
    vector_free(&outcome->elsewhere);
    vector_free(&outcome->replacements);
    free(outcome->pool);
    free(outcome);
}

static void destroy_habit(void *value)
{
    struct habit *habit = value;
    for (uint32_t i = 0; i < habit->nodes_count; i++)
        free(habit->nodes[i]);
    free(habit);
}

void consolidation_outcomes_destroy(struct consolidation_outcomes *outcomes)
{
    if (outcomes == NULL)
        return;
    vector_for_each (outcome, &outcomes->outcomes)
        outcome_destroy(*outcome);
    vector_free(&outcomes->outcomes);
    map_destroy(outcomes->habits, destroy_habit);
    free(outcomes);
}

static struct outcome *find(struct consolidation_outcomes *outcomes, const char *id,
                            uint32_t *index)
{
    for (*index = 0; *index < outcomes->outcomes.count; (*index)++)
        if (strcmp(outcomes->outcomes.items[*index]->id, id) == 0)
            return outcomes->outcomes.items[*index];
    return NULL;
}

static void remove_at(struct consolidation_outcomes *outcomes, uint32_t index)
{
    outcome_destroy(outcomes->outcomes.items[index]);
    outcomes->outcomes.count--;
    memmove(outcomes->outcomes.items + index, outcomes->outcomes.items + index + 1,
            (outcomes->outcomes.count - index) * sizeof *outcomes->outcomes.items);
}

// --- a command -----------------------------------------------------------------------------------

static void add_planned(struct outcome *outcome, const struct command_move *move)
{
    if (move->workload[0] == '\0')
        return;
    vector_for_each (planned, &outcome->planned)
        if (strcmp(planned->workload, move->workload) == 0 &&
            planned->replacement == move->replacement && text_equal(planned->node, move->node)) {
            planned->pods++;
            return;
        }
    vector_push(
        &outcome->planned,
        (struct planned_pods){.workload = memory_copy_string(move->workload),
                              .node = move->node != NULL ? memory_copy_string(move->node) : NULL,
                              .replacement = move->replacement,
                              .pods = 1});
}

void consolidation_outcomes_begin(struct consolidation_outcomes *outcomes,
                                  const struct disruption_command *command)
{
    struct control *control = outcomes->control;
    if (!control->strategy->remembers_consolidation || command->nodes.count == 0 ||
        command->reason != DISRUPTION_UNDERUTILIZED)
        return;
    if (outcomes->outcomes.count == OUTCOMES_MAX)
        remove_at(outcomes, 0);
    struct outcome *outcome = memory_allocate(sizeof *outcome);
    memcpy(outcome->id, command->id, sizeof outcome->id);
    outcome->pool = memory_copy_string(command->nodes.items[0].pool);
    outcome->begun = manager_now(&control->manager);
    outcome->price = command->price;
    outcome->predicted = command->savings;
    list_for_each (move, &command->moves) {
        add_planned(outcome, move);
        outcome->led += move->is_led;
    }
    list_for_each (replacement, &command->replacements)
        vector_push(&outcome->replacements, memory_copy_string(replacement->name));
    vector_push(&outcomes->outcomes, outcome);
}

void consolidation_outcomes_drop(struct consolidation_outcomes *outcomes,
                                 const struct disruption_command *command)
{
    uint32_t index;
    const struct outcome *outcome = find(outcomes, command->id, &index);
    if (outcome != NULL && outcome->due_ns == 0)
        remove_at(outcomes, index);
}

void consolidation_outcomes_end(struct consolidation_outcomes *outcomes,
                                const struct disruption_command *command)
{
    uint32_t index;
    struct outcome *outcome = find(outcomes, command->id, &index);
    if (outcome != NULL)
        outcome->due_ns =
            ns_add(loop_monotonic_ns(outcomes->control->manager.loop), JUDGED_AFTER_NS);
}

// --- bindings of pods ----------------------------------------------------------------------------

static const char *node_of(const struct consolidation_outcomes *outcomes, const char *claim_name)
{
    const struct node_claim *claim = find_claim(outcomes->control, claim_name);
    return claim != NULL ? claim->status.node_name : NULL;
}

// A pod of the workload was bound to the node.
static void note_landing(const struct consolidation_outcomes *outcomes, struct outcome *outcome,
                         const char *workload, const char *node)
{
    struct planned_pods *here = NULL;
    uint32_t pods = 0, landed = 0;
    vector_for_each (planned, &outcome->planned) {
        if (strcmp(planned->workload, workload) != 0)
            continue;
        pods += planned->pods;
        landed += planned->landed;
        if (planned->node == NULL && planned->replacement < outcome->replacements.count) {
            const char *name = node_of(outcomes, outcome->replacements.items[planned->replacement]);
            planned->node = name != NULL ? memory_copy_string(name) : NULL;
        }
        if (text_equal(planned->node, node) && planned->landed < planned->pods)
            here = planned;
    }
    vector_for_each (landing, &outcome->elsewhere)
        landed += strcmp(landing->workload, workload) == 0;
    if (landed >= pods)
        return; // beyond the evicted pods: the workload grows
    if (here != NULL)
        here->landed++;
    else
        vector_push(&outcome->elsewhere,
                    (struct landing){memory_copy_string(workload), memory_copy_string(node)});
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct consolidation_outcomes *outcomes = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (outcomes->outcomes.count == 0 || pod == NULL || pod->spec.node_name == NULL ||
        (before != NULL && before->spec.node_name != NULL))
        return;
    const struct owner_reference *owner = object_controller_owner(new_object);
    // Timestamps of objects are whole seconds.
    vector_for_each (outcome, &outcomes->outcomes)
        if (owner != NULL && owner->uid != NULL &&
            pod->meta.creation_timestamp >= ns_subtract((*outcome)->begun, SECOND))
            note_landing(outcomes, *outcome, owner->uid, pod->spec.node_name);
}

// --- habits --------------------------------------------------------------------------------------

static void remember_node(struct habit *habit, const char *node)
{
    uint32_t at = 0;
    while (at < habit->nodes_count && strcmp(habit->nodes[at], node) != 0)
        at++;
    char *name = at < habit->nodes_count ? habit->nodes[at] : memory_copy_string(node);
    if (at == NODES_KEPT)
        free(habit->nodes[--at]);
    else if (at == habit->nodes_count)
        habit->nodes_count++;
    memmove(habit->nodes + 1, habit->nodes, at * sizeof *habit->nodes);
    habit->nodes[0] = name;
}

static void forget_old_habits(struct consolidation_outcomes *outcomes)
{
    int64_t now = manager_now(&outcomes->control->manager);
    struct map_entry *next;
    for (struct map_entry *at = map_first(outcomes->habits); at != NULL; at = next) {
        next = map_next(at);
        if (ns_subtract(now, ((const struct habit *)map_value(at))->last) > MEMORY_NS)
            destroy_habit(map_remove(outcomes->habits, map_key(at)));
    }
}

static bool is_before(const struct outcome *outcome, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(outcome->elsewhere.items[i].workload,
                   outcome->elsewhere.items[index].workload) == 0)
            return true;
    return false;
}

// kube-scheduler was led elsewhere than it went: its plugin TaintToleration may be off.
static bool went_astray(const struct outcome *outcome)
{
    uint32_t as_planned = 0, all = outcome->elsewhere.count;
    vector_for_each (planned, &outcome->planned)
        as_planned += planned->landed;
    all += as_planned;
    return outcome->led >= LED_MIN && all >= LED_MIN && as_planned * 100 < all * LED_PERCENT;
}

bool consolidation_outcomes_unguided(const struct consolidation_outcomes *outcomes)
{
    return loop_monotonic_ns(outcomes->control->manager.loop) < outcomes->unguided_until_ns;
}

// One strike for each workload, however many pods it has.
static void learn(struct consolidation_outcomes *outcomes, const struct outcome *outcome)
{
    int64_t now = manager_now(&outcomes->control->manager);
    for (uint32_t i = 0; i < outcome->elsewhere.count; i++) {
        const struct landing *landing = &outcome->elsewhere.items[i];
        struct habit *habit = map_ensure(outcomes->habits, landing->workload, sizeof *habit);
        habit->strikes += !is_before(outcome, i);
        habit->last = now;
        remember_node(habit, landing->node);
    }
    // A workload that follows its habit refreshes it.
    vector_for_each (planned, &outcome->planned) {
        struct habit *habit = map_get(outcomes->habits, planned->workload);
        if (habit == NULL || habit->strikes < STRIKES || planned->landed == 0)
            continue;
        habit->last = now;
        remember_node(habit, planned->node);
    }
}

static int by_uid(const void *a, const void *b)
{
    return strcmp(((const struct scheduled_workload *)a)->uid,
                  ((const struct scheduled_workload *)b)->uid);
}

struct scheduled_list consolidation_outcomes_scheduled(struct consolidation_outcomes *outcomes,
                                                       struct arena *arena)
{
    forget_old_habits(outcomes);
    struct scheduled_workload *items =
        arena_allocate_array(arena, map_count(outcomes->habits) + 1, sizeof *items);
    struct scheduled_list list = {.items = items};
    for (struct map_entry *at = map_first(outcomes->habits); at != NULL; at = map_next(at)) {
        const struct habit *habit = map_value(at);
        if (habit->strikes < STRIKES)
            continue;
        struct scheduled_workload *workload = &items[list.count++];
        workload->uid = arena_copy_string(arena, map_key(at));
        workload->nodes.items =
            arena_allocate_array(arena, habit->nodes_count + 1, sizeof *workload->nodes.items);
        for (uint32_t i = 0; i < habit->nodes_count; i++)
            workload->nodes.items[workload->nodes.count++] =
                arena_copy_string(arena, habit->nodes[i]);
    }
    if (list.count > 1)
        qsort(items, list.count, sizeof *items, by_uid);
    return list;
}

// --- the saving ----------------------------------------------------------------------------------

static bool is_replacement(const struct outcome *outcome, const struct node_claim *claim)
{
    vector_for_each (name, &outcome->replacements)
        if (strcmp(*name, claim->meta.name) == 0)
            return true;
    return false;
}

static bool landed_before(const struct outcome *outcome, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(outcome->elsewhere.items[i].node, outcome->elsewhere.items[index].node) == 0)
            return true;
    return false;
}

static int64_t price_of_replacements(struct consolidation_outcomes *outcomes,
                                     const struct outcome *outcome)
{
    int64_t price = 0;
    vector_for_each (name, &outcome->replacements) {
        const struct node_claim *claim = find_claim(outcomes->control, *name);
        price += claim != NULL ? claim_price(outcomes->control, claim, NULL) : 0;
    }
    return price;
}

// The price of new nodes that the command's pods needed in addition.
static int64_t price_of_others(struct consolidation_outcomes *outcomes,
                               const struct outcome *outcome)
{
    struct control *control = outcomes->control;
    int64_t price = 0;
    for (uint32_t i = 0; i < outcome->elsewhere.count; i++) {
        const struct node *node = find_node(control, outcome->elsewhere.items[i].node);
        const struct node_claim *claim =
            node != NULL ? cluster_claim_of(control->cluster, node, NULL) : NULL;
        if (claim != NULL && !landed_before(outcome, i) && !is_replacement(outcome, claim) &&
            claim->meta.creation_timestamp >= ns_subtract(outcome->begun, SECOND))
            price += claim_price(control, claim, NULL);
    }
    return price;
}

// --- comparison ----------------------------------------------------------------------------------

static bool landed_on(const struct outcome *outcome, uint32_t replacement)
{
    vector_for_each (planned, &outcome->planned)
        if (planned->replacement == replacement && planned->landed > 0)
            return true;
    return false;
}

// No planned pod was bound to the replacement, and it has no other pod or is gone.
static bool is_empty(const struct consolidation_outcomes *outcomes, const struct outcome *outcome,
                     uint32_t replacement)
{
    const char *node = node_of(outcomes, outcome->replacements.items[replacement]);
    return !landed_on(outcome, replacement) &&
           (node == NULL || !cluster_has_pods(outcomes->control->cluster, node));
}

static bool any_empty(const struct consolidation_outcomes *outcomes, const struct outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->replacements.count; i++)
        if (is_empty(outcomes, outcome, i))
            return true;
    return false;
}

static void compare_with_plan(struct consolidation_outcomes *outcomes,
                              const struct outcome *outcome)
{
    struct control *control = outcomes->control;
    int64_t others = price_of_others(outcomes, outcome);
    int64_t realised = outcome->price - price_of_replacements(outcomes, outcome) - others;
    bool is_useless = outcome->planned.count > 0 && outcome->replacements.count > 0 &&
                      (realised <= 0 || any_empty(outcomes, outcome));
    const char *kind = realised <= 0                  ? "no_saving"
                       : outcome->elsewhere.count > 0 ? "elsewhere"
                                                      : "as_planned";
    if (others > 0)
        savings_lose(outcomes->savings, outcome->pool, others);
    metric_add(control->metrics.consolidation_outcomes, 1, outcome->pool, kind);
    log_debug("compared a consolidation with its plan", "s:controller", "disruption",
              "s:command-id", outcome->id, "o:NodePool", outcome->pool, "s:outcome", kind,
              "i:pods-elsewhere", (int64_t)outcome->elsewhere.count, "f:predicted-savings",
              (double)outcome->predicted / 1e9, "f:realised-savings", (double)realised / 1e9);
    if (went_astray(outcome))
        outcomes->unguided_until_ns = ns_add(loop_monotonic_ns(control->manager.loop), UNGUIDED_NS);
    else
        learn(outcomes, outcome);
    if (is_useless)
        consolidation_history_undone(outcomes->history, outcome->id);
}

void consolidation_outcomes_review(struct consolidation_outcomes *outcomes)
{
    int64_t now_ns = loop_monotonic_ns(outcomes->control->manager.loop);
    for (uint32_t i = 0; i < outcomes->outcomes.count;) {
        struct outcome *outcome = outcomes->outcomes.items[i];
        if (outcome->due_ns == 0 || now_ns < outcome->due_ns) {
            i++;
            continue;
        }
        compare_with_plan(outcomes, outcome);
        remove_at(outcomes, i);
    }
}
