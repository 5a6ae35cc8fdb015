// Converts a text of YAML documents to JSON values, as Kubernetes' clients do (YAML 1.1 booleans
// and integers, string keys). libyaml parses the syntax. Repeated aliases share one json_t: treat
// the values as read-only.
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "model/manifest/positions.h"

#define INPUT_FILE_BYTES_MAX (64u << 20) // API-303
#define INPUT_DEPTH_MAX      64
#define INPUT_MEMORY_BYTES_MAX \
    (UINT64_C(768) << 20)  // for the values; Kubernetes' objects take ten times their text
#define INPUT_TAGS_MAX 100 // %TAG directives: libyaml compares each with each

// Approximate sizes of values: jansson's blocks with the allocator's overhead, without the bytes of
// texts.
#define INPUT_OBJECT_BYTES 256
#define INPUT_ARRAY_BYTES  112
#define INPUT_MEMBER_BYTES 96 // key, and its place in the object
#define INPUT_SCALAR_BYTES 48
#define INPUT_ANCHOR_BYTES 256

struct yaml_document {
    json_t *value;         // NULL: an empty document
    uint32_t line, column; // 1-based, of the root
    uint32_t place;        // of the root, in the source's positions
};
struct yaml_source {
    const char *text;
    size_t length;
    const char *file;            // for messages
    struct positions *positions; // receives the positions of values; NULL: not requested
    bool positions_only;         // makes no values
    uint32_t lines_before;       // of the file, if the text is a part of it
    uint64_t *bytes;             // grows by the values' size, aliases written out
    // Receives each document and owns its value; false, with an error: no more.
    bool (*receive)(void *context, struct yaml_document document, struct error *error);
    void *context;
};
bool yaml_read(const struct yaml_source *source, struct error *error) MUST_USE;
