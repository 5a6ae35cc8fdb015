// DIS-795, second half: the savings of consolidation in a day (invariants.h, 4).
//
// A command is followed from its first mark until its nodes are gone or released. Until then it
// costs the extra machines; from then on it saves, for the four hours within which a move has to
// pay (DIS-747), the nodes' price less their replacements, and less the machines launched for the
// pods that it moved. Pods of a workload may twice find no room because others came first, then the
// controller knows the scheduler's choice (DIS-749). A command with external interference in its
// time - prices, machines that vanish, a controller that is disconnected or dies - is not weighed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/invariants_internal.h"

#define PAYS_HOURS 4.0
#define LOOK_BACK  (10 * MINUTE) // DIS-749: from the end of a command
#define DAY        (24 * HOUR)
#define SURPRISES  2
#define DUST_USD   1e-9 // rounding

static double usd(int64_t price)
{
    return (double)price / 1e9;
}

static const struct sim_instance *running_machine(const struct invariants *invariants,
                                                  const char *claim_uid)
{
    const struct sim_instance *machine =
        sim_instances_find_claim(simulation_park(invariants->simulation), claim_uid);
    return machine != NULL && machine->phase == MACHINE_RUNNING ? machine : NULL;
}

// --- pods that were moved ------------------------------------------------------------------------

struct owed {                // to the workloads of one label app: pods that commands have evicted
    VECTOR(char *) commands; // identifiers, the oldest first
};

void free_owed(void *value)
{
    struct owed *owed = value;
    vector_for_each (id, &owed->commands)
        free(*id);
    vector_free(&owed->commands);
    free(owed);
}

void note_moved_pod(struct invariants *invariants, const json_t *pod)
{
    const char *app = label_of(pod, "app"), *node_name = text_at(pod, "spec.nodeName");
    const struct node_record *node =
        node_name != NULL ? map_get(invariants->nodes, node_name) : NULL;
    if (app == NULL || node == NULL || node->command[0] == '\0')
        return;
    struct owed *owed = map_ensure(invariants->owed, app, sizeof *owed);
    vector_push(&owed->commands, memory_copy_string(node->command));
}

// A pod without an evicted predecessor is additional load.
void note_new_pod(struct invariants *invariants, struct pod_record *record, const json_t *pod)
{
    struct owed *owed = record->app != NULL ? map_get(invariants->owed, record->app) : NULL;
    if (is_owned_by(pod, "DaemonSet"))
        return;
    if (owed == NULL || owed->commands.count == 0) {
        invariants->demanded_ns = now_ns(invariants);
        return;
    }
    record->moved_by = owed->commands.items[0];
    memmove(owed->commands.items, owed->commands.items + 1,
            --owed->commands.count * sizeof *owed->commands.items);
}

// --- following a command -------------------------------------------------------------------------

enum candidate_state { CANDIDATE_GOES, CANDIDATE_GONE, CANDIDATE_STAYS };

static enum candidate_state state_of(const struct invariants *invariants,
                                     const struct command_record *command, const char *uid)
{
    const json_t *claim = claim_of_uid(invariants, uid);
    if (running_machine(invariants, uid) == NULL || claim == NULL)
        return CANDIDATE_GONE;
    const char *name = text_at(claim, "status.nodeName");
    const struct node_record *node = name != NULL ? map_get(invariants->nodes, name) : NULL;
    bool marked = node != NULL && strcmp(node->command, command->id) == 0;
    return marked || is_deleting(claim) ? CANDIDATE_GOES : CANDIDATE_STAYS;
}

static double replacements_usd(const struct invariants *invariants,
                               const struct command_record *command)
{
    double sum = 0;
    for (struct map_entry *e = map_first(command->replacements); e != NULL; e = map_next(e)) {
        const struct sim_instance *machine = running_machine(invariants, map_key(e));
        sum += machine != NULL ? usd(machine->price) : 0;
    }
    return sum;
}

static bool all_came(const struct invariants *invariants, const struct command_record *command)
{
    uint32_t came = 0;
    for (struct map_entry *e = map_first(command->replacements); e != NULL; e = map_next(e)) {
        const json_t *claim = claim_of_uid(invariants, map_key(e));
        came += claim != NULL && condition_is(claim, "Initialized", "True");
    }
    return came >= command->replacements_promised;
}

