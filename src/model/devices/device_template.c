#include "model/devices/device_template.h"

#include <assert.h>
#include <string.h>

bool device_template_is_of(const char *types, const char *type)
{
    assert(type != NULL);
    size_t length = strlen(type);
    for (const char *at = types; at != NULL && *at != '\0';) {
        at += strspn(at, " ,");
        size_t item = strcspn(at, " ,");
        if (item == length && strncmp(at, type, length) == 0)
            return true;
        at += item;
    }
    return false;
}
