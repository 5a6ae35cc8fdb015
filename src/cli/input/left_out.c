#include "cli/input/left_out.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cli/input/unread_kinds.h"
#include "model/tables/kinds.h"

#define GROUPS_MAX 64
#define NAMES_KEPT 1000 // of a group
#define NAMES_TOLD 4

void left_out_free(struct left_out *left_out)
{
    for (uint32_t i = 0; i < left_out->count; i++) {
        struct left_out_group *group = &left_out->items[i];
        for (uint32_t n = 0; n < group->names.count; n++)
            free(group->names.items[n]);
        vector_free(&group->names);
        free(group->kind);
        free(group->cause);
    }
    vector_free(left_out);
}

// --- groups --------------------------------------------------------------------------------------

// The last one holds whatever comes when there are too many; NULL cause: nothing comes of them.
static struct left_out_group *group_of(struct left_out *left_out, const char *kind,
                                       const char *cause)
{
    for (uint32_t i = 0; i < left_out->count; i++) {
        struct left_out_group *group = &left_out->items[i];
        if (text_equal(group->cause, cause) && strcmp(group->kind, kind) == 0)
            return group;
    }
    if (left_out->count == GROUPS_MAX)
        return &left_out->items[GROUPS_MAX - 1];
    struct left_out_group group = {.kind = memory_copy_string(kind)};
    if (left_out->count == GROUPS_MAX - 1) {
        free(group.kind);
        group.kind = memory_copy_string("other objects");
    }
    group.cause = cause != NULL ? memory_copy_string(cause) : NULL;
    vector_push(left_out, group);
    return &left_out->items[left_out->count - 1];
}

static void add(struct left_out *left_out, const char *kind, const char *cause,
                const char *namespace, const char *name, const char *note)
{
    struct left_out_group *group = group_of(left_out, kind, cause);
    struct text text = {0};
    if (group->count++ >= NAMES_KEPT)
        return;
    if (!text_is_empty(namespace) && strcmp(namespace, "default") != 0)
        text_format(&text, "%.253s/", namespace);
    text_format(&text, "%.253s", text_is_empty(name) ? "(without name)" : name);
    if (!text_is_empty(note))
        text_format(&text, " (%s)", note);
    vector_push(&group->names, text_take(&text));
}

static bool refuse(const struct left_out *left_out, const char *kind, const char *name,
                   const char *cause, struct error *error)
{
    return !left_out->strict ||
           error_set(error, ERROR_INVALID, "%.100s %.200s: %s; --strict refuses that", kind,
                     text_or_empty(name), cause);
}

// --- kinds that are not read ---------------------------------------------------------------------

bool left_out_unread(void *context, const json_t *document, struct error *error)
{
    struct left_out *left_out = context;
    const json_t *metadata = json_object_get(document, "metadata");
    const char *kind = text_or_empty(json_string_value(json_object_get(document, "kind")));
    const char *name = json_string_value(json_object_get(metadata, "name"));
    const char *namespace = json_string_value(json_object_get(metadata, "namespace"));
    struct text note = {0}, shown = {0};
    bool relevant;
    text_format(&shown, "%.100s", kind);
    text_repair(shown.data);
    const char *cause = unread_kind_cause(document, &relevant, &note);
    add(left_out, shown.data, cause, namespace, name, note.data);
    bool fine = !relevant || refuse(left_out, shown.data, name, cause, error) ||
                error_locate(error, "kind");
    text_free(&note);
    text_free(&shown);
    return fine;
}

// --- objects without effect ----------------------------------------------------------------------

static bool take(struct left_out *left_out, const struct object *object, const char *cause,
                 bool relevant, struct error *error)
{
    add(left_out, object->kind->name, cause, object->meta.namespace, object->meta.name, NULL);
    return !relevant || refuse(left_out, object->kind->name, object->meta.name, cause, error);
}

#define GATE_IS_OFF(name) \
    "the feature gate " name " is off (--set FEATURE_GATES=" name "=true turns it on)"

