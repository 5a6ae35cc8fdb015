#include "model/schema/type.h"

#include <assert.h>
#include <string.h>

const struct field *type_field(const struct type *type, const char *name)
{
    assert(name != NULL);
    for (const struct field *field = type->fields; field < type->fields + type->fields_count;
         field++)
        if (strcmp(field->name, name) == 0)
            return field;
    return NULL;
}
