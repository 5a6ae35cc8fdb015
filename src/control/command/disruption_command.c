#include "control/command/disruption_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "control/state/claim_name.h"
#include "control/state/cluster.h"
#include "model/reading/pod.h"

#define ID_LENGTH       36
#define NAMED_TYPES_MAX 5
#define PARTS_MAX       10000 // nodes or replacements that a mark may speak of
#define FIELD_MAX       32    // of a mark

struct disruption_command *command_create(struct control *control, const char *id,
                                          enum disruption_reason reason,
                                          enum consolidation_type consolidation)
{
    struct disruption_command *command = memory_allocate(sizeof *command);
    command->arena = arena_create(2048);
    command->reason = reason == DISRUPTION_EXPIRED ? DISRUPTION_DRIFTED : reason;
    command->consolidation = consolidation;
    command->created_ns = loop_monotonic_ns(control->manager.loop);
    if (id != NULL)
        memcpy(command->id, id, sizeof command->id);
    else
        random_uuid(&control->manager.random, command->id);
    return command;
}

void command_destroy(struct disruption_command *command)
{
    if (command == NULL)
        return;
    list_for_each (replacement, &command->replacements)
        json_decref(replacement->body);
    arena_destroy(command->arena);
    free(command);
}

void command_reserve(struct disruption_command *command, uint32_t nodes, uint32_t replacements)
{
    command->nodes.items =
        arena_allocate_array(command->arena, nodes + 1, sizeof *command->nodes.items);
    command->replacements.items =
        arena_allocate_array(command->arena, replacements + 1, sizeof *command->replacements.items);
}

// DIS-324: drift has no policy.
static const char *policy_label(const struct disruption_command *command,
                                const struct node_pool *pool)
{
    if (command->reason == DISRUPTION_DRIFTED || pool == NULL)
        return "";
    const char *policy = pool->spec.disruption.consolidation_policy;
    if (text_equal(policy, "WhenEmpty"))
        return "when_empty";
    return text_equal(policy, "Balanced") ? "balanced" : "when_empty_or_underutilized";
}

static char *copy(const struct disruption_command *command, const char *text)
{
    return arena_copy_string(command->arena, text != NULL ? text : "");
}

void command_add_node(struct control *control, struct disruption_command *command,
                      const struct node *node, const struct node_claim *claim)
{
    const struct object *about = (const struct object *)claim;
    const struct pod_list *pods = cluster_pods(control->cluster, node->meta.name);
    struct command_node *entry = &command->nodes.items[command->nodes.count++];
    *entry = (struct command_node){
        .node = copy(command, node->meta.name),
        .claim = copy(command, claim->meta.name),
        .claim_uid = copy(command, claim->meta.uid),
        .pool = copy(command, object_label(about, LABEL_NODE_POOL)),
        .instance_type = copy(command, object_label(about, LABEL_INSTANCE_TYPE)),
        .capacity_type = copy(command, object_label(about, LABEL_CAPACITY_TYPE)),
        .policy = policy_label(command, pool_of_claim(control, claim)),
    };
    for (uint32_t i = 0; i < pods->count; i++)
        entry->pods += pod_needs_place(pods->items[i]);
}

static const char *replacement_name(struct control *control,
                                    const struct disruption_command *command, const char *pool)
{
    char name[CLAIM_NAME_MAX];
    choose_claim_name(control, pool, name);
    return arena_copy_string(command->arena, name);
}

void command_add_replacement_name(struct disruption_command *command, const char *name,
                                  const char *pool)
{
    command->replacements.items[command->replacements.count++] =
        (struct command_replacement){.name = copy(command, name), .pool = copy(command, pool)};
}

// The types of the plan are the types that the replacement may be launched as.
static struct claim_types types_of(struct arena *arena, const struct plan_claim *claim)
{
    struct claim_types types = {0};
    uint32_t count = claim->types.count < CLAIM_TYPES_MAX ? claim->types.count : CLAIM_TYPES_MAX;
    types.types.items = arena_allocate_array(arena, count + 1, sizeof *types.types.items);
    for (uint32_t i = 0; i < count; i++)
        types.types.items[types.types.count++] = claim->types.items[i].instance_type;
    return types;
}

