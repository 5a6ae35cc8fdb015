#include "cloud/aws/instances/instance_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"

struct instance_cache {
    struct map *instances; // id -> struct cached_instance
};

static void cached_free(void *value)
{
    arena_destroy(((struct cached_instance *)value)->arena);
    free(value);
}

struct instance_cache *instance_cache_create(void)
{
    struct instance_cache *cache = memory_allocate(sizeof *cache);
    cache->instances = map_create();
    return cache;
}

void instance_cache_destroy(struct instance_cache *cache)
{
    map_destroy(cache->instances, cached_free);
    free(cache);
}

void instance_cache_put(struct instance_cache *cache, const struct aws_instance_facts *facts,
                        int64_t now_ns)
{
    struct arena *arena = arena_create(512);
    struct aws_instance_facts copy;
    instance_facts_copy(arena, facts, &copy); // before the old ones go, which may be the source
    struct cached_instance *cached = map_ensure(cache->instances, copy.id, sizeof *cached);
    arena_destroy(cached->arena);
    cached->arena = arena;
    cached->facts = copy;
    cached->fetched_at = now_ns;
}

struct cached_instance *instance_cache_get(const struct instance_cache *cache, const char *id)
{
    return map_get(cache->instances, id);
}

void instance_cache_remove(struct instance_cache *cache, const char *id)
{
    struct cached_instance *cached = map_remove(cache->instances, id);
    if (cached != NULL)
        cached_free(cached);
}

void instance_cache_replace(struct instance_cache *cache, const struct aws_instance_facts *items,
                            uint32_t count, int64_t now_ns,
                            bool (*keeps)(void *context, const struct aws_instance_facts *facts),
                            void *context)
{
    struct map *listed = map_create();
    for (uint32_t i = 0; i < count; i++) {
        map_set(listed, items[i].id, cache);
        instance_cache_put(cache, &items[i], now_ns);
    }
    for (struct map_entry *entry = map_first(cache->instances), *next; entry != NULL;
         entry = next) {
        struct cached_instance *cached = map_value(entry);
        next = map_next(entry);
        if (map_get(listed, cached->facts.id) != NULL || keeps(context, &cached->facts))
            continue;
        map_remove(cache->instances, cached->facts.id);
        cached_free(cached);
    }
    map_destroy(listed, NULL);
}
