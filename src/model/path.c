#include "model/path.h"

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

size_t path_parent_length(const char *path, size_t length)
{
    if (length == 0)
        return 0;
    if (length >= 2 && path[length - 1] == ']') {
        if (path[length - 2] != '"') {
            const char *open = memrchr(path, '[', length);
            return open == NULL ? 0 : (size_t)(open - path);
        }
        for (size_t i = length - 2; i >= 2; i--) // ["key"]: back to its opening
            if (path[i - 2] == '[' && path[i - 1] == '"')
                return i - 2;
        return 0;
    }
    for (size_t i = length; i > 0; i--)
        if (path[i - 1] == '.' || path[i - 1] == ']')
            return path[i - 1] == '.' ? i - 1 : i;
    return 0;
}
