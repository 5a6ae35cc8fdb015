#include "control/command/consolidation_history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "control/command/savings.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"

#define MEMORY_NS        (24 * HOUR)
#define TYPES_MAX        8  // of one side of a move that are remembered
#define WORKLOADS_MAX    32 // of one move
#define MOVES_MAX        2000
#define REGRET_NS        (15 * MINUTE)
#define REGRET_WINDOW_NS HOUR
#define REGRETS          2

struct types { // instance types
    char *names[TYPES_MAX];
    uint32_t count;
};
struct ledger_move {
    char id[37];  // of the command; empty: unknown
    int64_t time; // wall clock
    char *pool;
    struct types from, to;
    uint64_t workloads[WORKLOADS_MAX]; // hashes of their owners' UIDs
    uint32_t workloads_count;
    bool is_loop;
    bool is_back; // its opposite was undone: consolidation_history_undone()
};
struct ledger_pool {
    int64_t regret_ns, last_regret_ns; // monotonic: the last but one, and the last; 0: none
    struct {
        char *instance_type;
        int64_t at_ns;
    } emptied[64]; // a ring of the last ones
    uint32_t next;
};

struct consolidation_history {
    struct control *control;
    struct savings *savings;
    VECTOR(struct ledger_move *) moves; // oldest first
    struct map *pools;                  // struct ledger_pool by name
};

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object);

struct consolidation_history *consolidation_history_create(struct control *control,
                                                           struct savings *savings)
{
    struct consolidation_history *ledger = memory_allocate(sizeof *ledger);
    ledger->control = control;
    ledger->savings = savings;
    ledger->pools = map_create();
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, ledger);
    return ledger;
}

static void types_free(struct types *types)
{
    for (uint32_t i = 0; i < types->count; i++)
        free(types->names[i]);
    types->count = 0;
}

static void move_destroy(struct ledger_move *move)
{
    types_free(&move->from);
    types_free(&move->to);
    free(move->pool);
    free(move);
}

static void pool_destroy(void *value)
{
    struct ledger_pool *pool = value;
    for (size_t i = 0; i < ARRAY_LENGTH(pool->emptied); i++)
        free(pool->emptied[i].instance_type);
    free(pool);
}

void consolidation_history_destroy(struct consolidation_history *ledger)
{
    if (ledger == NULL)
        return;
    for (uint32_t i = 0; i < ledger->moves.count; i++)
        move_destroy(ledger->moves.items[i]);
    vector_free(&ledger->moves);
    map_destroy(ledger->pools, pool_destroy);
    free(ledger);
}

static bool is_off(const struct consolidation_history *ledger)
{
    return !ledger->control->strategy->remembers_consolidation;
}

// --- moves ---------------------------------------------------------------------------------------
static bool has_type(const struct types *types, const char *name)
{
    for (uint32_t i = 0; i < types->count; i++)
        if (strcmp(types->names[i], name) == 0)
            return true;
    return false;
}

static void add_type(struct types *types, const char *name)
{
    if (name != NULL && *name != '\0' && types->count < TYPES_MAX && !has_type(types, name))
        types->names[types->count++] = memory_copy_string(name);
}

static bool any_common_type(const struct types *a, const struct types *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (has_type(b, a->names[i]))
            return true;
    return false;
}

static bool any_common_workload(const struct ledger_move *a, const struct ledger_move *b)
{
    for (uint32_t i = 0; i < a->workloads_count; i++)
        for (uint32_t j = 0; j < b->workloads_count; j++)
            if (a->workloads[i] == b->workloads[j])
                return true;
    return false;
}

static void add_workload(struct ledger_move *move, const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    const char *uid = owner != NULL ? owner->uid : pod->meta.uid;
    if (uid == NULL)
        return;
    uint64_t hash = hash_string(uid);
    for (uint32_t i = 0; i < move->workloads_count; i++)
        if (move->workloads[i] == hash)
            return;
    if (move->workloads_count < WORKLOADS_MAX)
        move->workloads[move->workloads_count++] = hash;
}

