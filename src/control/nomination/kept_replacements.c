#include "control/nomination/kept_replacements.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/node/eviction_queue.h"
#include "control/node/pods_to_evict.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/nominations.h"

// Limits of the wait, for the nodes of a command:
#define EMPTY_NS (5 * MINUTE)  // in all, or until the command's other replacements are ready
#define PAUSE_NS (3 * SECOND)  // while nothing comes, and nothing can be expected
#define FULL_NS  (20 * SECOND) // of full nodes, from the first pod of one of them on
#define FILL_NS  (40 * SECOND) // of a node that lacks pods, from its first pod on
// Evicted pods come one after the other: kube-scheduler is soon done with them.
#define PATIENCE_NS (10 * SECOND)
#define HOLD_NS     (15 * SECOND) // so long at most no pod is evicted before an opening
#define BREAK_NS    (2 * SECOND)  // between two openings: evictions go on

enum wait { WAITS_FOR_NOTHING, WAITS_FOR_EVICTION, WAITS_FOR_PODS };

struct kept {
    int64_t since_ns, first_ns; // monotonic: the beginning, the first pod (0: none has come)
    uint64_t command;           // its number
    char claim[];
};

struct watched { // a command with kept nodes that wait for pods
    uint64_t command;
    bool is_used;
    bool is_due;               // all its nodes
    bool is_partly_due;        // those that are full
    bool is_soon_due;          // at the pace of the pods that have come
    uint32_t places, most;     // on its kept nodes, not taken: at the last review, and at most
    uint32_t to_evict;         // its pods, then
    int64_t since_ns, last_ns; // monotonic: the first look, the last sign of progress
    int64_t first_ns;          // the last look before a pod came
    int64_t done_ns;           // the first look after its last pod came; 0: there are more
};

struct kept_replacements {
    struct control *control;
    const struct commands *commands;
    const struct eviction_queue *evictions;
    struct nominations *nominations; // the cluster state's
    struct map *nodes;               // struct kept by NodeClaim
    VECTOR(struct watched) watched;
    int64_t last_ns;             // monotonic: the last sign of progress of any command
    struct opening_group *group; // the nodes that open next, together
};

struct kept_replacements *kept_replacements_create(struct control *control,
                                                   const struct commands *commands,
                                                   const struct eviction_queue *evictions,
                                                   opening_unnominated *unnominated, void *context)
{
    struct kept_replacements *kept = memory_allocate(sizeof *kept);
    *kept = (struct kept_replacements){
        .control = control,
        .commands = commands,
        .evictions = evictions,
        .nominations = cluster_nominations(control->cluster),
        .nodes = map_create(),
        .group = opening_group_create(control, PATIENCE_NS, unnominated, context)};
    return kept;
}

void kept_replacements_destroy(struct kept_replacements *kept)
{
    if (kept == NULL)
        return;
    map_destroy(kept->nodes, free);
    vector_free(&kept->watched);
    opening_group_destroy(kept->group);
    free(kept);
}

static int64_t now_of(const struct kept_replacements *kept)
{
    return loop_monotonic_ns(kept->control->manager.loop);
}

// --- the command -----------------------------------------------------------------------
static bool has_pods_to_come(const struct disruption_command *command, const char *claim)
{
    for (uint32_t i = 0; i < command->replacements.count; i++) {
        if (strcmp(command->replacements.items[i].name, claim) != 0)
            continue;
        list_for_each (move, &command->moves)
            if (move->replacement == i && move->workload[0] != '\0')
                return true;
    }
    return false;
}

static const struct disruption_command *command_of(const struct kept_replacements *kept,
                                                   const char *claim)
{
    return commands_of_replacement(kept->commands, claim);
}

// A command ends with its nodes. Pods may come later, also those of other commands.
static enum wait wait_of(const struct kept_replacements *kept, const char *claim)
{
    const struct disruption_command *command = command_of(kept, claim);
    if (command == NULL)
        return WAITS_FOR_PODS;
    if (!has_pods_to_come(command, claim))
        return WAITS_FOR_NOTHING;
    switch (command->phase) {
    case COMMAND_LAUNCH:
    case COMMAND_AWAIT:
        return WAITS_FOR_EVICTION;
    case COMMAND_DELETE:
    case COMMAND_DRAIN:
        return command->was_deleted_once ? WAITS_FOR_PODS : WAITS_FOR_EVICTION;
    case COMMAND_TAINT:
    case COMMAND_REASON:
    case COMMAND_WAIT:
    case COMMAND_ROLLBACK:
        break;
    }
    return WAITS_FOR_NOTHING;
}

// A controller that removes startup taints expects to find only its own, so such nodes stay out.
bool kept_replacements_applies(const struct kept_replacements *kept, const struct node_claim *claim)
{
    return claim->spec.startup_taints.count == 0 && command_of(kept, claim->meta.name) != NULL &&
           wait_of(kept, claim->meta.name) != WAITS_FOR_NOTHING;
}

