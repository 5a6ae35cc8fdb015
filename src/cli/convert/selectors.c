#include "cli/convert/selectors.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert/tree.h"

// The pieces of a comma list, trimmed; empty ones are left out.
static json_t *comma_list(const char *text)
{
    json_t *list = json_array();
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        const char *begin = text, *end = text + length;
        while (begin < end && strchr(" \t\n", *begin) != NULL)
            begin++;
        while (end > begin && strchr(" \t\n", end[-1]) != NULL)
            end--;
        if (end > begin)
            json_array_append_new(list, json_stringn(begin, (size_t)(end - begin)));
        text += length + (text[length] == ',');
    }
    return list;
}

static bool is_ids_key(const char *key)
{
    return strcmp(key, "aws-ids") == 0 || strcmp(key, "aws::ids") == 0;
}

static json_t *id_terms(const char *ids)
{
    json_t *terms = json_array(), *list = comma_list(ids), *id;
    size_t index;
    json_array_foreach (list, index, id)
        json_array_append_new(terms, json_pack("{s:O}", "id", id));
    json_decref(list);
    return terms;
}

// The product of what there is with the values of one more key, which vary slowest.
static json_t *multiply(json_t *terms, const char *key, const char *value)
{
    json_t *result = json_array(), *values = comma_list(value), *text, *term;
    size_t index, inner;
    if (json_array_size(values) == 0)
        json_array_append_new(values, json_string("*"));
    json_array_foreach (values, index, text)
        json_array_foreach (terms, inner, term) {
            json_t *copy = json_copy(term);
            json_object_set(copy, key, text);
            json_array_append_new(result, copy);
            if (json_array_size(result) > TERMS_MAX)
                break;
        }
    json_decref(values);
    json_decref(terms);
    return result;
}

static size_t sorted_keys(const json_t *map, const char ***keys)
{
    size_t count = 0;
    const char *key;
    json_t *value;
    *keys = memory_allocate_array(json_object_size(map) + 1, sizeof **keys);
    json_object_foreach ((json_t *)map, key, value)
        (*keys)[count++] = key;
    if (count > 1)
        qsort(*keys, count, sizeof **keys, text_compare);
    return count;
}

static json_t *too_many(struct source *source, const char *path, json_t *terms)
{
    if (json_array_size(terms) <= TERMS_MAX)
        return terms;
    source_fail(source, "%s: more than %d combinations; a class takes %d terms", path, TERMS_MAX,
                TERMS_MAX);
    json_decref(terms);
    return NULL;
}

json_t *selector_terms(struct source *source, const char *path, json_t *map)
{
    if (map == NULL)
        return NULL;
    if (!json_is_object(map)) { // GUI-21
        const char *word = text_or_empty(json_string_value(map));
        source_fail(source, "%s must be a map: {karpenter.sh/discovery: \"%.100s\"}", path, word);
        json_decref(map);
        return NULL;
    }
    struct arena *arena = source->conversion->arena;
    const char **keys;
    size_t count = sorted_keys(map, &keys);
    json_t *ids = NULL, *tags = json_array();
    json_array_append_new(tags, json_object());
    for (size_t i = 0; i < count; i++) {
        const char *value = text_or_empty(tree_scalar(json_object_get(map, keys[i]), arena));
        if (!is_ids_key(keys[i])) {
            tags = multiply(tags, keys[i], value);
        } else if (count == 1) {
            ids = id_terms(value);
        } else {
            source_fail(source, "%s: %s stands alone: no other key beside it", path, keys[i]);
            break;
        }
    }
    free(keys);
    json_t *terms = ids != NULL ? ids : json_array(), *term;
    size_t index;
    json_array_foreach (tags, index, term)
        if (ids == NULL && count > 0)
            json_array_append_new(terms, json_pack("{s:O}", "tags", term));
    json_decref(tags);
    json_decref(map);
    return too_many(source, path, terms);
}