static void follow(struct invariants *invariants, struct command_record *command, int64_t passed_ns)
{
    double saved = 0;
    bool under_way = false;
    for (struct map_entry *e = map_first(command->candidates); e != NULL; e = map_next(e)) {
        enum candidate_state state = state_of(invariants, command, map_key(e));
        const struct candidate *candidate = map_value(e);
        under_way = under_way || state == CANDIDATE_GOES;
        saved += state == CANDIDATE_GONE ? usd(candidate->price) : 0;
        command->unknown = command->unknown || candidate->price == 0;
    }
    command->saves_usd = saved > 0 ? saved - replacements_usd(invariants, command) : 0;
    command->saved_usd +=
        (saved - replacements_usd(invariants, command)) * (double)passed_ns / HOUR;
    if (under_way)
        return;
    command->over_ns = now_ns(invariants);
    command->unknown = command->unknown || (saved == 0 && !all_came(invariants, command));
}

// --- weighing it ---------------------------------------------------------------------------------

// All pods on the node were moved by the command.
static bool is_bought_for(const struct invariants *invariants, const struct command_record *command,
                          const char *node)
{
    const struct occupants *occupants = occupants_of(invariants, node);
    for (uint32_t i = 0; occupants != NULL && i < occupants->pods.count; i++) {
        const struct pod_record *pod = occupants->pods.items[i];
        if (!pod->leaving && !pod->of_daemon_set && !text_equal(pod->moved_by, command->id))
            return false;
    }
    return true;
}

// The node's machine, if it was launched after the start of the command, and for its pods alone.
static const struct sim_instance *bought_machine(const struct invariants *invariants,
                                                 const struct command_record *command,
                                                 const char *node_name)
{
    json_t *node =
        store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, node_name);
    json_t *claim =
        node != NULL ? claim_of_machine(invariants, text_at(node, "spec.providerID")) : NULL;
    const struct claim_record *record =
        claim != NULL ? map_get(invariants->claims, store_uid(claim)) : NULL;
    bool bought = record != NULL && record->command == NULL &&
                  record->seen_ns > command->begun_ns &&
                  is_bought_for(invariants, command, node_name);
    return bought ? running_machine(invariants, store_uid(claim)) : NULL;
}

// Machines that run now because pods of the command found no room where it was planned; except for
// unforeseeable ones.
static double bought_usd(struct invariants *invariants, const struct command_record *command)
{
    struct map *counted = map_create();
    double sum = 0;
    for (struct map_entry *e = map_first(invariants->pods); e != NULL; e = map_next(e)) {
        const struct pod_record *pod = map_value(e);
        if (pod->leaving || pod->node == NULL || !text_equal(pod->moved_by, command->id) ||
            map_get(counted, pod->node) != NULL)
            continue;
        map_set(counted, pod->node, counted);
        const struct sim_instance *machine = bought_machine(invariants, command, pod->node);
        if (machine != NULL && ++app_record(invariants, pod->app)->surprises > SURPRISES)
            sum += usd(machine->price);
    }
    map_destroy(counted, NULL);
    return sum;
}

static void add_saving(struct invariants *invariants, const struct command_record *command,
                       double saving)
{
    double sum = 0;
    vector_push(&invariants->savings, (struct saving){now_ns(invariants), saving});
    vector_for_each (entry, &invariants->savings)
        if (now_ns(invariants) - entry->at_ns <= DAY)
            sum += entry->usd;
    if (sum < -DUST_USD)
        violate(invariants,
                "consolidation has cost %.4f USD more than it saved within a day; its last command "
                "%s %.4f USD (DIS-795)",
                -sum, command->id, -saving);
}

static void weigh(struct invariants *invariants, struct command_record *command)
{
    command->weighed = true;
    bool meddled = invariants->meddled_ns > command->begun_ns - STALE_NS ||
                   invariants->repriced_ns > command->begun_ns - STALE_NS ||
                   invariants->sees_since_ns > command->begun_ns - STALE_NS;
    if (command->unknown || meddled || !invariants->options.faithful_watches)
        return;
    double saves = command->saves_usd;
    if (invariants->demanded_ns < command->begun_ns - STALE_NS)
        saves -= bought_usd(invariants, command);
    invariants->counts.weighed++;
    add_saving(invariants, command, command->saved_usd + PAYS_HOURS * saves);
}

void check_savings(struct invariants *invariants, int64_t passed_ns)
{
    for (struct map_entry *e = map_first(invariants->commands); e != NULL; e = map_next(e)) {
        struct command_record *command = map_value(e);
        if (command->weighed || strcmp(command->reason, "Underutilized") != 0 ||
            map_count(command->candidates) == 0)
            continue;
        if (command->over_ns == 0)
            follow(invariants, command, passed_ns);
        else if (now_ns(invariants) - command->over_ns >= LOOK_BACK)
            weigh(invariants, command);
    }
}
