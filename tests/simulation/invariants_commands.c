// Disruption commands, recognized by the marks on their objects (invariants.h, 1, 4 and 5). A mark
// is "<identifier>,<reason>,<kind>,<nodes>,<replacements>".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/invariants_internal.h"

#define ID_LENGTH  36
#define TIMEOUT_NS (10 * MINUTE) // DIS-322, for the worlds' numbers of nodes
#define GRACE_NS   MINUTE        // DIS-793
// Each write of a released object may be lost: each loss costs the client's timeout, and among
// thousands of nodes some lose two or three writes in a row.
#define RESIDUE_MAX      MINUTE
#define RESIDUE_LOST_MAX (2 * MINUTE)
#define COMMANDS_MAX     60 // of one node in an hour

struct command_record *command_of(struct invariants *invariants, const json_t *object)
{
    const char *mark = annotation_of(object, MARK);
    char id[ID_LENGTH + 1], reason[16] = "";
    unsigned nodes = 1, replacements = 0;
    if (mark == NULL || strlen(mark) < ID_LENGTH)
        return NULL;
    snprintf(id, sizeof id, "%s", mark);
    struct command_record *command = map_get(invariants->commands, id);
    if (command != NULL)
        return command;
    const char *counts = strrchr(mark, ',');
    for (const char *at = mark; counts != NULL && (at = strchr(at, ',')) != NULL && at < counts;
         at++)
        sscanf(at, ",%u,%u", &nodes, &replacements);
    if (sscanf(mark + ID_LENGTH, ",%15[A-Za-z]", reason) != 1)
        strcpy(reason, "Empty");
    command = memory_allocate(sizeof *command);
    strcpy(command->id, id);
    strcpy(command->reason, reason);
    command->nodes_promised = nodes;
    command->replacements_promised = replacements;
    command->candidates = map_create();
    command->replacements = map_create();
    command->begun_ns = now_ns(invariants);
    map_set(invariants->commands, id, command);
    invariants->counts.commands++;
    return command;
}

static void free_candidate(void *value)
{
    struct candidate *candidate = value;
    free(candidate->claim);
    free(candidate->pool);
    free(candidate);
}

void free_command_record(void *value)
{
    struct command_record *command = value;
    map_destroy(command->candidates, free_candidate);
    map_destroy(command->replacements, NULL);
    free(command);
}

// --- members -------------------------------------------------------------------------------------

// The NodePool's settings that allow consolidation of a node (DIS-150).
static void check_policy(struct invariants *invariants, const struct command_record *command,
                         const json_t *claim)
{
    const json_t *pool = pool_of(invariants, claim);
    const struct pool_record *record =
        pool != NULL ? map_get(invariants->pools, store_name(pool)) : NULL;
    bool drifts = strcmp(command->reason, "Drifted") == 0;
    if (record == NULL || now_ns(invariants) - record->changed_ns < STALE_NS ||
        !is_faithful(invariants) ||
        json_integer_value(store_path(pool, "metadata.generation")) != record->generation)
        return;
    if (drifts && !condition_is(claim, "Drifted", "True") && !is_expiring(invariants, claim))
        violate(invariants, "NodeClaim %s is disrupted as drifted, but it is not",
                store_name(claim));
    if (drifts)
        return;
    if (store_path(pool, "spec.replicas") != NULL ||
        text_equal(text_at(pool, "spec.disruption.consolidateAfter"), "Never"))
        violate(invariants, "NodeClaim %s is disrupted as %s, which its NodePool %s rules out",
                store_name(claim), command->reason, store_name(pool));
    if (strcmp(command->reason, "Underutilized") == 0 &&
        text_equal(text_at(pool, "spec.disruption.consolidationPolicy"), "WhenEmpty"))
        violate(invariants, "NodeClaim %s is consolidated although its NodePool %s has WhenEmpty",
                store_name(claim), store_name(pool));
}

// DIS-714: a failing command is not retried again and again.
static void check_attempts(struct invariants *invariants, const json_t *claim)
{
    struct claim_record *record = claim_record(invariants, store_uid(claim));
    if (record->commands == 0 || now_ns(invariants) - record->commands_ns > HOUR) {
        record->commands = 0;
        record->commands_ns = now_ns(invariants);
    }
    if (++record->commands > COMMANDS_MAX)
        violate(invariants, "NodeClaim %s is in the %uth command within an hour (DIS-714)",
                store_name(claim), record->commands);
}

