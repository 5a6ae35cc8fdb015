#include "model/validate/validate_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "model/tables/rules_json.h"

struct string_map parts_texts(struct arena *arena, const json_t *object)
{
    size_t count = json_object_size(object);
    struct string_map map = {.items = arena_allocate_array(arena, count + 1, sizeof *map.items)};
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value)
        map.items[map.count++] = (struct string_pair){key, json_string_value(value)};
    assert(map.count == count);
    if (count > 1)
        qsort(map.items, count, sizeof *map.items, string_pair_compare);
    return map;
}

taint_list parts_taints(struct arena *arena, const json_t *list)
{
    size_t count = json_array_size(list), index;
    taint_list taints = {.items = arena_allocate_array(arena, count + 1, sizeof *taints.items)};
    json_t *item;
    json_array_foreach (list, index, item)
        taints.items[taints.count++] = (struct taint){
            .key = json_text(item, "key"),
            .value = json_text(item, "value"),
            .effect = json_text(item, "effect"),
        };
    assert(taints.count == count);
    return taints;
}

static struct string_list read_list(struct arena *arena, const json_t *list)
{
    size_t count = json_array_size(list), index;
    struct string_list texts = {.items =
                                    arena_allocate_array(arena, count + 1, sizeof *texts.items)};
    json_t *item;
    json_array_foreach (list, index, item)
        texts.items[texts.count++] = json_string_value(item);
    return texts;
}

requirement_list parts_requirements(struct arena *arena, const json_t *list)
{
    size_t count = json_array_size(list), index;
    requirement_list requirements = {
        .items = arena_allocate_array(arena, count + 1, sizeof *requirements.items)};
    json_t *item;
    json_array_foreach (list, index, item) {
        const json_t *min_values = json_object_get(item, "minValues");
        requirements.items[requirements.count++] = (struct selector_requirement){
            .key = json_text(item, "key"),
            .operator= json_text(item, "operator"),
            .values = read_list(arena, json_object_get(item, "values")),
            .min_values = {json_is_integer(min_values), json_integer_value(min_values)},
        };
    }
    assert(requirements.count == count);
    return requirements;
}
