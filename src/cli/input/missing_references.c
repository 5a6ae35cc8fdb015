#include "cli/input/missing_references.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "model/tables/kinds.h"

#define NAMES_TOLD 4

struct names { // name -> number of objects that name it
    struct map *counts;
    enum kind_id kind;
};

static bool is_there(const struct snapshot *snapshot, enum kind_id kind, const char *name)
{
    for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
        if (text_equal(snapshot->objects[kind].items[i]->meta.name, name))
            return true;
    return false;
}

// Names that every cluster has.
static bool is_usual(const char *name)
{
    return strcmp(name, "default") == 0 || text_starts_with(name, "kube-") ||
           text_starts_with(name, "system-");
}

static void count(struct names *names, const char *name)
{
    if (!text_is_empty(name) && !is_usual(name))
        ++*(uint32_t *)map_ensure(names->counts, name, sizeof(uint32_t));
}

static const struct pod_template *template_of(const struct object *object)
{
    switch ((int)object->kind->id) {
    case KIND_JOB:
        return &((const struct job *)object)->spec.template;
    case KIND_DAEMON_SET:
        return &((const struct daemon_set *)object)->spec.template;
    case KIND_DEPLOYMENT:
    case KIND_STATEFUL_SET:
    case KIND_REPLICA_SET: // the three have their spec in the same place
        return &((const struct replica_set *)object)->spec.template;
    default:
        return NULL;
    }
}

static void count_of(const struct object *object, struct names *namespaces, struct names *classes)
{
    const struct pod_template *template = template_of(object);
    const struct pod_spec *spec = object->kind->id == KIND_POD ? &((const struct pod *)object)->spec
                                  : template != NULL           ? &template->spec
                                                               : NULL;
    if (spec == NULL)
        return;
    count(namespaces, object->meta.namespace);
    if (!spec->priority.present)
        count(classes, spec->priority_class_name);
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void tell(const struct snapshot *snapshot, const struct names *names, const char *effect,
                 struct missing_lines *lines)
{
    VECTOR(const char *) missing = {0};
    uint32_t objects = 0;
    for (struct map_entry *entry = map_first(names->counts); entry != NULL;
         entry = map_next(entry)) {
        if (is_there(snapshot, names->kind, map_key(entry)))
            continue;
        vector_push(&missing, map_key(entry));
        objects += *(uint32_t *)map_value(entry);
    }
    if (missing.count > 0)
        qsort(missing.items, missing.count, sizeof *missing.items, compare_entries);
    struct text line = {0};
    text_format(&line, "%s ", kind_get(names->kind)->name);
    for (uint32_t i = 0; i < missing.count && i < NAMES_TOLD; i++)
        text_format(&line, "%s%.253s", i > 0 ? ", " : "", missing.items[i]);
    if (missing.count > NAMES_TOLD)
        text_format(&line, " and %" PRIu32 " more", missing.count - NAMES_TOLD);
    text_format(&line, ", of %" PRIu32 " object%s, %s not in the input (%s)", objects,
                text_plural(objects), missing.count == 1 ? "is" : "are", effect);
    if (missing.count > 0)
        vector_push(lines, text_take(&line));
    text_free(&line);
    vector_free(&missing);
}

void missing_references_add(const struct snapshot *snapshot, struct missing_lines *lines)
{
    static const enum kind_id kinds[] = {KIND_POD,          KIND_DEPLOYMENT, KIND_REPLICA_SET,
                                         KIND_STATEFUL_SET, KIND_JOB,        KIND_DAEMON_SET};
    struct names namespaces = {map_create(), KIND_NAMESPACE};
    struct names classes = {map_create(), KIND_PRIORITY_CLASS};
    for (size_t k = 0; k < ARRAY_LENGTH(kinds); k++)
        for (uint32_t i = 0; i < snapshot->objects[kinds[k]].count; i++)
            if (snapshot->objects[kinds[k]].items[i]->meta.uid == NULL)
                count_of(snapshot->objects[kinds[k]].items[i], &namespaces, &classes);
    tell(snapshot, &namespaces, "taken: without labels and LimitRanges", lines);
    tell(snapshot, &classes, "taken: priority 0; an API server refuses such pods", lines);
    map_destroy(namespaces.counts, free);
    map_destroy(classes.counts, free);
}
