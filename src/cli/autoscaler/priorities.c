#include "cli/autoscaler/priorities.h"

#include <assert.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert/tree.h"
#include "model/manifest/input.h"

#define PATTERN_LENGTH_MAX 500

static int compare_priorities(const void *a, const void *b)
{
    const struct priority *one = a, *other = b;
    return one->number < other->number ? -1 : one->number > other->number;
}

bool priorities_read(struct priorities *priorities, struct source *source)
{
    const char *text = tree_text_at(source->value, "data.priorities"), *key;
    struct documents documents = {0};
    struct error error;
    json_t *patterns;
    int64_t number;
    if (text == NULL ||
        !documents_read_text(&documents, text, strlen(text), source->file, false, &error) ||
        documents.count == 0) {
        documents_free(&documents);
        return source_fail(source, "data.priorities is no map of numbers to lists");
    }
    priorities->value = json_deep_copy(documents.items[0].value);
    documents_free(&documents);
    json_object_foreach (priorities->value, key, patterns)
        if (text_parse_int64(key, &number))
            vector_push(&priorities->list, (struct priority){number, patterns});
    if (priorities->list.count > PRIORITIES_MAX)
        return source_fail(source, "more than %d priorities: weights go from 1 to 100",
                           PRIORITIES_MAX);
    if (priorities->list.count > 1)
        qsort(priorities->list.items, priorities->list.count, sizeof *priorities->list.items,
              compare_priorities);
    return true;
}

static bool matches(const char *pattern, const char *name)
{
    regex_t regex;
    if (strlen(pattern) > PATTERN_LENGTH_MAX ||
        regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool found = regexec(&regex, name, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

void priorities_apply(const struct priorities *priorities, struct group *group)
{
    uint32_t count = priorities->list.count, rank = 0;
    assert(count <= PRIORITIES_MAX);
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < json_array_size(priorities->list.items[i].patterns); k++) {
            const char *pattern =
                json_string_value(json_array_get(priorities->list.items[i].patterns, k));
            if (pattern != NULL && matches(pattern, group->origin))
                rank = i + 1;
        }
    if (rank == 0)
        note_add(group->pool, NOTE_CHANGED, "M-priority", "spec.weight",
                 "no priority names the group: it was never used; now it comes last");
    json_object_set_new(product_spec(group->pool), "weight",
                        json_integer(rank == 0     ? 1
                                     : count <= 10 ? (json_int_t)rank * 10
                                                   : (json_int_t)rank));
}

void priorities_free(struct priorities *priorities)
{
    vector_free(&priorities->list);
    json_decref(priorities->value);
}
