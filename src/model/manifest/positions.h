// Positions of a text's values, for messages: a tree of places, each with its parent, its key or
// index, and its line and column. A place takes some 30 bytes, however long its path is.
//
// Reference counted: the documents of a text share one tree.
#pragma once

#include <stdint.h>

struct positions;

struct positions *positions_create(void); // with one reference
struct positions *positions_retain(struct positions *positions);
void positions_release(struct positions *positions); // NULL is fine

// Adds places, numbered from 0 on. Lines and columns are 1-based. The name is copied.
uint32_t positions_add_root(struct positions *positions, uint32_t line, uint32_t column);
uint32_t positions_add_member(struct positions *positions, uint32_t parent, const char *name,
                              uint32_t line, uint32_t column);
uint32_t positions_add_item(struct positions *positions, uint32_t parent, uint32_t index,
                            uint32_t line, uint32_t column);

// The place at `path` below `from` ("spec.limits.cpu", "x[1].y", "a[\"b/c\"]"; quotes and
// backslashes in quoted names may be escaped), or its nearest existing parent.
uint32_t positions_find(struct positions *positions, uint32_t from, const char *path);
void positions_get(const struct positions *positions, uint32_t place, uint32_t *line,
                   uint32_t *column);
