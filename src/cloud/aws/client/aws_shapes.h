// The shapes of requests and replies: tables of members, with the names that the wire has.
//
// Names on the wire: a table says only what differs from the rule. EC2: the member's name with its
// first letter lowered in a reply, raised in a request. Other services: the member's own name.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum aws_kind {
    AWS_TEXT,
    AWS_INTEGER,
    AWS_DOUBLE,
    AWS_BOOLEAN,
    AWS_TIMESTAMP, // JSON: RFC 3339 text
    AWS_STRUCT,    // of `shape`
    AWS_LIST,      // of `shape`; NULL: of texts
    AWS_ANY,       // only of the services that speak JSON: passes as it is
};
struct aws_shape;
struct aws_field {
    const char *name;
    const char *wire; // NULL: by the rule
    enum aws_kind kind;
    const struct aws_shape *shape;
};
struct aws_shape {
    const struct aws_field *fields;
    uint32_t count;
};
#define AWS_SHAPE(name, ...)                                       \
    static const struct aws_field name##_fields[] = {__VA_ARGS__}; \
    const struct aws_shape name = {name##_fields, sizeof name##_fields / sizeof name##_fields[0]}
#define AWS_LOCAL_SHAPE(name, ...)                                 \
    static const struct aws_field name##_fields[] = {__VA_ARGS__}; \
    static const struct aws_shape name = {name##_fields,           \
                                          sizeof name##_fields / sizeof name##_fields[0]}
#define AWS_EMPTY_SHAPE(name) const struct aws_shape name = {NULL, 0}
