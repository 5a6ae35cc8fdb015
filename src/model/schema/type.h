// One table per type (design.md idea 2): a static table of fields. The decoder, the encoder,
// defaulting, the offline validator, the CRD's OpenAPI schema and the reference page are derived
// from it.
//
// A field's row gives its JSON name, kind, offset in the C struct, and the constraints that an API
// server would check. Schema-only fields (never read by adze but part of a CRD) have
// FIELD_SCHEMA_ONLY and no offset.
#pragma once

#include <stddef.h>

#include "model/schema/object.h"

enum field_kind {         // C type at the offset                schema
    FIELD_STRING,         // const char *                        string
    FIELD_BOOL,           // bool (absent = false)               boolean
    FIELD_OPTIONAL_BOOL,  // struct optional_bool                boolean
    FIELD_INT,            // int64_t (absent = 0)                integer, int64
    FIELD_INT32,          // int64_t                             integer, int32
    FIELD_OPTIONAL_INT,   // struct optional_int                 integer, int64
    FIELD_OPTIONAL_INT32, // struct optional_int                 integer, int32
    FIELD_INT_OR_STRING,  // struct int_or_string                int-or-string
    FIELD_DURATION,       // struct duration                     string (pattern in the row)
    FIELD_TIME,           // int64_t ns, 0 absent                string date-time, seconds
    FIELD_MICRO_TIME,     // int64_t ns, 0 absent                string date-time, microseconds
    FIELD_PRICE,          // int64_t nano-USD (number or string) number
    FIELD_OBJECT,         // the struct itself, `type`           object
    FIELD_POINTER,        // pointer to a struct, `type`         object; NULL = absent
    FIELD_LIST,           // LIST(struct), `type`                array of objects
    FIELD_STRING_LIST,    // struct string_list                  array of strings
    FIELD_STRING_MAP,     // struct string_map                   object of strings
    FIELD_RESOURCE_MAP,   // struct resource_map                 object of quantities (API-12)
    FIELD_JSON,           // const char *: compact JSON text     preserve-unknown-fields
};

enum field_flags {
    FIELD_REQUIRED = 1 << 0,
    FIELD_HAS_MINIMUM = 1 << 1,
    FIELD_HAS_MAXIMUM = 1 << 2,
    FIELD_IMMUTABLE = 1 << 3,
    FIELD_LIST_SET = 1 << 4, // x-kubernetes-list-type: set
    FIELD_LIST_MAP = 1 << 5, // x-kubernetes-list-type: map, by `list_key`
    FIELD_LIST_ATOMIC = 1 << 6,
    FIELD_MAP_ATOMIC = 1 << 7,
    FIELD_MAP_GRANULAR = 1 << 8,
    FIELD_SCHEMA_ONLY = 1 << 9,
    FIELD_HASHED = 1 << 10,        // takes part in the drift hash
    FIELD_AWS_ONLY = 1 << 11,      // left out with --core
    FIELD_NULL_TO_EMPTY = 1 << 12, // an explicit null reads as an empty list or map
    FIELD_SHARED = 1 << 13,        // values repeat across objects (namespaces, reasons): kept once
    FIELD_REQUIRED_AS_OF_AWS = 1 << 14, // required, without the default, in the AWS provider's form
};

struct type;

// A CEL rule: its message is part of the interface (API-2). The same condition in C stands beside
// the expression, over JSON after defaulting. Of the three functions exactly one is set:
//   violated       the whole value at the node; `old_value` is NULL unless the object is updated
//   and
//                  the node can be matched with one of the old object
//   item_violated  called for each item of the list at the node; the finding names the item
//   text_violated  called for the string at the node, or for each key of the map there
// Values of the wrong type never violate a rule: the structural check has reported them.
struct rule {
    const char *id; // "API-44"
    const char *message;
    const char *expression; // CEL for the CRD; @LIST@ stands for `arguments` as a CEL list
    bool aws_only;
    bool transition; // uses oldSelf: runs on update only
    bool (*violated)(const struct rule *rule, const json_t *value, const json_t *old_value);
    bool (*item_violated)(const struct rule *rule, const json_t *item);
    bool (*text_violated)(const struct rule *rule, const char *text);
    const char *const *arguments; // NULL-terminated texts for the function, or NULL
    const char *hint;             // the remedy, or NULL
};

struct field {
    const char *name;
    enum field_kind kind;
    uint32_t offset;
    uint32_t flags;
    const struct type *type;         // OBJECT, POINTER, LIST
    const char *default_json;        // JSON text, e.g. "\"720h\""
    const char *pattern;             // of the string, or of list items / map values
    const char *const *enum_values;  // NULL-terminated; of the string or list items
    const char *format;              // OpenAPI format if not implied
    int64_t minimum, maximum;        // numbers (with the flags)
    uint32_t min_length, max_length; // strings; 0 = unbounded
    uint32_t min_items, max_items;   // lists and maps (maxProperties); 0 = unbounded
    const char *list_key;            // FIELD_LIST_MAP
    const struct rule *rules;        // at this node
    uint32_t rules_count;
    const struct rule *item_rules; // at each item (lists) or value (maps)
    uint32_t item_rules_count;
    const char *rule_id; // "API-32", for messages
    const char *documentation;
};

struct type {
    const char *name; // as in the drift hash and the reference page
    uint32_t size;    // of the C struct
    const struct field *fields;
    uint32_t fields_count;
    const struct rule *rules; // at the object node itself
    uint32_t rules_count;
    const char *documentation;
};

// --- writing tables ------------------------------------------------------------------------------
// A row is one line: FIELD(struct taint, key, "key", STRING, .flags = FIELD_REQUIRED). Structs
// without a name are spelt MEMBER(struct node, spec); those behind a pointer TARGET(...); those in
// a list ITEM(...).
#define FIELD(owner, member, json_name, kind_name, ...)                                            \
    {                                                                                              \
        .name = json_name, .kind = FIELD_##kind_name, .offset = (uint32_t)offsetof(owner, member), \
        __VA_ARGS__                                                                                \
    }
#define FIELD_SCHEMA(json_name, kind_name, extra_flags, ...)                                      \
    {                                                                                             \
        .name = json_name, .kind = FIELD_##kind_name, .flags = FIELD_SCHEMA_ONLY | (extra_flags), \
        __VA_ARGS__                                                                               \
    }
#define MEMBER(owner, member) __typeof__(((owner *)0)->member)
#define TARGET(owner, member) __typeof__(*((owner *)0)->member)
#define ITEM(owner, member)   __typeof__(*((owner *)0)->member.items)
// A table over the array `rows` of FIELDs.
#define TYPE(type_name, c_type, rows, ...)                                   \
    {                                                                        \
        .name = type_name, .size = (uint32_t)sizeof(c_type), .fields = rows, \
        .fields_count = sizeof(rows) / sizeof((rows)[0]), __VA_ARGS__        \
    }

const struct field *type_field(const struct type *type, const char *name); // NULL if unknown

// Printer columns and the other parts of a CRD beside its schema.
struct printer_column {
    const char *name, *column_type, *json_path, *description;
    int priority;
};
struct custom_kind {
    const char *const *short_names; // NULL-terminated, or NULL
    const char *category;
    const struct printer_column *columns;
    uint32_t columns_count;
    bool status_subresource;
    const char *scale_spec_path, *scale_status_path; // NULL: no scale subresource
    bool spec_required;
    const char *older_version; // of the same shape, served beside the stored one; NULL: none
};
