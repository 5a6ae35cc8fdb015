#include "model/schema/path.h"

#include <string.h>

void path_add_name(struct text *path, const char *name)
{
    if (name[0] == '\0' || strpbrk(name, "./[]\" ") != NULL)
        text_format(path, "[\"%s\"]", name);
    else
        text_join(path, ".", name);
}

void path_add_index(struct text *path, size_t index)
{
    text_format(path, "[%zu]", index);
}

const char *json_type_text(const json_t *value, const char *boolean)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return boolean;
    case JSON_NULL:
        break;
    }
    return "null";
}
