// Copies a struct with its table, and everything it points to, into one block.
#pragma once

#include "model/schema/type.h"

// `source->kind` must be set; its pointers may lead anywhere. Only the table's fields are copied.
// The result has one reference. Strings shared by several objects are not in the block. Scratch
// memory comes from `arena`. Fails only for an object of 4 GiB and more.
struct object *object_pack(const struct object *source, struct arena *arena,
                           struct error *error) MUST_USE;

// Copies an object, which may be built by hand in pieces (a NodeClaim to launch), into a block of
// its own: one reference, owned by the caller. Maps must be sorted.
struct object *object_copy(const struct object *object);

// The address of an empty list or map: non-NULL, never read.
extern char empty_items[];
// A list of unknown item type.
struct any_list {
    void *items;
    uint32_t count;
};