static struct resource_map largest_of(const struct disruption_command *command,
                                      const struct node_pool *pool, const struct claim_types *types)
{
    const struct resource_map *limits = &pool->spec.limits;
    struct resource_map largest = {0};
    largest.items = arena_allocate_array(command->arena, limits->count + 1, sizeof *largest.items);
    list_for_each (limit, limits) {
        int64_t most = 0;
        list_for_each (type, &types->types) {
            int64_t amount = resource_map_get(&(*type)->capacity, limit->name);
            most = amount > most ? amount : most;
        }
        largest.items[largest.count++] =
            (struct resource_quantity){copy(command, limit->name), most};
    }
    return largest;
}

void command_add_replacement(struct control *control, struct disruption_command *command,
                             const struct plan_claim *claim)
{
    const char *pool = claim->node_pool->meta.name;
    command_add_replacement_name(command, replacement_name(control, command, pool), pool);
    struct command_replacement *entry =
        &command->replacements.items[command->replacements.count - 1];
    struct claim_types types = types_of(command->arena, claim);
    entry->is_static = claim->node_pool->spec.replicas.present;
    entry->types.items =
        arena_allocate_array(command->arena, types.types.count + 1, sizeof *entry->types.items);
    list_for_each (type, &types.types)
        entry->types.items[entry->types.count++] = copy(command, (*type)->name);
    entry->largest = largest_of(command, claim->node_pool, &types);
    entry->body = node_claim_body(control, claim, entry->is_static ? NULL : &types, entry->name);
}

// --- planned moves -------------------------------------------------------------------------------
static void add_move(struct disruption_command *command, const struct plan_move *move)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)move->pod);
    command->moves.items[command->moves.count++] = (struct command_move){
        .pod = copy(command, move->pod->meta.uid),
        .workload = copy(command, owner != NULL ? owner->uid : NULL),
        .node = move->where == MOVE_TO_NODE ? copy(command, move->name) : NULL,
        .replacement = move->where == MOVE_TO_REPLACEMENT ? move->replacement : NO_REPLACEMENT,
        .turn = move->turn,
        .is_led = move->is_led};
}

void command_set_moves(struct disruption_command *command, const struct plan_moves *moves)
{
    command->moves.count = 0;
    command->moves.items =
        arena_allocate_array(command->arena, moves->count + 1, sizeof *command->moves.items);
    list_for_each (move, moves)
        add_move(command, move);
    if (moves->count == 0 || command->reason != DISRUPTION_EMPTY)
        return;
    struct text text = {0};
    plan_moves_describe(moves, &text);
    command->moves_text = copy(command, text.data);
    text_free(&text);
}

const struct command_move *command_move_of(const struct disruption_command *command,
                                           const struct pod *pod)
{
    list_for_each (move, &command->moves)
        if (text_equal(move->pod, pod->meta.uid))
            return move;
    return NULL;
}

bool command_is_guided(const struct disruption_command *command)
{
    bool is_guided = false;
    list_for_each (move, &command->moves)
        is_guided = is_guided || move->is_led;
    return is_guided;
}

bool command_plans_places(const struct control *control, const struct disruption_command *command)
{
    return command->reason == DISRUPTION_EMPTY && command_pods(command) > 0 &&
           control->strategy->plans_evicted_pods;
}

// --- texts ---------------------------------------------------------------------------------------
const char *command_decision(const struct disruption_command *command)
{
    return command->replacements.count > 0 ? "replace" : "delete";
}

const char *command_reason_label(const struct disruption_command *command)
{
    return disruption_reason_label(command->reason);
}

const char *command_consolidation_label(const struct disruption_command *command)
{
    return consolidation_type_label(command->consolidation);
}

uint32_t command_pods(const struct disruption_command *command)
{
    uint32_t pods = 0;
    list_for_each (entry, &command->nodes)
        pods += entry->pods;
    return pods;
}

bool command_is_first_of_pool(const struct disruption_command *command, uint32_t node)
{
    for (uint32_t i = 0; i < node; i++)
        if (strcmp(command->nodes.items[i].pool, command->nodes.items[node].pool) == 0)
            return false;
    return true;
}

