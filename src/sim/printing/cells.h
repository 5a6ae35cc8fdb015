// Cells and columns that several kinds' tables share.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct printer {
    const char *name;
    const char *type; // "string", "integer"
    int priority;     // 1: only with -o wide
    // The cell's value, a new reference; NULL: empty.
    json_t *(*cell)(const json_t *object, int64_t now_ns);
};

const char *cell_text(const json_t *object, const char *path);
json_int_t cell_number(const json_t *object, const char *path);
json_t *cell_text_or(const char *text, const char *otherwise);
// Frees the text; `otherwise` if it is empty.
json_t *cell_take_text(struct text *text, const char *otherwise);
json_t *cell_name(const json_t *object, int64_t now_ns);
// The time since an RFC 3339 text: "5m", or "<unknown>".
json_t *cell_since(const char *instant, int64_t now_ns);
json_t *cell_age(const json_t *object, int64_t now_ns);
// The value at a path; numbers stay numbers. `otherwise` NULL: an empty cell.
json_t *cell_value_or(const json_t *object, const char *path, const char *otherwise);
// "a=b,c=d"
json_t *cell_labels(const json_t *labels);
json_t *cell_selector(const json_t *object, int64_t now_ns);
json_t *cell_containers(const json_t *object, int64_t now_ns);
json_t *cell_images(const json_t *object, int64_t now_ns);
const json_t *cell_condition(const json_t *object, const char *type);
bool cell_condition_is_true(const json_t *object, const char *type);
// kubectl's short form of a duration: "5s", "3m20s", "7h", "3d4h", "2y10d".
void duration_human(int64_t nanoseconds, char out[32]);

// Defines a cell with the value at a path.
#define PATH_CELL(function, path, otherwise)                      \
    static json_t *function(const json_t *object, int64_t now_ns) \
    {                                                             \
        (void)now_ns;                                             \
        return cell_value_or(object, path, otherwise);            \
    }

#define NUMBER_CELL(function, path)                               \
    static json_t *function(const json_t *object, int64_t now_ns) \
    {                                                             \
        (void)now_ns;                                             \
        return json_integer(cell_number(object, path));           \
    }

#define NAME                           \
    {                                  \
        "Name", "string", 0, cell_name \
    }
#define AGE                          \
    {                                \
        "Age", "string", 0, cell_age \
    }
#define IMAGES                                    \
    {"Containers", "string", 1, cell_containers}, \
    {                                             \
        "Images", "string", 1, cell_images        \
    }
#define CHOICE                                 \
    {                                          \
        "Selector", "string", 1, cell_selector \
    }
#define THE_END \
    {           \
        0       \
    }
