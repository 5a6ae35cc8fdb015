#include "kube/invalid_object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct invalid_object *invalid_object_create(uint32_t epoch, const struct object *salvaged,
                                             const char *resource_version)
{
    assert(resource_version != NULL);
    struct invalid_object *invalid =
        memory_allocate(sizeof *invalid + strlen(resource_version) + 1);
    invalid->epoch = epoch;
    invalid->salvaged = salvaged;
    strcpy(invalid->resource_version, resource_version);
    return invalid;
}

void invalid_object_destroy(void *value)
{
    struct invalid_object *invalid = value;
    if (invalid == NULL)
        return;
    object_release(invalid->salvaged);
    free(invalid);
}

char *invalid_object_key(const char *namespace, const char *name)
{
    assert(name != NULL);
    struct text key = {0};
    text_format(&key, "%s/%s", namespace != NULL ? namespace : "", name);
    return text_take(&key);
}