// The owners (outer), then ids, names and tags (inner) of an AMI selector.
struct ami_selector {
    json_t *ids, *names, *owners; // arrays; NULL: absent
    json_t *tags;                 // combinations; NULL: absent
};

static void read_ami_selector(struct ami_selector *selector, const json_t *map, struct arena *arena)
{
    const char **keys;
    size_t count = sorted_keys(map, &keys);
    for (size_t i = 0; i < count; i++) {
        const char *value = text_or_empty(tree_scalar(json_object_get(map, keys[i]), arena));
        if (is_ids_key(keys[i])) {
            json_decref(selector->ids);
            selector->ids = comma_list(value);
        } else if (strcmp(keys[i], "aws::name") == 0) {
            selector->names = comma_list(value);
        } else if (strcmp(keys[i], "aws::owners") == 0) {
            selector->owners = comma_list(value);
        } else {
            if (selector->tags == NULL)
                selector->tags = json_pack("[{}]");
            selector->tags = multiply(selector->tags, keys[i], value);
        }
    }
    free(keys);
}

// Adds the terms of one owner (NULL: any).
static void add_owner_terms(json_t *terms, const struct ami_selector *selector, json_t *owner)
{
    size_t names = selector->names != NULL ? json_array_size(selector->names) : 1;
    size_t tags = selector->tags != NULL ? json_array_size(selector->tags) : 1;
    for (size_t i = 0; i < names; i++)
        for (size_t k = 0; k < tags && json_array_size(terms) <= TERMS_MAX; k++) {
            json_t *term = json_object();
            if (owner != NULL)
                json_object_set(term, "owner", owner);
            if (selector->names != NULL)
                json_object_set(term, "name", json_array_get(selector->names, i));
            else if (owner != NULL && selector->tags == NULL)
                json_object_set_new(term, "name", json_string("*"));
            if (selector->tags != NULL)
                json_object_set(term, "tags", json_array_get(selector->tags, k));
            json_array_append_new(terms, term);
        }
}

json_t *ami_terms(struct source *source, struct product *product, json_t *map)
{
    struct ami_selector selector = {0};
    json_t *terms = json_array(), *item;
    size_t index;
    read_ami_selector(&selector, map, source->conversion->arena);
    bool more = selector.names != NULL || selector.owners != NULL || selector.tags != NULL;
    if (selector.tags != NULL)
        note_add(product, NOTE_LOST, "M-ami-tags", "spec.amiSelectorTerms",
                 "tags of the image that named requirements (instance types, architecture) "
                 "restricted its use; now the image's own architecture alone does");
    if (selector.ids != NULL) {
        json_array_foreach (selector.ids, index, item)
            json_array_append_new(terms, json_pack("{s:O}", "id", item));
        if (more)
            note_add(product, NOTE_CHANGED, "M-ami-id", "spec.amiSelectorTerms",
                     "a term with an id takes nothing else: owners, names and tags are left out");
    } else if (selector.owners != NULL) {
        json_array_foreach (selector.owners, index, item)
            add_owner_terms(terms, &selector, item);
    } else if (more) {
        add_owner_terms(terms, &selector, NULL);
    }
    json_decref(selector.ids);
    json_decref(selector.names);
    json_decref(selector.owners);
    json_decref(selector.tags);
    json_decref(map);
    return too_many(source, "spec.amiSelector", terms);
}

void ami_terms_mend(struct product *product, json_t *terms)
{
    size_t index;
    json_t *term;
    json_array_foreach (terms, index, term) {
        json_t *id = json_object_get(term, "id");
        if (id == NULL || json_object_size(term) < 2)
            continue;
        json_array_set_new(terms, index, json_pack("{s:O}", "id", id));
        note_add(product, NOTE_CHANGED, "M-ami-id", "spec.amiSelectorTerms",
                 "a term with an id takes nothing else: owners, names and tags are left out");
    }
}