static void describe_pools(const struct disruption_command *command, struct text *out)
{
    for (uint32_t i = 0; i < command->nodes.count; i++)
        if (command_is_first_of_pool(command, i))
            text_format(out, "%s%s", i > 0 ? "," : "", command->nodes.items[i].pool);
}

static void describe_replacements(const struct disruption_command *command, struct text *out)
{
    uint32_t replacements = command->replacements.count;
    if (replacements > 0)
        text_format(out, " -> [%" PRIu32 " replacement%s]", replacements,
                    replacements > 1 ? "s" : "");
}

// Texts of DIS-380 (with savings) and DIS-381.
static void command_describe(const struct disruption_command *command, struct text *out)
{
    text_format(out, "%s/%s: %s: nodepools=[", disruption_reason_name(command->reason), command->id,
                command_decision(command));
    describe_pools(command, out);
    text_add(out, "]: [");
    for (uint32_t i = 0; i < command->nodes.count; i++)
        text_format(out, "%s%s", i > 0 ? ", " : "", command->nodes.items[i].node);
    text_add(out, "]");
    describe_replacements(command, out);
    text_format(out, " (savings: $%.2f)", (double)command->savings / 1e9);
    if (command->moves_text != NULL)
        text_format(out, ", %s", command->moves_text);
}

void command_describe_part(const struct disruption_command *command,
                           const struct command_node *entry, struct text *out)
{
    text_format(out, "%s: [%s]", command_decision(command), entry->node);
    if (command->nodes.count == 1)
        describe_replacements(command, out);
    else
        text_format(out, " (part of %" PRIu32 "-node consolidation)", command->nodes.count);
}

static json_t *nodes_json(const struct disruption_command *command)
{
    json_t *nodes = json_array();
    list_for_each (entry, &command->nodes)
        json_array_append_new(nodes, json_pack("{s:{s:s}, s:{s:s}, s:s, s:s}", "Node", "name",
                                               entry->node, "NodeClaim", "name", entry->claim,
                                               "instance-type", entry->instance_type,
                                               "capacity-type", entry->capacity_type));
    return nodes;
}

static bool names_value(const json_t *requirement, const char *value)
{
    size_t index;
    json_t *named;
    json_array_foreach (json_object_get(requirement, "values"), index, named)
        if (text_equal(json_string_value(named), value))
            return true;
    return false;
}

// An unconstrained key allows every value.
static bool allows_capacity_type(const json_t *requirements, const char *value)
{
    size_t index;
    json_t *requirement;
    json_array_foreach (requirements, index, requirement) {
        const char *operator= json_string_value(json_object_get(requirement, "operator"));
        if (!text_equal(json_string_value(json_object_get(requirement, "key")),
                        LABEL_CAPACITY_TYPE))
            continue;
        if ((text_equal(operator, "In") && !names_value(requirement, value)) ||
            (text_equal(operator, "NotIn") && names_value(requirement, value)))
            return false;
    }
    return true;
}

// The capacity type that the replacement will most likely have (DIS-381).
static const char *capacity_type_of(const struct command_replacement *replacement)
{
    const json_t *requirements =
        json_object_get(json_object_get(replacement->body, "spec"), "requirements");
    if (allows_capacity_type(requirements, CAPACITY_TYPE_RESERVED))
        return CAPACITY_TYPE_RESERVED;
    return allows_capacity_type(requirements, CAPACITY_TYPE_SPOT) ? CAPACITY_TYPE_SPOT
                                                                  : CAPACITY_TYPE_ON_DEMAND;
}

static json_t *replacements_json(const struct disruption_command *command)
{
    json_t *replacements = json_array();
    list_for_each (replacement, &command->replacements) {
        json_t *entry = json_pack("{s:s}", "capacity-type", capacity_type_of(replacement));
        struct text names = {0};
        for (uint32_t i = 0; i < replacement->types.count && i < NAMED_TYPES_MAX; i++)
            text_join(&names, ", ", replacement->types.items[i]);
        if (replacement->types.count > NAMED_TYPES_MAX)
            text_format(&names, " and %" PRIu32 " other(s)",
                        replacement->types.count - NAMED_TYPES_MAX);
        if (command->replacements.count == 1 && names.data != NULL)
            json_object_set_new(entry, "instance-types", json_string(names.data));
        text_free(&names);
        json_array_append_new(replacements, entry);
    }
    return replacements;
}