void join_candidate(struct invariants *invariants, struct command_record *command,
                    const json_t *node)
{
    json_t *claim = claim_of_machine(invariants, text_at(node, "spec.providerID"));
    if (claim == NULL || is_deleting(claim) ||
        map_get(command->candidates, store_uid(claim)) != NULL)
        return;
    struct candidate *candidate = memory_allocate(sizeof *candidate);
    const char *pool = label_of(claim, LABEL_NODE_POOL);
    candidate->claim = memory_copy_string(store_name(claim));
    candidate->pool = memory_copy_string(pool != NULL ? pool : "");
    candidate->price =
        list_price(invariants, label_of(claim, LABEL_INSTANCE_TYPE), label_of(claim, LABEL_ZONE),
                   label_of(claim, LABEL_CAPACITY_TYPE));
    map_set(command->candidates, store_uid(claim), candidate);
    if (map_count(command->candidates) > command->nodes_promised)
        violate(invariants, "command %s was to take %u nodes, and has taken %zu", command->id,
                command->nodes_promised, map_count(command->candidates));
    check_attempts(invariants, claim);
    check_budget_of_pool(invariants, claim, command->reason);
    check_policy(invariants, command, claim);
}

void join_replacement(struct invariants *invariants, const json_t *claim)
{
    struct command_record *command = command_of(invariants, claim);
    if (command == NULL)
        return;
    claim_record(invariants, store_uid(claim))->command = memory_copy_string(command->id);
    map_set(command->replacements, store_uid(claim), command);
    invariants->counts.replacements++;
    if (++command->replacements_seen > command->replacements_promised)
        violate(invariants,
                "NodeClaim %s is the %uth replacement of command %s, which has %u "
                "(DIS-724)",
                store_name(claim), command->replacements_seen, command->id,
                command->replacements_promised);
}

// --- 4: replacements -----------------------------------------------------------------------------

struct arrivals {
    struct invariants *invariants;
    const struct command_record *command;
    uint32_t ready;
    int64_t price;
    bool known; // all prices
};

static bool is_ready(const struct invariants *invariants, const json_t *claim,
                     const struct claim_record *record)
{
    const char *name = text_at(claim, "status.nodeName");
    const struct node_record *node = name != NULL ? map_get(invariants->nodes, name) : NULL;
    bool stays = record->deleting_ns == 0 || now_ns(invariants) - record->deleting_ns < MOMENT_NS;
    bool ready = node != NULL &&
                 (node->unready_ns == 0 || now_ns(invariants) - node->unready_ns < MOMENT_NS ||
                  !is_faithful(invariants));
    return condition_is(claim, "Initialized", "True") && stays && ready;
}

static bool count_arrival(void *context, json_t *claim)
{
    struct arrivals *arrivals = context;
    const struct claim_record *record = claim_record(arrivals->invariants, store_uid(claim));
    if (!text_equal(record->command, arrivals->command->id))
        return true;
    arrivals->ready += is_ready(arrivals->invariants, claim, record);
    int64_t price = list_price(arrivals->invariants, label_of(claim, LABEL_INSTANCE_TYPE),
                               label_of(claim, LABEL_ZONE), label_of(claim, LABEL_CAPACITY_TYPE));
    arrivals->known = arrivals->known && price > 0;
    arrivals->price += price;
    return true;
}

static void check_saving(struct invariants *invariants, const struct command_record *command,
                         const struct arrivals *arrivals)
{
    int64_t before = 0;
    bool known = arrivals->known && map_count(command->candidates) == command->nodes_promised;
    for (struct map_entry *e = map_first(command->candidates); e != NULL; e = map_next(e)) {
        const struct candidate *candidate = map_value(e);
        known = known && candidate->price > 0;
        before += candidate->price;
    }
    if (!known || strcmp(command->reason, "Underutilized") != 0 ||
        command->begun_ns - STALE_NS < invariants->repriced_ns)
        return;
    if (arrivals->price >= before)
        violate(invariants, "command %s replaces nodes of %.4f USD/h by %u of %.4f USD/h (DIS-795)",
                command->id, (double)before / 1e9, command->replacements_promised,
                (double)arrivals->price / 1e9);
}