// --- nodes that are kept closed ------------------------------------------------------------------
bool kept_replacements_begin(struct kept_replacements *kept, const struct node_claim *claim)
{
    if (!kept_replacements_applies(kept, claim))
        return false;
    if (map_get(kept->nodes, claim->meta.name) != NULL)
        return true;
    size_t length = strlen(claim->meta.name) + 1;
    struct kept *node = memory_allocate(sizeof *node + length);
    memcpy(node->claim, claim->meta.name, length);
    node->since_ns = now_of(kept);
    node->command = command_of(kept, node->claim)->number;
    map_set(kept->nodes, node->claim, node);
    nominations_keep_closed(kept->nominations, node->claim, true);
    return true;
}

bool kept_replacements_any(const struct kept_replacements *kept)
{
    return map_count(kept->nodes) > 0;
}

// --- the review ----------------------------------------------------------------------------------
static struct watched *watch(struct kept_replacements *kept, uint64_t command)
{
    vector_for_each (watched, &kept->watched)
        if (watched->command == command)
            return watched;
    vector_push(&kept->watched, (struct watched){.command = command, .since_ns = now_of(kept)});
    return &kept->watched.items[kept->watched.count - 1];
}

static uint32_t count_to_evict(const struct kept_replacements *kept,
                               const struct disruption_command *command)
{
    uint32_t count = 0;
    list_for_each (entry, &command->nodes)
        count += pods_to_evict_on(kept->control, kept->evictions, entry);
    return count;
}

struct places { // of a command that no pod has taken yet
    uint32_t kept;
    uint32_t awaited; // of them: for pods that are yet to be created, or to be evicted
};

static struct places places_of(const struct kept_replacements *kept, uint64_t command)
{
    struct places places = {0};
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = map_next(entry)) {
        const struct kept *node = map_value(entry);
        if (node->command != command)
            continue;
        places.kept += cluster_kept_places(kept->control->cluster, node->claim);
        places.awaited += cluster_awaited_places(kept->control->cluster, node->claim);
    }
    return places;
}

// Places are taken at a pace at which the rest takes no longer than full nodes wait.
static void look_at_pace(struct watched *watched, uint32_t places, int64_t now_ns)
{
    if (places >= watched->most) {
        watched->most = places;
        watched->first_ns = now_ns;
    }
    uint32_t taken = watched->most - places;
    int64_t since_ns = ns_subtract(now_ns, watched->first_ns);
    watched->is_soon_due = taken > 0 && ns_multiply(since_ns, places) / taken <= FULL_NS;
}

// All pods of the command have come: also those for existing nodes, which an open node would draw,
// and those of other commands for its places, since its own pods may have taken theirs. Or the wait
// for them has reached a limit. When it takes long, the nodes that are full open before the others:
// no other pod finds room there.
static void look(struct kept_replacements *kept, struct watched *watched,
                 const struct disruption_command *command)
{
    int64_t now_ns = now_of(kept);
    struct places places = places_of(kept, watched->command);
    uint32_t to_evict = command != NULL ? count_to_evict(kept, command) : 0;
    bool awaits = eviction_queue_awaits(kept->evictions, watched->command);
    bool is_first = watched->last_ns == 0;
    bool is_done = to_evict == 0 && !awaits;
    if (is_first || awaits || places.kept != watched->places || to_evict != watched->to_evict)
        kept->last_ns = watched->last_ns = now_ns;
    if (!is_done || watched->done_ns == 0)
        watched->done_ns = is_done ? now_ns : 0;
    look_at_pace(watched, places.kept, now_ns);
    watched->places = places.kept;
    watched->to_evict = to_evict;
    watched->is_due = (is_done && places.awaited == 0) ||
                      ns_subtract(now_ns, is_done ? kept->last_ns : watched->last_ns) >= PAUSE_NS ||
                      ns_subtract(now_ns, watched->since_ns) >= EMPTY_NS ||
                      (is_done && ns_subtract(now_ns, watched->done_ns) >= FILL_NS);
}

static bool has_waited(const struct kept_replacements *kept, const struct kept *node,
                       int64_t limit_ns)
{
    return node->first_ns != 0 && ns_subtract(now_of(kept), node->first_ns) >= limit_ns;
}

// All pods of the node have come.
static bool is_full(const struct kept_replacements *kept, const struct kept *node)
{
    return node->first_ns != 0 && cluster_kept_places(kept->control->cluster, node->claim) == 0;
}

static void look_at_node(struct kept_replacements *kept, struct kept *node)
{
    const struct node_claim *claim = find_claim(kept->control, node->claim);
    if (claim == NULL || wait_of(kept, node->claim) != WAITS_FOR_PODS)
        return;
    struct watched *watched = watch(kept, node->command);
    if (!watched->is_used)
        look(kept, watched, command_of(kept, node->claim));
    watched->is_used = true;
    if (node->first_ns == 0 && cluster_waiting_count(kept->control->cluster, claim) > 0)
        node->first_ns = now_of(kept);
    if (is_full(kept, node) && has_waited(kept, node, watched->is_soon_due ? FILL_NS : FULL_NS))
        watched->is_partly_due = true;
}

