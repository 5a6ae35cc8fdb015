// Values of device selectors while they are evaluated (device_selector.h).
#pragma once

#include "model/devices/device_facts.h"
#include "model/devices/selector_tree.h"

enum selector_value_kind {
    VALUE_FAILED, // an error, as CEL's evaluation has it
    VALUE_ABSENT, // an optional without value
    VALUE_NULL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_STRING,
    VALUE_VERSION,
    VALUE_QUANTITY, // number, in thousandths
    VALUE_LIST,
    VALUE_DEVICE,
    VALUE_ATTRIBUTES, // of all domains
    VALUE_CAPACITIES,
    VALUE_ATTRIBUTE_DOMAIN, // text: the domain
    VALUE_CAPACITY_DOMAIN,
};
struct selector_value {
    enum selector_value_kind kind;
    bool optional; // of optional type, with a value or VALUE_ABSENT
    int64_t number;
    const char *text;
    const struct selector_value *items;
    uint32_t count;
};

static inline struct selector_value value_of(enum selector_value_kind kind, int64_t number)
{
    return (struct selector_value){.kind = kind, .number = number};
}
static inline struct selector_value value_text(enum selector_value_kind kind, const char *text)
{
    return (struct selector_value){.kind = kind, .text = text};
}
static inline struct selector_value value_failed(void)
{
    return value_of(VALUE_FAILED, 0);
}

// The comparison's result, or VALUE_FAILED where the kinds do not compare.
struct selector_value values_compare(enum selector_comparison comparison, struct selector_value a,
                                     struct selector_value b);
// Semantic versions. The parts of one; false if it is none.
bool semver_parse(const char *text, int64_t parts[3]);
int semver_compare(const char *a, const char *b);
