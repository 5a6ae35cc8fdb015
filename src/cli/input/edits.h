// The edit of `adze plan --diff`: manifests that would be applied and objects that would be
// deleted, laid over the input.
#pragma once

#include "base/vector.h"
#include "cli/input/input.h"
#include "model/snapshot/snapshot_overlay.h"

struct edit_options {
    VECTOR(const char *) files;     // -f
    VECTOR(const char *) deletions; // --delete: "KIND/NAME" or "KIND/NAMESPACE/NAME"
};
struct edited_input {
    struct arena *arena;
    struct snapshot *edits, *after; // what was read; the cluster with it
    struct object_change_list changes;
    LIST(const char *) remarks;
};

void edit_options_free(struct edit_options *options);
// `before` is complete, from input_read() with the same options. edited_input_free() in any case.
bool edits_read(const struct input_options *input, const struct edit_options *options,
                const struct snapshot *before, struct edited_input *edited,
                struct error *error) MUST_USE;
void edited_input_free(struct edited_input *edited); // zeroed is fine
