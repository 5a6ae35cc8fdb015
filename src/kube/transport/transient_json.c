#include "kube/transport/transient_json.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define POOL_BYTES ((size_t)256 << 10) // one large object, or some small ones
#define ALIGNMENT  16
#ifndef __has_feature
#define __has_feature(name) 0 // defined by Clang
#endif

// jansson has one allocator for the whole process, unlike libcurl or OpenSSL with their contexts;
// so this pool is process-wide too.
static struct {
    pthread_mutex_t lock; // held by the thread that parses
    char *data;
    size_t used;        // of the thread that parses
    atomic_size_t live; // blocks that are not free
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local bool is_parsing;

static void *json_allocate(size_t size)
{
    if (!is_parsing || size > POOL_BYTES)
        return malloc(size);
    size_t rounded = (size + (size == 0) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (rounded > POOL_BYTES - pool.used)
        return malloc(size);
    assert(pool.used % ALIGNMENT == 0);
    void *block = pool.data + pool.used;
    pool.used += rounded;
    atomic_fetch_add_explicit(&pool.live, 1, memory_order_relaxed);
    return block;
}

static void json_free(void *block)
{
    uintptr_t offset = (uintptr_t)block - (uintptr_t)pool.data;
    if (block != NULL && offset < POOL_BYTES)
        atomic_fetch_sub_explicit(&pool.live, 1, memory_order_release);
    else
        free(block);
}

// Off under sanitizers, so that they check each block; a test of the pool turns it on.
static void set_up(void)
{
#if defined(TRANSIENT_JSON_TEST) || \
    !(defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer))
    pool.data = malloc(POOL_BYTES);
    if (pool.data != NULL)
        json_set_alloc_funcs(json_allocate, json_free);
#else
    (void)json_allocate, (void)json_free;
#endif
}

json_t *transient_json(const char *text, size_t length, json_error_t *why)
{
    assert(text != NULL);
    assert(!is_parsing);
    pthread_once(&once, set_up);
    bool has_pool = pool.data != NULL && pthread_mutex_trylock(&pool.lock) == 0;
    if (has_pool && atomic_load_explicit(&pool.live, memory_order_acquire) == 0)
        pool.used = 0;
    is_parsing = has_pool;
    json_t *value = json_loadb(text, length, JSON_ALLOW_NUL, why);
    is_parsing = false;
    if (has_pool)
        pthread_mutex_unlock(&pool.lock);
    return value;
}
