#include "cloud/aws/nodeclass/ami_selection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/nodeclass/ami_parameters.h"

struct entry {
    char *id, *name, *requirements_text;
    const char *architecture;
    json_t *requirements;
    int64_t created;
    bool deprecated;
};
struct ami_selection {
    int64_t now;
    struct map *by_requirements; // -> struct entry
};

struct ami_selection *ami_selection_create(int64_t now)
{
    struct ami_selection *selection = memory_allocate(sizeof *selection);
    selection->now = now;
    selection->by_requirements = map_create();
    return selection;
}

static void free_entry(void *value)
{
    struct entry *entry = value;
    free(entry->id);
    free(entry->name);
    free(entry->requirements_text);
    json_decref(entry->requirements);
    free(entry);
}

void ami_selection_destroy(struct ami_selection *selection)
{
    map_destroy(selection->by_requirements, free_entry);
    free(selection);
}

static const char *member(const json_t *object, const char *key)
{
    return text_or_empty(json_string_value(json_object_get(object, key)));
}

// The oldest if missing or unreadable.
static int64_t instant_of(const json_t *image, const char *key, int64_t otherwise)
{
    int64_t instant;
    const char *text = member(image, key);
    return *text != '\0' && instant_parse(text, &instant, NULL) ? instant : otherwise;
}

bool image_is_deprecated(const json_t *image, int64_t now)
{
    return instant_of(image, "DeprecationTime", INT64_MAX) <= now;
}

// AWN-173: whether `a` is to be kept instead of `b`, which was seen before.
static bool is_better(const struct entry *a, const struct entry *b)
{
    if (a->deprecated != b->deprecated)
        return !a->deprecated;
    if (a->created != b->created)
        return a->created > b->created;
    return strcmp(a->name, b->name) > 0;
}

static void add(struct ami_selection *selection, const json_t *image, const char *architecture,
                json_t *requirements)
{
    struct entry *entry = memory_allocate(sizeof *entry);
    entry->id = memory_copy_string(member(image, "ImageId"));
    entry->name = memory_copy_string(member(image, "Name"));
    entry->architecture = architecture;
    entry->requirements = requirements;
    entry->requirements_text = json_dumps(requirements, JSON_SORT_KEYS | JSON_COMPACT);
    entry->created = instant_of(image, "CreationDate", INT64_MIN);
    entry->deprecated = image_is_deprecated(image, selection->now);
    struct entry *kept = map_get(selection->by_requirements, entry->requirements_text);
    if (kept != NULL && !is_better(entry, kept)) {
        free_entry(entry);
        return;
    }
    if (kept != NULL)
        free_entry(map_remove(selection->by_requirements, entry->requirements_text));
    map_set(selection->by_requirements, entry->requirements_text, entry);
}

void ami_selection_add(struct ami_selection *selection, const json_t *image, uint32_t variants,
                       const char *windows_build)
{
    const char *given = member(image, "Architecture");
    const char *architecture = strcmp(given, "x86_64") == 0  ? "amd64"
                               : strcmp(given, "arm64") == 0 ? "arm64"
                                                             : NULL;
    if (architecture == NULL || *member(image, "ImageId") == '\0')
        return;
    if (variants == 0)
        add(selection, image, architecture, ami_requirements(architecture, 0, NULL));
    for (uint32_t variant = AMI_STANDARD; variant <= AMI_WINDOWS; variant <<= 1)
        if ((variants & variant) != 0)
            add(selection, image, architecture,
                ami_requirements(architecture, variant, windows_build));
}

static int by_age(const void *a, const void *b)
{
    const struct entry *left = *(struct entry *const *)a, *right = *(struct entry *const *)b;
    if (left->created != right->created)
        return left->created > right->created ? -1 : 1;
    int order = strcmp(left->id, right->id);
    return order != 0 ? order : strcmp(left->requirements_text, right->requirements_text);
}

// Moves each deprecated entry behind the last usable one of its architecture.
static void put_usable_first(struct entry **entries, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        if (!entries[i]->deprecated)
            continue;
        uint32_t last = i;
        for (uint32_t k = i + 1; k < count; k++)
            if (!entries[k]->deprecated && entries[k]->architecture == entries[i]->architecture)
                last = k;
        struct entry *moving = entries[i];
        memmove(&entries[i], &entries[i + 1], (last - i) * sizeof *entries);
        entries[last] = moving;
    }
}

json_t *ami_selection_result(struct ami_selection *selection, bool usable_first)
{
    VECTOR(struct entry *) entries = {0};
    for (struct map_entry *at = map_first(selection->by_requirements); at != NULL;
         at = map_next(at))
        vector_push(&entries, map_value(at));
    json_t *list = json_array();
    if (entries.count > 0)
        qsort(entries.items, entries.count, sizeof *entries.items, by_age);
    if (usable_first && entries.count > 0)
        put_usable_first(entries.items, entries.count);
    vector_for_each (entry, &entries) {
        json_t *out = json_pack("{s:s, s:s, s:O}", "id", (*entry)->id, "name", (*entry)->name,
                                "requirements", (*entry)->requirements);
        if ((*entry)->deprecated)
            json_object_set_new(out, "deprecated", json_true());
        json_array_append_new(list, out);
    }
    vector_free(&entries);
    return list;
}
