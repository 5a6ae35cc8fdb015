// A served resource: a kind with its path.
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct store_resource { // one served resource
    const char *group, *version, *kind, *list_kind, *plural, *singular;
    const char *const *short_names; // NULL-terminated or NULL
    const char *const *categories;
    bool namespaced, status_subresource, scale_subresource, custom;
    bool withdrawn;           // its definition is gone: no longer served
    const json_t *definition; // the version of a definition made at run time; NULL: none
};
