// JSONPath templates as kubectl takes them: text, and expressions in braces.
//
//     {.nodePools[*].name}   {.items[0]}   {.items[-1:]}   {.items[0,2]}   {..name}   {['a.b']}
//     {.items[?(@.price > 0.5)].name}   {range .items[*]}{.name}{"\n"}{end}   {@}
//
// A path without braces is one as well: `.totals.pricePerHour`. Missing fields give nothing; an
// index beyond the end of a list is an error. There are no scripts and no regular expressions.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"

enum jsonpath_step_kind {
    STEP_FIELD,
    STEP_INDICES, // one, several or a slice
    STEP_ALL,     // of a list, or the values of an object
    STEP_DESCENT, // the value and everything below it
    STEP_FILTER,  // those of which a comparison is true
};
enum jsonpath_operator {
    IS_THERE,
    IS_EQUAL,
    IS_UNEQUAL,
    IS_LESS,
    IS_LESS_EQUAL,
    IS_MORE,
    IS_MORE_EQUAL
};

struct jsonpath_slice {
    bool is_slice; // otherwise `from` alone
    bool has_from, has_to;
    int64_t from, to, stride;
};
struct jsonpath_step;
struct jsonpath_way {
    VECTOR(struct jsonpath_step) steps;
    bool from_root; // otherwise from the current value
};
struct jsonpath_operand {
    json_t *literal; // NULL: the value at `way`
    struct jsonpath_way way;
};
struct jsonpath_step {
    enum jsonpath_step_kind kind;
    char *field;
    VECTOR(struct jsonpath_slice) slices;
    enum jsonpath_operator operator;
    struct jsonpath_operand *operands; // of a filter: two
};
enum jsonpath_part_kind { PART_TEXT, PART_WAY, PART_RANGE, PART_END };
struct jsonpath_part {
    enum jsonpath_part_kind kind;
    char *text;
    struct jsonpath_way way;
};
struct jsonpath {
    VECTOR(struct jsonpath_part) parts;
};

// NULL: the message tells where the template is wrong. The caller frees it.
struct jsonpath *jsonpath_compile(const char *template, struct error *error) MUST_USE;
void jsonpath_destroy(struct jsonpath *path); // NULL is fine