static void add_workloads(const struct control *control, struct ledger_move *move, const char *node)
{
    const struct pod_list *pods = cluster_pods(control->cluster, node);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pod_needs_place(pods->items[i]))
            add_workload(move, pods->items[i]);
}

static void forget_old(struct consolidation_history *ledger)
{
    int64_t now = manager_now(&ledger->control->manager);
    uint32_t old = 0;
    while (old < ledger->moves.count &&
           (ns_subtract(now, ledger->moves.items[old]->time) > MEMORY_NS ||
            ledger->moves.count - old > MOVES_MAX))
        move_destroy(ledger->moves.items[old++]);
    if (old == 0)
        return;
    ledger->moves.count -= old;
    memmove(ledger->moves.items, ledger->moves.items + old,
            ledger->moves.count * sizeof *ledger->moves.items);
}

// DIS-748.
static bool undoes(const struct ledger_move *move, const struct ledger_move *earlier)
{
    return strcmp(move->pool, earlier->pool) == 0 && any_common_type(&move->to, &earlier->from) &&
           any_common_type(&move->from, &earlier->to) && any_common_workload(move, earlier);
}

static void report_loop(struct consolidation_history *ledger, const struct ledger_move *move,
                        const struct ledger_move *earlier)
{
    struct control *control = ledger->control;
    const struct node_pool *pool = find_pool(control, move->pool);
    metric_add(control->metrics.consolidation_loops, 1, move->pool);
    if (pool != NULL && move->from.count > 0 && move->to.count > 0)
        publish(
            &control->manager, (const struct object *)pool, EVENT_CONSOLIDATION_LOOP,
            "consolidation loop: %s replaces %s, which had %s within 24 h; neither replaces the "
            "other any more for 24 h",
            move->to.names[0], move->from.names[0],
            earlier->is_back ? "come back after it was replaced so" : "replaced it");
}

static void annotate(const struct ledger_move *move, struct disruption_command *command)
{
    char instant[INSTANT_TEXT_MAX];
    struct text text = {0};
    instant_format(move->time, instant);
    text_format(&text, "%s %s", instant, move->is_loop ? "loop" : "once");
    for (uint32_t i = 0; i < move->from.count; i++)
        text_format(&text, " %s", move->from.names[i]);
    list_for_each (replacement, &command->replacements)
        if (replacement->body != NULL)
            json_object_set_new(json_metadata(replacement->body, "annotations"),
                                ANNOTATION_REPLACES, json_string(text.data));
    text_free(&text);
}

void consolidation_history_begin(struct consolidation_history *ledger,
                                 struct disruption_command *command)
{
    struct control *control = ledger->control;
    if (is_off(ledger) || command->replacements.count == 0 ||
        command->reason != DISRUPTION_UNDERUTILIZED)
        return;
    forget_old(ledger);
    struct ledger_move *move = memory_allocate(sizeof *move);
    memcpy(move->id, command->id, sizeof move->id);
    move->time = manager_now(&control->manager);
    move->pool = memory_copy_string(command->nodes.items[0].pool);
    list_for_each (entry, &command->nodes) {
        add_type(&move->from, entry->instance_type);
        add_workloads(control, move, entry->node);
    }
    list_for_each (replacement, &command->replacements)
        if (replacement->types.count > 0)
            add_type(&move->to, replacement->types.items[0]);
    const struct ledger_move *earlier = NULL;
    for (uint32_t i = 0; i < ledger->moves.count && earlier == NULL; i++)
        if (undoes(move, ledger->moves.items[i]))
            earlier = ledger->moves.items[i];
    move->is_loop = earlier != NULL;
    if (earlier != NULL)
        report_loop(ledger, move, earlier);
    annotate(move, command);
    vector_push(&ledger->moves, move);
}

