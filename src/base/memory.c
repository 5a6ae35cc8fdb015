#include "base/memory.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_ALIGNMENT       16
#define ARENA_BLOCK_BYTES_MIN 256
#define ARENA_BLOCK_BYTES_MAX (1024 * 1024)
#define LARGE_BYTES           (128 * 1024) // larger blocks go back to the system when freed

static _Noreturn void out_of_memory(size_t size)
{
    fprintf(stderr, "adze: out of memory (%zu bytes wanted)\n", size);
    abort();
}

static size_t array_bytes(size_t count, size_t size)
{
    assert(size > 0);
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory(SIZE_MAX);
    return bytes;
}

void *memory_allocate(size_t size)
{
    void *block = calloc(1, size != 0 ? size : 1);
    if (block == NULL)
        out_of_memory(size);
    return block;
}

void *memory_allocate_array(size_t count, size_t size)
{
    return memory_allocate(array_bytes(count, size));
}

void *memory_resize(void *block, size_t size)
{
    void *resized = realloc(block, size != 0 ? size : 1);
    if (resized == NULL)
        out_of_memory(size);
    return resized;
}

char *memory_copy_string(const char *text)
{
    return text == NULL ? NULL : memory_copy(text, strlen(text) + 1);
}

void *memory_copy(const void *data, size_t size)
{
    assert(data != NULL || size == 0);
    void *copy = memory_resize(NULL, size);
    if (size != 0)
        memcpy(copy, data, size);
    return copy;
}

void memory_stay_small(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES); // a fixed threshold does not grow with the freed blocks
    mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
#endif
}

struct arena_block {
    struct arena_block *previous;
    size_t size; // of the data
    size_t used;
    _Alignas(ARENA_ALIGNMENT) char data[];
};

struct arena {
    struct arena_block *current;
    size_t next_block_bytes;
    size_t held_bytes;
};

static struct arena_block *arena_add_block(struct arena *arena);
static void *arena_allocate_alone(struct arena *arena, size_t size);

struct arena *arena_create(size_t first_block_bytes)
{
    struct arena *arena = memory_allocate(sizeof *arena);
    arena->next_block_bytes = first_block_bytes;
    if (arena->next_block_bytes < ARENA_BLOCK_BYTES_MIN)
        arena->next_block_bytes = ARENA_BLOCK_BYTES_MIN;
    if (arena->next_block_bytes > ARENA_BLOCK_BYTES_MAX)
        arena->next_block_bytes = ARENA_BLOCK_BYTES_MAX;
    return arena;
}

void arena_destroy(struct arena *arena)
{
    if (arena == NULL)
        return;
    for (struct arena_block *block = arena->current; block != NULL;) {
        struct arena_block *previous = block->previous;
        free(block);
        block = previous;
    }
    free(arena);
}

void arena_reset(struct arena *arena)
{
    assert(arena != NULL);
    struct arena_block *largest = NULL;
    for (struct arena_block *block = arena->current; block != NULL;) {
        struct arena_block *previous = block->previous;
        if (largest == NULL || block->size > largest->size) {
            free(largest);
            largest = block;
        } else {
            free(block);
        }
        block = previous;
    }
    arena->current = largest;
    arena->held_bytes = 0;
    if (largest != NULL) {
        largest->previous = NULL;
        largest->used = 0;
        assert(largest->size > 0);
        arena->held_bytes = sizeof *largest + largest->size;
    }
}

size_t arena_bytes(const struct arena *arena)
{
    assert(arena->current == NULL || arena->held_bytes > arena->current->size);
    return arena->held_bytes;
}

void *arena_allocate(struct arena *arena, size_t size)
{
    assert(arena != NULL);
    if (size > SIZE_MAX / 2)
        out_of_memory(size);
    // An empty request still gets an address of its own.
    size_t rounded = (size + (size == 0) + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    assert(rounded >= size);
    struct arena_block *block = arena->current;
    if (block == NULL || block->size - block->used < rounded) {
        if (rounded > arena->next_block_bytes)
            return arena_allocate_alone(arena, rounded);
        block = arena_add_block(arena);
    }
    char *data = block->data + block->used;
    block->used += rounded;
    assert(block->used <= block->size);
    return memset(data, 0, rounded);
}

static void grow_next_block(struct arena *arena)
{
    if (arena->next_block_bytes < ARENA_BLOCK_BYTES_MAX)
        arena->next_block_bytes *= 2;
}

static struct arena_block *arena_add_block(struct arena *arena)
{
    size_t size = arena->next_block_bytes & ~(size_t)(ARENA_ALIGNMENT - 1);
    grow_next_block(arena);
    assert(size >= ARENA_BLOCK_BYTES_MIN);
    struct arena_block *block = malloc(sizeof *block + size);
    if (block == NULL)
        out_of_memory(size);
    *block = (struct arena_block){.previous = arena->current, .size = size};
    arena->current = block;
    arena->held_bytes += sizeof *block + size;
    return block;
}

// A block of its own, behind the current one, which may still have room. Fresh memory from the
// system is zero already, so calloc() does not touch it.
static void *arena_allocate_alone(struct arena *arena, size_t size)
{
    assert(size > 0);
    assert(size % ARENA_ALIGNMENT == 0);
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (block == NULL)
        out_of_memory(size);
    grow_next_block(arena);
    block->size = block->used = size;
    struct arena_block **at = arena->current != NULL ? &arena->current->previous : &arena->current;
    block->previous = *at;
    *at = block;
    arena->held_bytes += sizeof *block + size;
    return block->data;
}

void *arena_allocate_array(struct arena *arena, size_t count, size_t size)
{
    return arena_allocate(arena, array_bytes(count, size));
}

char *arena_copy_string(struct arena *arena, const char *text)
{
    return text == NULL ? NULL : arena_copy_bytes(arena, text, strlen(text));
}

char *arena_copy_bytes(struct arena *arena, const char *data, size_t length)
{
    assert(data != NULL || length == 0);
    char *copy = arena_allocate(arena, length + 1);
    if (length != 0)
        memcpy(copy, data, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    assert(format != NULL);
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    char *text = arena_allocate(arena, (size_t)length + 1);
    int written = vsnprintf(text, (size_t)length + 1, format, again);
    assert(written == length);
    va_end(again);
    return text;
}
