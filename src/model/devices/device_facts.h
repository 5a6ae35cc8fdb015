// What is known of one device: attributes and capacity, as a ResourceSlice tells them.
#pragma once

#include "base/memory.h"
#include "model/schema/devices.h"

enum attribute_kind { ATTRIBUTE_STRING, ATTRIBUTE_INT, ATTRIBUTE_BOOL, ATTRIBUTE_VERSION };
struct device_attribute {
    const char *domain, *name; // a name without domain belongs to the driver's
    enum attribute_kind kind;
    const char *text; // string or version
    int64_t number;   // int, or bool as 0 or 1
    // The value is chosen when the driver starts: equal ones say which devices of a machine will
    // share one (SCH-422). Selectors do not see it.
    bool at_runtime;
};
// Quantities of devices are in thousandths, rounded up: some are fractions.
#define DEVICE_QUANTITY_EXPONENT 3
struct device_capacity {
    const char *domain, *name;
    int64_t amount;
    // How a request for a part of it is rounded (requestPolicy); 0: not stated.
    int64_t request_default, request_step, request_least, request_most;
    LIST(int64_t) request_values; // ascending: the only amounts; empty: not stated
};
struct device_facts {
    const char *driver, *name;
    LIST(struct device_attribute) attributes;
    LIST(struct device_capacity) capacity;
    bool allow_multiple_allocations;
};
struct named_amount {
    const char *name;
    int64_t amount; // in thousandths
};
typedef LIST(struct named_amount) named_amount_list;

// Reads the device's JSON parts into the arena. Attributes and capacities whose form is unknown
// make it fail: a selector could not be judged without them.
bool device_facts_read(struct arena *arena, const char *driver, const struct device *device,
                       struct device_facts *facts, struct error *error) MUST_USE;
// Reads {name: quantity} or {name: {value: quantity}}; NULL is empty. Sorted by name.
bool named_amounts_read(struct arena *arena, const char *json, named_amount_list *list,
                        struct error *error) MUST_USE;

// By qualified name, "domain/name", or a bare name of the driver's; NULL: absent.
const struct device_attribute *device_attribute_find(const struct device_facts *facts,
                                                     const char *qualified_name);
const struct device_capacity *device_capacity_find(const struct device_facts *facts,
                                                   const char *qualified_name);
bool device_attributes_equal(const struct device_attribute *a, const struct device_attribute *b);
