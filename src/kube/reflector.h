// Follows one kind on the API server for ever: paged list, then watches that resume where the last
// one ended, and a new list when the server no longer has that version (410). Back-off with jitter
// on errors, 800 ms doubling to 30 s.
#pragma once

#include "kube/client.h"

struct reflector_spec {
    enum kind_id kind;
    const char *namespace, *field_selector; // NULL: all; copied
    bool optional; // 404 and 403 are no errors: `absent` is called, and the list is retried every
                   // few minutes
    // Called on the loop's thread; may destroy the reflector.
    void (*list_begins)(void *context); // also when an unfinished list has to begin anew
    void (*item)(void *context, const json_t *object);
    void (*list_ends)(void *context, const char *resource_version);
    void (*event)(void *context, const char *type,
                  const json_t *object);                // ADDED, MODIFIED, DELETED
    void (*absent)(void *context, enum error_kind why); // ERROR_NOT_FOUND or ERROR_FORBIDDEN
    void *context;
};
struct reflector;
struct reflector *reflector_create(struct loop *loop, struct kube_client *client,
                                   const struct reflector_spec *spec); // begins at once
void reflector_destroy(struct reflector *reflector);                   // NULL is fine
// The last version seen, in a list, an event or a bookmark; "" before the first list has ended.
const char *reflector_version(const struct reflector *reflector);
