// The last known facts of instances (AWI-405, 413): filled by reads, never by launches.
#pragma once

#include "cloud/aws/instances/instance_facts.h"

struct instance_cache;
struct cached_instance {
    struct arena *arena;
    struct aws_instance_facts facts;
    int64_t fetched_at;   // monotonic
    int64_t suspected_at; // since when its reservation is doubted (instance_drift.h); 0: it is not
};
struct instance_cache *instance_cache_create(void);
void instance_cache_destroy(struct instance_cache *cache);
// Copies the facts.
void instance_cache_put(struct instance_cache *cache, const struct aws_instance_facts *facts,
                        int64_t now_ns);
struct cached_instance *instance_cache_get(const struct instance_cache *cache, const char *id);
void instance_cache_remove(struct instance_cache *cache, const char *id);
// A complete list: others are dropped, unless `keeps` says otherwise.
void instance_cache_replace(struct instance_cache *cache, const struct aws_instance_facts *items,
                            uint32_t count, int64_t now_ns,
                            bool (*keeps)(void *context, const struct aws_instance_facts *facts),
                            void *context);
