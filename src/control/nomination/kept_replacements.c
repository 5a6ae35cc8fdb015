#include "control/nomination/kept_replacements.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/node/eviction_queue.h"
#include "control/nomination/group_order.h"
#include "control/nomination/opening_order.h"
#include "control/nomination/scheduler_quiet.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/nominations.h"
#include "model/reading/pod.h"

#define EMPTY_NS   (5 * MINUTE)         // until the command's other replacements are ready
#define PAUSE_NS   (3 * SECOND)         // without an arrival on any replacement of the command
#define FILL_NS    (20 * SECOND)        // from the first arrival on
#define PREPARE_NS (1500 * MILLISECOND) // for nominations
#define BIND_NS    SECOND               // for open nodes' pods to be bound

enum wait { WAITS_FOR_NOTHING, WAITS_FOR_EVICTION, WAITS_FOR_PODS };

struct kept {
    int64_t since_ns; // monotonic
    // Monotonic: first and last arrival of one of its pods, or the eviction's begin; 0: not yet.
    int64_t first_ns, last_ns;
    uint32_t places;   // left at the last review
    uint32_t to_evict; // pods of the command, then
    bool is_in_group;
    uint64_t command; // its number
    char claim[];
};

struct kept_replacements {
    struct control *control;
    const struct commands *commands;
    const struct eviction_queue *evictions;
    struct nominations *nominations; // the cluster state's
    kept_replacements_prepared *is_prepared;
    void *context;
    struct map *nodes; // struct kept by NodeClaim
    // The nodes that open next, together. Monotonic: chosen, nominated for, opened; 0: not yet.
    int64_t group_ns, nominated_ns, opened_ns;
};

struct kept_replacements *kept_replacements_create(struct control *control,
                                                   const struct commands *commands,
                                                   const struct eviction_queue *evictions,
                                                   kept_replacements_prepared *is_prepared,
                                                   void *context)
{
    struct kept_replacements *kept = memory_allocate(sizeof *kept);
    *kept = (struct kept_replacements){.control = control,
                                       .commands = commands,
                                       .evictions = evictions,
                                       .nominations = cluster_nominations(control->cluster),
                                       .is_prepared = is_prepared,
                                       .context = context,
                                       .nodes = map_create()};
    return kept;
}

