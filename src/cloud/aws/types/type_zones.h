// The zones that EC2 offers each instance type in (AWI-2).
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cloud/aws/types/instance_info.h"

struct type_zones {
    struct arena *arena;
    const char *names[64]; // of all zones, by name; a zone's bit in a mask is its place
    uint32_t count;
    struct map *masks; // type -> uint64_t; NULL: every type in every zone
    bool full;         // a zone had no place left
};
struct type_zones *type_zones_create(void);
// Every type is offered in all of them; NULL-terminated.
struct type_zones *type_zones_of(const char *const *names);
void type_zones_destroy(struct type_zones *zones); // NULL is fine
// A page of DescribeInstanceTypeOfferings; then finish, which sorts the zones.
void type_zones_add_page(struct type_zones *zones, const json_t *reply);
void type_zones_finish(struct type_zones *zones);
uint64_t type_zones_mask(const struct type_zones *zones, const char *instance_type);
bool type_zones_equal(const struct type_zones *a, const struct type_zones *b);
