// Reads documents from files: YAML or JSON, several a file, with positions for messages.
//
// Limits (API-303): 64 MiB a file, nesting 64; for one struct documents 500,000 objects, and 768
// MiB of memory for values, counted as if aliases were written out. A duplicate key in one mapping
// is an error that names both lines (GUI-7).
#pragma once

#include "base/text.h"
#include "model/schema/object.h"

struct document {
    json_t *value;               // owned; NULL for an empty document
    const char *file;            // "-" for standard input
    uint32_t index;              // 0-based among the documents of the file
    uint32_t line;               // 1-based, where it begins
    struct positions *positions; // of the file; NULL unless requested
    uint32_t place;              // of the value in the positions
};
struct documents {
    struct document *items;
    uint32_t count, capacity;
    struct arena *arena;
    uint64_t bytes; // approximate size of the values
    struct {        // "PATH: this is a named pipe": skipped entries of folders
        char **items;
        uint32_t count, capacity;
    } skipped;
};

// Appends the documents of a file, of a directory's *.yaml, *.yml and *.json (recursive, byte
// order) or of standard input ("-"). Named pipes, sockets and devices in a directory are skipped
// (`skipped`); one given as `path` is an error (base/input_file.h). JSON values may follow each
// other without a separator. kind: List and *List are unpacked into their items.
bool documents_read(struct documents *documents, const char *path, bool with_positions,
                    struct error *error) MUST_USE;
bool documents_read_text(struct documents *documents, const char *text, size_t length,
                         const char *file, bool with_positions, struct error *error) MUST_USE;
void documents_free(struct documents *documents);
// Line and column (1-based) of the value at `path` ("spec.limits.cpu", "spec.x[1].y",
// "a[\"b/c\"]"), or of its nearest existing parent.
void document_position(const struct document *document, const char *path, uint32_t *line,
                       uint32_t *column);
