#include "model/manifest/manifest_list.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

const json_t *manifest_list_items(const json_t *value)
{
    const char *kind = json_string_value(json_object_get(value, "kind"));
    const json_t *items = json_object_get(value, "items");
    return kind != NULL && text_ends_with(kind, "List") && json_is_array(items) ? items : NULL;
}

void manifest_list_name_item(const json_t *list, json_t *item)
{
    const char *kind = json_string_value(json_object_get(list, "kind"));
    const char *api_version = json_string_value(json_object_get(list, "apiVersion"));
    assert(kind != NULL); // checked by manifest_list_items()
    assert(text_ends_with(kind, "List"));
    size_t length = strlen(kind) - strlen("List");
    if (length == 0 || !json_is_object(item))
        return;
    if (json_object_get(item, "kind") == NULL)
        json_object_set_new(item, "kind", json_stringn(kind, length));
    if (json_object_get(item, "apiVersion") == NULL && api_version != NULL)
        json_object_set_new(item, "apiVersion", json_string(api_version));
}