const struct guarded_move *consolidation_history_frozen(struct consolidation_history *ledger,
                                                        struct arena *arena, uint32_t *count)
{
    forget_old(ledger);
    uint32_t most = 0;
    for (uint32_t i = 0; i < ledger->moves.count; i++)
        most += ledger->moves.items[i]->is_loop ? 2 * TYPES_MAX * TYPES_MAX : 0;
    struct guarded_move *frozen = arena_allocate_array(arena, most + 1, sizeof *frozen);
    *count = 0;
    for (uint32_t i = 0; i < ledger->moves.count; i++) {
        const struct ledger_move *move = ledger->moves.items[i];
        if (!move->is_loop)
            continue;
        const char *pool = arena_copy_string(arena, move->pool);
        for (uint32_t f = 0; f < move->from.count; f++)
            for (uint32_t t = 0; t < move->to.count; t++) {
                const char *from = arena_copy_string(arena, move->from.names[f]);
                const char *to = arena_copy_string(arena, move->to.names[t]);
                frozen[(*count)++] = (struct guarded_move){pool, from, to};
                frozen[(*count)++] = (struct guarded_move){pool, to, from};
            }
    }
    return frozen;
}

// --- outcomes of moves ---------------------------------------------------------------------------
static struct ledger_move *move_of(struct consolidation_history *ledger, const char *id)
{
    for (uint32_t i = ledger->moves.count; i-- > 0;)
        if (strcmp(ledger->moves.items[i]->id, id) == 0)
            return ledger->moves.items[i];
    return NULL;
}

void consolidation_history_end(struct consolidation_history *ledger,
                               const struct disruption_command *command)
{
    struct control *control = ledger->control;
    if (is_off(ledger) || command->reason == DISRUPTION_DRIFTED)
        return;
    struct ledger_move *move = move_of(ledger, command->id);
    int64_t launched = 0;
    if (move != NULL && command->replacements.count > 0)
        types_free(&move->to); // what came in the end counts
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = find_claim(control, replacement->name);
        if (claim == NULL)
            continue;
        launched += claim_price(control, claim, NULL);
        if (move != NULL)
            add_type(&move->to, object_label((const struct object *)claim, LABEL_INSTANCE_TYPE));
    }
    savings_note(ledger->savings, command, launched);
}

static void copy_types(struct types *to, const struct types *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        add_type(to, from->names[i]);
}

void consolidation_history_undone(struct consolidation_history *ledger, const char *id)
{
    const struct ledger_move *move = move_of(ledger, id);
    if (move == NULL)
        return;
    struct ledger_move *back = memory_allocate(sizeof *back);
    back->time = manager_now(&ledger->control->manager);
    back->is_back = true;
    back->pool = memory_copy_string(move->pool);
    copy_types(&back->from, &move->to);
    copy_types(&back->to, &move->from);
    memcpy(back->workloads, move->workloads, sizeof back->workloads);
    back->workloads_count = move->workloads_count;
    vector_push(&ledger->moves, back);
}

// --- regretted emptiness (DIS-752) ---------------------------------------------------------------
void consolidation_history_emptied(struct consolidation_history *ledger, const char *pool,
                                   const char *instance_type)
{
    if (is_off(ledger))
        return;
    struct ledger_pool *entry = map_ensure(ledger->pools, pool, sizeof *entry);
    uint32_t at = entry->next++ % ARRAY_LENGTH(entry->emptied);
    free(entry->emptied[at].instance_type);
    entry->emptied[at].instance_type = memory_copy_string(instance_type);
    entry->emptied[at].at_ns = loop_monotonic_ns(ledger->control->manager.loop);
}