void check_replacements(struct invariants *invariants, struct command_record *command)
{
    struct arrivals arrivals = {.invariants = invariants, .command = command, .known = true};
    if (command->replacements_promised == 0)
        return;
    store_each(invariants->store, claims_of(invariants), NULL, count_arrival, &arrivals);
    if (arrivals.ready < command->replacements_promised)
        violate(invariants,
                "command %s deletes a node, but only %u of its %u replacements are ready "
                "(DIS-792)",
                command->id, arrivals.ready, command->replacements_promised);
    else if (!command->completed)
        check_saving(invariants, command, &arrivals);
    command->completed = true;
}

// --- 5: the end ----------------------------------------------------------------------------------

static void age_commands(struct invariants *invariants, int64_t passed_ns)
{
    for (struct map_entry *e = map_first(invariants->commands); e != NULL; e = map_next(e)) {
        struct command_record *command = map_value(e);
        command->age_ns = command->marked > 0 ? command->age_ns + passed_ns : 0;
        if (command->age_ns > TIMEOUT_NS + GRACE_NS)
            violate(invariants, "command %s (%s) has been under way for %lld s (DIS-793)",
                    command->id, command->reason, (long long)(command->age_ns / SECOND));
    }
}

// Leftovers of a command: a taint or a reason without a mark, a mark without a taint.
static const char *residue(struct invariants *invariants, const json_t *claim, const json_t *node)
{
    bool marked = annotation_of(node, MARK) != NULL, tainted = is_tainted(node);
    bool handed_down = claim_record(invariants, store_uid(claim))->command != NULL;
    if (tainted && !marked)
        return "the taint";
    if (marked && !tainted && !handed_down)
        return "the mark";
    return condition_is(claim, "DisruptionReason", "True") && !(marked && tainted) ? "the condition"
                                                                                   : NULL;
}

static void look_at_claim(struct invariants *invariants, const json_t *claim, int64_t passed_ns)
{
    const char *name = text_at(claim, "status.nodeName");
    struct node_record *record = name != NULL ? map_get(invariants->nodes, name) : NULL;
    json_t *node = record != NULL ? node_of_claim(invariants, claim) : NULL;
    if (node == NULL || is_deleting(claim) || is_deleting(node))
        return;
    struct command_record *command =
        record->command[0] != '\0' ? map_get(invariants->commands, record->command) : NULL;
    if (command != NULL)
        command->marked++;
    const char *left = residue(invariants, claim, node);
    record->residue_ns = left != NULL ? record->residue_ns + passed_ns : 0;
    if (record->residue_ns > (invariants->options.loses_requests ? RESIDUE_LOST_MAX : RESIDUE_MAX))
        violate(invariants, "%s of a disruption command has been left on Node %s (DIS-793)", left,
                store_name(node));
}

// The NodeClaims that are or were part of a command by their own marks or those of their Nodes.
static struct map *names_in_question(const struct invariants *invariants)
{
    struct map *names = map_create();
    for (struct map_entry *e = map_first(invariants->accused); e != NULL; e = map_next(e))
        map_set(names, map_key(e), names);
    for (struct map_entry *e = map_first(invariants->nodes); e != NULL; e = map_next(e)) {
        const struct node_record *record = map_value(e);
        if (!record->tainted && !record->marked && record->residue_ns == 0)
            continue;
        json_t *node =
            store_get(invariants->store, resource(invariants, "v1", "Node"), NULL, map_key(e));
        json_t *claim =
            node != NULL ? claim_of_machine(invariants, text_at(node, "spec.providerID")) : NULL;
        if (claim != NULL)
            map_set(names, store_name(claim), names);
    }
    return names;
}

void check_commands(struct invariants *invariants, int64_t passed_ns)
{
    bool sees = simulation_controller(invariants->simulation) != NULL &&
                invariants->sees_since_ns != INT64_MAX;
    struct map *names = names_in_question(invariants);
    for (struct map_entry *e = map_first(invariants->commands); e != NULL; e = map_next(e))
        ((struct command_record *)map_value(e))->marked = 0;
    for (struct map_entry *e = map_first(names); e != NULL; e = map_next(e)) {
        json_t *claim = store_get(invariants->store, claims_of(invariants), NULL, map_key(e));
        if (claim != NULL)
            look_at_claim(invariants, claim, sees ? passed_ns : 0);
    }
    map_destroy(names, NULL);
    age_commands(invariants, sees ? passed_ns : 0);
}
