// Events of a watch.
#pragma once

#include <jansson.h>
#include <stdint.h>

// Delivers events by loop_post, in order. `since` 0: from now. ERROR_GONE if `since` is older than
// the history.
struct store_watch;
typedef void (*store_event)(void *context, const char *type /* ADDED, MODIFIED, DELETED */,
                            json_t *object);

// As above with the object before the change (NULL for ADDED), for selectors.
struct store_change {
    const char *type;
    json_t *object, *previous;
    uint64_t version;
};
typedef void (*store_change_event)(void *context, const struct store_change *change);