static const char *cause_of_gate(const struct settings *settings, const struct object *object)
{
    enum kind_id kind = object->kind->id;
    if (kind == KIND_NODE_OVERLAY && !settings->gate_node_overlay)
        return GATE_IS_OFF("NodeOverlay");
    if (kind == KIND_CAPACITY_BUFFER && !settings->gate_capacity_buffer)
        return GATE_IS_OFF("CapacityBuffer");
    if (kind == KIND_NODE_POOL && ((const struct node_pool *)object)->spec.replicas.present &&
        !settings->gate_static_capacity)
        return GATE_IS_OFF("StaticCapacity") ", and it gets no nodes";
    return NULL;
}

// Those that an API server has seen are a cluster's: what they want is there or not wanted.
static const char *cause_of_workload(const struct object *object)
{
    if (object->meta.uid != NULL)
        return NULL;
    enum kind_id kind = object->kind->id;
    if (kind == KIND_REPLICATION_CONTROLLER)
        return "its pods are not planned (those of a Deployment are)";
    if (kind == KIND_JOB)
        return ((const struct job *)object)->spec.suspend ? "it is suspended" : NULL;
    if (kind != KIND_DEPLOYMENT && kind != KIND_STATEFUL_SET && kind != KIND_REPLICA_SET)
        return NULL;
    // The three have their spec in the same place.
    const struct optional_int *replicas = &((const struct replica_set *)object)->spec.replicas;
    return replicas->present && replicas->value == 0 ? "replicas: 0" : NULL;
}

bool left_out_examine(struct left_out *left_out, const struct snapshot *snapshot,
                      struct error *error)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
            const struct object *object = snapshot->objects[kind].items[i];
            const char *gate = cause_of_gate(&snapshot->settings, object);
            const char *workload = cause_of_workload(object);
            if (gate != NULL && !take(left_out, object, gate, true, error))
                return false;
            if (workload != NULL &&
                !take(left_out, object, workload, kind == KIND_REPLICATION_CONTROLLER, error))
                return false;
        }
    return true;
}

// --- telling -------------------------------------------------------------------------------------

static void tell_group(const struct left_out_group *group, struct text *line)
{
    text_format(line, "%s ", group->kind);
    if (group->names.count > 0)
        qsort(group->names.items, group->names.count, sizeof *group->names.items, text_compare);
    for (uint32_t i = 0; i < group->names.count && i < NAMES_TOLD; i++)
        text_format(line, "%s%s", i > 0 ? ", " : "", group->names.items[i]);
    if (group->count > NAMES_TOLD)
        text_format(line, " and %" PRIu32 " more", group->count - NAMES_TOLD);
    text_format(line, ": %s", group->cause);
}

void left_out_tell(const struct left_out *left_out, const char *prefix, struct text *text)
{
    VECTOR(char *) lines = {0}, harmless = {0};
    for (uint32_t i = 0; i < left_out->count; i++) {
        const struct left_out_group *group = &left_out->items[i];
        struct text line = {0};
        if (group->cause != NULL)
            tell_group(group, &line);
        else
            text_format(&line, "%s (%" PRIu32 ")", group->kind, group->count);
        if (group->cause != NULL)
            vector_push(&lines, text_take(&line));
        else
            vector_push(&harmless, text_take(&line));
    }
    if (lines.count > 0)
        qsort(lines.items, lines.count, sizeof *lines.items, text_compare);
    if (harmless.count > 0)
        qsort(harmless.items, harmless.count, sizeof *harmless.items, text_compare);
    for (uint32_t i = 0; i < lines.count; i++)
        text_format(text, "\n%s%s", prefix, lines.items[i]);
    for (uint32_t i = 0; i < harmless.count; i++)
        text_format(text, "%s%s", i == 0 ? "\nwithout effect on a plan: " : ", ",
                    harmless.items[i]);
    for (uint32_t i = 0; i < lines.count; i++)
        free(lines.items[i]);
    for (uint32_t i = 0; i < harmless.count; i++)
        free(harmless.items[i]);
    vector_free(&lines);
    vector_free(&harmless);
}
