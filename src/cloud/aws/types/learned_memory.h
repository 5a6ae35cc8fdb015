// Memory that Nodes have reported, by instance type and image (AWI-20 to 25, 906).
//
// The least value of a type and image counts, for 60 days after it was last confirmed. Another
// image of the same family gives a cautious estimate.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/loop.h"

struct learned_memory;
struct learned_memory *learned_memory_create(struct loop *loop);
void learned_memory_destroy(struct learned_memory *memory); // NULL is fine

// Whether the memory() of anything changes. `family` may be "": unknown.
bool learned_memory_note(struct learned_memory *memory, const char *instance_type,
                         const char *image_id, const char *family, int64_t bytes);
bool learned_memory_knows(const struct learned_memory *memory, const char *instance_type);
// 0: nothing is known. `estimate`: also by another image of the family, less 0.5 %.
int64_t learned_memory_get(const struct learned_memory *memory, const char *instance_type,
                           const char *image_id, const char *family, bool estimate);

// {"m5.large": [{"image": "ami-1", "family": "AL2023", "memory": 8109682688, "seen": "2026-..."}]}
json_t *learned_memory_encode(const struct learned_memory *memory);
// Adds; entries that cannot be read are skipped. Returns how many were.
uint32_t learned_memory_decode(struct learned_memory *memory, const json_t *value);
