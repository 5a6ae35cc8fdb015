// The user's own on-demand prices (AWI-916, 917): of types, or factors of list prices, such as
// negotiated discounts. Read from a file at start:
// {"onDemand": {"m5.large": 0.09}, "multipliers": {"m5.*": 0.72, "*": 0.95}}.
// Of several patterns that match a type the longest counts; "*" stands for any text.
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

struct own_prices;
// NULL with the error, which names the entry. One of `value`, which is read, not kept.
struct own_prices *own_prices_create(const json_t *value, struct error *error);
struct own_prices *own_prices_load(const char *path, struct error *error);
void own_prices_destroy(struct own_prices *own); // NULL is fine

// Nano-USD an hour for a list price; 0 for 0 (unknown), unless the user has given one. `own` NULL:
// the list price.
int64_t own_price_of(const struct own_prices *own, const char *instance_type, int64_t list_price);
