// A served resource: a kind with its path.
#pragma once

#include <stdbool.h>

struct store_resource { // one served resource
    const char *group, *version, *kind, *list_kind, *plural, *singular;
    const char *const *short_names; // NULL-terminated or NULL
    const char *const *categories;
    bool namespaced, status_subresource, scale_subresource, custom;
};