static void look_at_commands(struct kept_replacements *kept)
{
    pods_to_evict_count(kept->control, kept->commands, kept->evictions);
    vector_for_each (watched, &kept->watched)
        watched->is_used = watched->is_partly_due = false;
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = map_next(entry))
        look_at_node(kept, map_value(entry));
    for (uint32_t i = kept->watched.count; i-- > 0;)
        if (!kept->watched.items[i].is_used)
            kept->watched.items[i] = kept->watched.items[--kept->watched.count];
}

static bool is_due(struct kept_replacements *kept, const struct kept *node)
{
    enum wait wait = wait_of(kept, node->claim);
    if (wait == WAITS_FOR_PODS) {
        const struct watched *watched = watch(kept, node->command);
        return watched->is_due || (watched->is_partly_due && is_full(kept, node)) ||
               has_waited(kept, node, FILL_NS);
    }
    return wait == WAITS_FOR_NOTHING || ns_subtract(now_of(kept), node->since_ns) >= EMPTY_NS;
}

// --- nodes that open together --------------------------------------------------------------------
static void open_node(struct kept_replacements *kept, struct kept *node)
{
    map_remove(kept->nodes, node->claim);
    nominations_keep_closed(kept->nominations, node->claim, false);
    cluster_note_opening(kept->control->cluster, node->claim);
    wake(&kept->control->manager, WAKE_LIFECYCLE, node->claim);
    free(node);
}

// Nodes whose NodeClaim is gone are forgotten. The caller frees the result.
static const struct node_claim **list_due(struct kept_replacements *kept, uint32_t *count)
{
    struct map_entry *next;
    const struct node_claim **claims =
        memory_allocate_array(map_count(kept->nodes) + 1, sizeof *claims);
    *count = 0;
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = next) {
        struct kept *node = map_value(entry);
        const struct node_claim *claim = find_claim(kept->control, node->claim);
        next = map_next(entry);
        if (claim == NULL)
            open_node(kept, node);
        else if (is_due(kept, node))
            claims[(*count)++] = claim;
    }
    return claims;
}

static void begin_group(struct kept_replacements *kept)
{
    uint32_t count;
    const struct node_claim **claims = list_due(kept, &count);
    if (count > 0)
        opening_group_begin(kept->group, claims, count);
    nominations_set_opening(kept->nominations, count > 0);
    free(claims);
}

static void end_group(struct kept_replacements *kept)
{
    opening_group_end(kept->group);
    nominations_set_opening(kept->nominations, false);
    kept->last_ns = now_of(kept); // no pod could come meanwhile
    vector_for_each (watched, &kept->watched)
        watched->last_ns = kept->last_ns;
}

static void open_group(struct kept_replacements *kept)
{
    uint32_t count;
    const struct node_claim **claims = opening_group_claims(kept->group, &count);
    for (uint32_t i = 0; i < count; i++)
        open_node(kept, map_get(kept->nodes, claims[i]->meta.name));
    nominations_set_opening(kept->nominations, false);
    free(claims);
}

static void advance_group(struct kept_replacements *kept, bool may_open)
{
    int64_t opened_ns = opening_group_opened_ns(kept->group);
    if (opening_group_advance(kept->group, may_open))
        open_group(kept);
    else if (opened_ns == 0 &&
             ns_subtract(now_of(kept), opening_group_begun_ns(kept->group)) >= HOLD_NS)
        nominations_set_opening(kept->nominations, false);
    else if (opening_group_is_over(kept->group) && ns_subtract(now_of(kept), opened_ns) >= BREAK_NS)
        end_group(kept);
}

bool kept_replacements_prepare(const struct kept_replacements *kept, const char *claim)
{
    return map_get(kept->nodes, claim) != NULL && opening_group_prepares(kept->group, claim);
}

bool kept_replacements_have_the_turn(const struct kept_replacements *kept)
{
    return opening_group_has_the_turn(kept->group);
}

static void open_all(struct kept_replacements *kept)
{
    struct map_entry *next;
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = next) {
        next = map_next(entry);
        open_node(kept, map_value(entry));
    }
    end_group(kept);
}

bool kept_replacements_review(struct kept_replacements *kept, bool may_keep, bool may_open)
{
    if (!may_keep) {
        open_all(kept);
        return false;
    }
    if (opening_group_is_empty(kept->group)) {
        look_at_commands(kept);
        if (may_open)
            begin_group(kept);
    }
    if (!opening_group_is_empty(kept->group))
        advance_group(kept, may_open);
    return map_count(kept->nodes) > 0 || !opening_group_is_empty(kept->group);
}
