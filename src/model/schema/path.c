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
