// Allocation that never returns NULL (out of memory ends the process), arenas, and cleanup.
//
// Three lifetimes: the process; an object (one block); a computation (an arena, freed whole).
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/attributes.h"

void *memory_allocate(size_t size);                     // zeroed
void *memory_allocate_array(size_t count, size_t size); // zeroed, overflow checked
void *memory_resize(void *block, size_t size);          // new part not zeroed
char *memory_copy_string(const char *text);             // NULL gives NULL
void *memory_copy(const void *data, size_t size);
// For a process that runs for months: freed plans go back to the system at once, and threads share
// one heap. Call it before any thread starts. A hint: only glibc supports it.
void memory_stay_small(void);

// Bump allocator. Blocks double in size from `first_block_bytes` up to 1 MiB; a request that is
// larger than the next block has one of its own. Everything is freed by arena_destroy() or
// arena_reset().
struct arena;
struct arena *arena_create(size_t first_block_bytes);
void arena_destroy(struct arena *arena);       // NULL is fine
void arena_reset(struct arena *arena);         // keeps the largest block
size_t arena_bytes(const struct arena *arena); // bytes held from the system

void *arena_allocate(struct arena *arena, size_t size); // zeroed, 16-byte aligned
void *arena_allocate_array(struct arena *arena, size_t count, size_t size);
char *arena_copy_string(struct arena *arena, const char *text);               // NULL gives NULL
char *arena_copy_bytes(struct arena *arena, const char *data, size_t length); // adds a NUL
char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

static inline void cleanup_free(void *pointer)
{
    free(*(void **)pointer);
}
static inline void cleanup_arena(struct arena **arena)
{
    arena_destroy(*arena);
}
#define CLEANUP_FREE  __attribute__((cleanup(cleanup_free)))
#define CLEANUP_ARENA __attribute__((cleanup(cleanup_arena)))

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
