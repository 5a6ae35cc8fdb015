// A run of `adze convert`: the documents read, the objects made of them, and a note for each thing
// that is not as it was (MIG-1, MIG-12).
//
// Texts live in the run's arena, JSON values are owned by what they belong to.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"

enum note_class {
    NOTE_CHANGED, // the same intent, other behavior
    NOTE_LOST,    // no equal
    NOTE_TODO,    // the user must supply or decide
    NOTE_INFO,
};
struct note {
    enum note_class class;
    const char *code; // "M-role"
    const char *path; // of the field in the object; "": the object itself
    const char *text;
};

struct conversion;
struct product { // an object for the output
    struct conversion *conversion;
    json_t *object;    // owned
    json_t *kubelet;   // owned: what a NodePool's class must have; NULL: none (MIG-46)
    bool is_old;       // made of an older version or of another autoscaler
    bool is_auto_mode; // a NodePool of EKS Auto Mode
    bool is_raw;       // the text of its source is printed as it is
    bool is_dropped;   // nothing is printed but its notes
    VECTOR(struct note) notes;
};

struct input_text { // a file
    const char *name;
    const char *text;
    size_t length;
    bool is_whole; // its documents are all there is in it
};
struct source { // a document of the input
    struct conversion *conversion;
    const struct input_text *input;
    const char *file;
    uint32_t document; // 0-based in its file
    uint32_t line;     // 1-based, where it begins
    const char *raw;   // its text, without separators
    size_t raw_length;
    uint32_t siblings; // documents of that text, lists unpacked; 0: not the first of them
    bool is_mended;    // the text had to be mended before it could be read
    json_t *value;     // owned; NULL: nothing but comments
    bool is_taken;     // it has become something else
    bool failed;       // nothing is printed for it
    VECTOR(struct product *) products;
};

struct variable { // --set NAME=VALUE
    const char *name, *value;
};

struct convert_options {
    const char *role, *instance_profile, *cluster_name;
    VECTOR(struct variable) variables;
    const char *ami; // "latest", "pinned" or "id"
    bool ignore_defaults, static_min, grace, no_merge, buffers, drop_old, strict, widen;
    json_t *type_names; // of --catalog; owned; NULL: none
};

struct conversion {
    struct arena *arena;
    struct convert_options options;
    VECTOR(struct source *) sources;
    json_t *class_tags; // of every class (MIG-64); owned; NULL: none
    bool drift_was_off;
    struct map *settings; // environment variable -> value, for the controller (MIG-73)
    VECTOR(struct note) settings_notes;
    VECTOR(const char *) errors; // "FILE:LINE: ...", in order
};

struct conversion *conversion_create(void);
void conversion_destroy(struct conversion *conversion);

// An empty object of the kind for the output, after those that the source already has.
struct product *product_add(struct source *source, const char *api_version, const char *kind,
                            const char *name);
// Takes the reference of `object`.
struct product *product_add_object(struct source *source, json_t *object);
const char *product_kind(const struct product *product); // "" if it has none
const char *product_name(const struct product *product);
json_t *product_spec(struct product *product);
// A text in the arena of the run.
const char *product_text(const struct product *product, const char *format, ...) PRINTF_LIKE(2, 3);

// The text is told once for each code and path of an object.
void note_add(struct product *product, enum note_class class, const char *code, const char *path,
              const char *format, ...) PRINTF_LIKE(5, 6);
const char *note_class_name(enum note_class class);

// MIG-13: bad input in this document; nothing of it is printed. Returns false.
bool source_fail(struct source *source, const char *format, ...) PRINTF_LIKE(2, 3);
// A setting of the controller that follows from the input; the first value stays.
void conversion_set(struct conversion *conversion, const char *name, const char *value);