void kept_replacements_destroy(struct kept_replacements *kept)
{
    if (kept == NULL)
        return;
    map_destroy(kept->nodes, free);
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

static enum wait wait_of(const struct disruption_command *command, const char *claim)
{
    if (command == NULL || !has_pods_to_come(command, claim))
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

static const struct disruption_command *command_of(const struct kept_replacements *kept,
                                                   const char *claim)
{
    return commands_of_replacement(kept->commands, claim);
}

// A controller that removes startup taints expects to find only its own, so such nodes stay out.
bool kept_replacements_applies(const struct kept_replacements *kept, const struct node_claim *claim)
{
    return claim->spec.startup_taints.count == 0 &&
           wait_of(command_of(kept, claim->meta.name), claim->meta.name) != WAITS_FOR_NOTHING;
}

// --- nodes that are kept closed ------------------------------------------------------------------
static bool has(const struct kept_replacements *kept, const char *claim)
{
    return map_get(kept->nodes, claim) != NULL;
}

bool kept_replacements_begin(struct kept_replacements *kept, const struct node_claim *claim)
{
    if (!kept_replacements_applies(kept, claim))
        return false;
    if (has(kept, claim->meta.name))
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
static void note_arrivals(struct kept_replacements *kept, struct kept *node, uint32_t to_evict)
{
    uint32_t places = cluster_kept_places(kept->control->cluster, node->claim);
    int64_t now_ns = now_of(kept);
    if (node->last_ns != 0 && places < node->places && node->first_ns == 0)
        node->first_ns = now_ns;
    if (node->last_ns == 0 || places != node->places || to_evict != node->to_evict)
        node->last_ns = now_ns;
    node->places = places;
    node->to_evict = to_evict;
}

// The last arrival of a pod on any of the command's replacements.
static int64_t last_arrival(const struct kept_replacements *kept, uint64_t command)
{
    int64_t last_ns = INT64_MIN;
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = map_next(entry)) {
        const struct kept *node = map_value(entry);
        if (node->command == command && node->last_ns > last_ns)
            last_ns = node->last_ns;
    }
    return last_ns;
}

// Pods of the command that are yet to be evicted, without those whose eviction waits for other
// pods, which may wait for its replacements.
static uint32_t count_to_evict(const struct kept_replacements *kept,
                               const struct disruption_command *command)
{
    uint32_t count = 0;
    list_for_each (entry, &command->nodes) {
        const struct pod_list *pods = cluster_pods(kept->control->cluster, entry->node);
        for (uint32_t i = 0; i < pods->count; i++)
            count += pod_is_active(pods->items[i]) && !pod_owned_by_daemon_set(pods->items[i]) &&
                     !pod_owned_by_node(pods->items[i]) &&
                     !eviction_queue_is_put_off(kept->evictions, pods->items[i]);
    }
    return count;
}

// The node's pods have come; so have the command's others, which an open node would draw.
static bool is_complete(struct kept_replacements *kept, const struct kept *node,
                        const struct disruption_command *command)
{
    return count_to_evict(kept, command) == 0 &&
           !eviction_queue_awaits(kept->evictions, node->command);
}

static bool is_due(struct kept_replacements *kept, struct kept *node)
{
    int64_t now_ns = now_of(kept);
    const struct disruption_command *command = command_of(kept, node->claim);
    enum wait wait = wait_of(command, node->claim);
    if (wait != WAITS_FOR_PODS)
        return wait == WAITS_FOR_NOTHING || ns_subtract(now_ns, node->since_ns) >= EMPTY_NS;
    note_arrivals(kept, node, count_to_evict(kept, command));
    return is_complete(kept, node, command) ||
           (node->first_ns != 0 && ns_subtract(now_ns, node->first_ns) >= FILL_NS) ||
           ns_subtract(now_ns, last_arrival(kept, node->command)) >= PAUSE_NS;
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

// The caller frees the result.
static const struct node_claim **group_claims(const struct kept_replacements *kept, uint32_t *count)
{
    const struct node_claim **claims =
        memory_allocate_array(map_count(kept->nodes) + 1, sizeof *claims);
    *count = 0;
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = map_next(entry)) {
        const struct kept *node = map_value(entry);
        const struct node_claim *claim =
            node->is_in_group ? find_claim(kept->control, node->claim) : NULL;
        if (claim != NULL)
            claims[(*count)++] = claim;
    }
    return claims;
}

static void begin_group(struct kept_replacements *kept)
{
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = map_next(entry)) {
        struct kept *node = map_value(entry);
        node->is_in_group = is_due(kept, node);
        if (node->is_in_group)
            kept->group_ns = now_of(kept);
    }
    kept->nominated_ns = kept->opened_ns = 0;
    nominations_hold_evictions(kept->nominations, kept->group_ns != 0);
}

static void end_group(struct kept_replacements *kept)
{
    kept->group_ns = kept->nominated_ns = kept->opened_ns = 0;
    nominations_hold_evictions(kept->nominations, false);
}

static void nominate_group(struct kept_replacements *kept)
{
    uint32_t count;
    const struct node_claim **claims = group_claims(kept, &count);
    group_order_apply(kept->control, claims, count);
    kept->nominated_ns = now_of(kept);
    free(claims);
}

static bool group_is_prepared(const struct kept_replacements *kept)
{
    for (struct map_entry *entry = map_first(kept->nodes); entry != NULL; entry = map_next(entry)) {
        const struct kept *node = map_value(entry);
        if (node->is_in_group && !kept->is_prepared(kept->context, node->claim))
            return false;
    }
    return true;
}

static void open_group(struct kept_replacements *kept)
{
    uint32_t count;
    const struct node_claim **claims = group_claims(kept, &count);
    opening_order(kept->control, claims, count);
    for (uint32_t i = 0; i < count; i++)
        open_node(kept, map_get(kept->nodes, claims[i]->meta.name));
    kept->opened_ns = now_of(kept);
    free(claims);
}

static void advance_group(struct kept_replacements *kept)
{
    int64_t now_ns = now_of(kept);
    if (kept->opened_ns != 0) {
        if (ns_subtract(now_ns, kept->opened_ns) >= BIND_NS)
            end_group(kept);
    } else if (kept->nominated_ns == 0) {
        if (scheduler_is_quiet(kept->control, kept->group_ns))
            nominate_group(kept);
    } else if (group_is_prepared(kept) || ns_subtract(now_ns, kept->nominated_ns) >= PREPARE_NS) {
        open_group(kept);
    }
}

bool kept_replacements_prepare(const struct kept_replacements *kept, const char *claim)
{
    const struct kept *node = map_get(kept->nodes, claim);
    return node != NULL && node->is_in_group && kept->nominated_ns != 0;
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

bool kept_replacements_review(struct kept_replacements *kept, bool may_keep)
{
    if (!may_keep) {
        open_all(kept);
        return false;
    }
    if (kept->group_ns == 0)
        begin_group(kept);
    if (kept->group_ns != 0)
        advance_group(kept);
    return map_count(kept->nodes) > 0 || kept->group_ns != 0;
}