// Regrets of one wave count once: the next regret is of a node emptied after the last one.
static void regret(struct consolidation_history *ledger, struct ledger_pool *entry,
                   const char *pool, int64_t emptied_ns)
{
    struct control *control = ledger->control;
    if (entry->last_regret_ns != 0 && emptied_ns <= entry->last_regret_ns)
        return;
    entry->regret_ns = entry->last_regret_ns;
    entry->last_regret_ns = loop_monotonic_ns(control->manager.loop);
    const struct node_pool *object = find_pool(control, pool);
    if (consolidation_history_quiet_ns(ledger, pool) > 0 && object != NULL)
        publish(&control->manager, (const struct object *)object, EVENT_CONSOLIDATION_DELAYED,
                "nodes that were removed as empty were launched again within 15 min, twice within "
                "an hour: empty nodes are kept for 15 min until an hour passes without");
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct consolidation_history *ledger = context;
    (void)change;
    if (new_object == NULL || node_claim_is_launched((const struct node_claim *)old_object) ||
        !node_claim_is_launched((const struct node_claim *)new_object) ||
        object_annotation(new_object, ANNOTATION_DISRUPTION_COMMAND) != NULL)
        return;
    const char *pool = object_label(new_object, LABEL_NODE_POOL);
    const char *type = object_label(new_object, LABEL_INSTANCE_TYPE);
    struct ledger_pool *entry = pool != NULL ? map_get(ledger->pools, pool) : NULL;
    int64_t now_ns = loop_monotonic_ns(ledger->control->manager.loop), emptied_ns = 0;
    for (size_t i = 0; entry != NULL && i < ARRAY_LENGTH(entry->emptied); i++)
        if (text_equal(entry->emptied[i].instance_type, type) &&
            ns_subtract(now_ns, entry->emptied[i].at_ns) <= REGRET_NS &&
            entry->emptied[i].at_ns > emptied_ns)
            emptied_ns = entry->emptied[i].at_ns;
    // Placeholders of buffers do not count: their owner adds and removes them.
    if (emptied_ns > 0 &&
        cluster_is_awaited(ledger->control->cluster, (const struct node_claim *)new_object))
        regret(ledger, entry, pool, emptied_ns);
}

int64_t consolidation_history_quiet_ns(const struct consolidation_history *ledger, const char *pool)
{
    const struct ledger_pool *entry = map_get(ledger->pools, pool);
    int64_t now_ns = loop_monotonic_ns(ledger->control->manager.loop);
    bool is_delayed = entry != NULL && entry->regret_ns != 0 &&
                      ns_subtract(entry->last_regret_ns, entry->regret_ns) <= REGRET_WINDOW_NS &&
                      ns_subtract(now_ns, entry->last_regret_ns) <= REGRET_WINDOW_NS;
    return is_delayed ? REGRET_NS : 0;
}

// --- after a restart -----------------------------------------------------------------------------
// "2026-01-01T00:00:00Z once m5.large c5.large".
static void recover_move(struct consolidation_history *ledger, const struct node_claim *claim)
{
    struct control *control = ledger->control;
    const struct object *object = (const struct object *)claim;
    char *text CLEANUP_FREE = memory_copy_string(object_annotation(object, ANNOTATION_REPLACES));
    char *rest = NULL, *time = strtok_r(text, " ", &rest), *kind = strtok_r(NULL, " ", &rest);
    struct ledger_move *move = memory_allocate(sizeof *move);
    struct error error = {0};
    move->pool = memory_copy_string(label_or_empty(object, LABEL_NODE_POOL));
    if (time == NULL || kind == NULL || !instant_parse(time, &move->time, &error) ||
        ns_subtract(manager_now(&control->manager), move->time) > MEMORY_NS) {
        move_destroy(move);
        return;
    }
    struct command_mark mark;
    if (command_mark_read(object, &mark))
        memcpy(move->id, mark.id, sizeof move->id);
    move->is_loop = strcmp(kind, "loop") == 0;
    for (char *type; (type = strtok_r(NULL, " ", &rest)) != NULL;)
        add_type(&move->from, type);
    add_type(&move->to, object_label(object, LABEL_INSTANCE_TYPE));
    const struct node *node = cluster_node_of(control->cluster, claim, NULL);
    if (node != NULL)
        add_workloads(control, move, node->meta.name);
    vector_push(&ledger->moves, move);
}

static int compare_moves(const void *a, const void *b)
{
    int64_t x = (*(struct ledger_move *const *)a)->time,
            y = (*(struct ledger_move *const *)b)->time;
    return x < y ? -1 : x > y;
}

void consolidation_history_recover(struct consolidation_history *ledger)
{
    struct mirror_iterator iterator = {0};
    if (is_off(ledger))
        return;
    for (const struct object *claim; (claim = mirror_next(ledger->control->manager.mirror,
                                                          KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (object_annotation(claim, ANNOTATION_REPLACES) != NULL)
            recover_move(ledger, (const struct node_claim *)claim);
    if (ledger->moves.count > 1)
        qsort(ledger->moves.items, ledger->moves.count, sizeof(struct ledger_move *),
              compare_moves);
}