void command_log_start(const struct disruption_command *command)
{
    struct text text = {0};
    command_describe(command, &text);
    json_t *nodes = nodes_json(command), *replacements = replacements_json(command);
    char *nodes_text CLEANUP_FREE = json_dumps(nodes, JSON_COMPACT);
    char *replacements_text CLEANUP_FREE = json_dumps(replacements, JSON_COMPACT);
    log_info("disrupting node(s)", "s:controller", "disruption", "s:command-id", command->id,
             "s:reason", disruption_reason_name(command->reason), "s:command", text.data,
             "s:decision", command_decision(command), "i:disrupted-node-count",
             (int64_t)command->nodes.count, "i:replacement-node-count",
             (int64_t)command->replacements.count, "i:pod-count", (int64_t)command_pods(command),
             "j:disrupted-nodes", nodes_text, "j:replacement-nodes", replacements_text);
    json_decref(nodes);
    json_decref(replacements);
    text_free(&text);
}

// --- marks ---------------------------------------------------------------------------------------
const char *command_mark_text(struct arena *arena, const struct disruption_command *command)
{
    return arena_format(arena, "%s,%s,%s,%" PRIu32 ",%" PRIu32, command->id,
                        disruption_reason_name(command->reason),
                        command_consolidation_label(command), command->nodes.count,
                        command->replacements.count);
}

// Reads the text up to its next comma and skips the comma. False: there is none, or the field is
// too long for a name.
static bool read_field(const char **text, char field[static FIELD_MAX])
{
    size_t length = strcspn(*text, ",");
    if ((*text)[length] != ',' || length >= FIELD_MAX)
        return false;
    memcpy(field, *text, length);
    field[length] = '\0';
    *text += length + 1;
    return true;
}

static bool read_reason(const char **text, enum disruption_reason *reason)
{
    char field[FIELD_MAX];
    return read_field(text, field) && disruption_reason_parse(field, reason) &&
           *reason != DISRUPTION_EXPIRED;
}

// Drift has no consolidation type; the field is empty.
static bool read_consolidation(const char **text, enum consolidation_type *consolidation)
{
    char field[FIELD_MAX];
    *consolidation = CONSOLIDATION_NONE;
    if (!read_field(text, field))
        return false;
    return field[0] == '\0' ||
           (consolidation_type_parse(field, consolidation) && *consolidation != CONSOLIDATION_NONE);
}

static bool read_count(const char **text, char end, uint32_t *count)
{
    uint32_t value = 0;
    const char *begin = *text;
    for (; **text >= '0' && **text <= '9' && value <= PARTS_MAX; (*text)++)
        value = value * 10 + (uint32_t)(**text - '0');
    if (*text == begin || **text != end || value > PARTS_MAX)
        return false;
    *text += end != '\0';
    *count = value;
    return true;
}

bool command_mark_read(const struct object *object, struct command_mark *mark)
{
    const char *text = object_annotation(object, ANNOTATION_DISRUPTION_COMMAND);
    *mark = (struct command_mark){0};
    if (text == NULL || strlen(text) < ID_LENGTH + 1 || text[ID_LENGTH] != ',')
        return false;
    memcpy(mark->id, text, ID_LENGTH);
    text += ID_LENGTH + 1;
    return read_reason(&text, &mark->reason) && read_consolidation(&text, &mark->consolidation) &&
           read_count(&text, ',', &mark->nodes) && read_count(&text, '\0', &mark->replacements);
}

// --- validation ----------------------------------------------------------------------------------
bool command_is_due(const struct control *control, const struct disruption_command *command)
{
    return command->phase == COMMAND_WAIT && !command->is_checking &&
           loop_monotonic_ns(control->manager.loop) >= command->due_ns;
}

bool command_is_of_emptiness(const struct control *control,
                             const struct disruption_command *command)
{
    return command->reason == DISRUPTION_EMPTY && !command_plans_places(control, command);
}
