// Copies a struct that its table describes, with everything that it points to, into one block.
#pragma once

#include "model/schema/type.h"

// `source->kind` must be set; what its pointers lead to may live anywhere. Only what the table
// names is copied. The result has one reference. Strings that several objects share are not in the
// block. Scratch memory comes from `arena`. Fails only for an object of 4 GiB and more.
struct object *object_pack(const struct object *source, struct arena *arena,
                           struct error *error) MUST_USE;

// The same object in a block of its own, from one that may have been filled by hand in pieces (a
// NodeClaim that is to be launched): one reference, owned by the caller. Maps must be sorted.
struct object *object_copy(const struct object *object);

// What an empty list or map points to: non-NULL, never read.
extern char empty_items[];
// Walking a list without knowing its item type.
struct any_list {
    void *items;
    uint32_t count;
};
