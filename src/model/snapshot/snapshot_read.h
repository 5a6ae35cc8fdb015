// Manifests as a snapshot (FMT-1): files, folders or standard input.
#pragma once

#include "model/snapshot/snapshot.h"

// Adds the objects of one file or directory ("-": standard input), by FMT-1: YAML or JSON, several
// documents, kind: List unpacked. Unknown kinds are skipped unless strict. Errors name file,
// document and field path. A SnapshotContext sets time and settings.
bool snapshot_read(struct snapshot *snapshot, const char *path, bool strict,
                   struct error *error) MUST_USE;
// The same with a caller's check of each object that could be read, and of each document of an
// unknown kind, which is skipped else; an error's path is a field of the document (error_locate()).
struct snapshot_examiner {
    bool (*examine)(void *context, const struct object *object, const json_t *document,
                    struct error *error);                                          // or NULL
    bool (*skip)(void *skip_context, const json_t *document, struct error *error); // or NULL
    void *context, *skip_context;
};
bool snapshot_read_examined(struct snapshot *snapshot, const char *path, bool strict,
                            const struct snapshot_examiner *examiner, struct error *error) MUST_USE;
bool snapshot_read_text(struct snapshot *snapshot, const char *text, size_t length,
                        const char *source_name, bool strict, struct error *error) MUST_USE;
