// One text of YAML documents to JSON values, as Kubernetes' clients convert them (YAML 1.1 booleans
// and integers, string keys). libyaml does the syntax. Repeated aliases share one json_t: treat the
// values as read-only.
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"

#define INPUT_FILE_BYTES_MAX (64u << 20) // API-303
#define INPUT_DEPTH_MAX      64
#define INPUT_NODES_MAX      10000000

struct yaml_document {
    json_t *value;         // NULL: an empty document
    uint32_t line, column; // 1-based, of the root
    struct map *positions; // path -> position_pack(); NULL if not asked for
};
struct yaml_source {
    const char *text;
    size_t length;
    const char *file; // for messages
    bool with_positions;
    uint32_t lines_before; // of the file, if the text is a part of it
    // Receives each document and owns its value and positions.
    void (*receive)(void *context, struct yaml_document document);
    void *context;
};
// On error, *duplicate_key says whether that was its cause.
bool yaml_read(const struct yaml_source *source, bool *duplicate_key, struct error *error) MUST_USE;

// A position as a non-NULL map value.
static inline void *position_pack(uint32_t line, uint32_t column)
{
    return (void *)(uintptr_t)((uint64_t)line << 32 | column);
}
static inline uint32_t position_line(const void *packed)
{
    return (uint32_t)((uint64_t)(uintptr_t)packed >> 32);
}
static inline uint32_t position_column(const void *packed)
{
    return (uint32_t)(uintptr_t)packed;
}

// What a plain scalar means (yaml_scalar.c): a new value, or NULL if JSON cannot say it (.nan, .inf).
json_t *yaml_resolve_plain(const char *text, size_t length);
