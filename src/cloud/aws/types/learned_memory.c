#include "cloud/aws/types/learned_memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"

#define LIFETIME   (60 * 24 * HOUR) // AWI-22
#define IMAGES_MAX 4                // of a type: the newest
#define TYPES_MAX  5000
#define TEXT_MAX   64

struct sample {
    char image[TEXT_MAX], family[TEXT_MAX];
    int64_t bytes, seen; // bytes 0: the place is free
};
struct samples {
    struct sample items[IMAGES_MAX];
};
struct learned_memory {
    struct loop *loop;
    struct map *by_type;
};

struct learned_memory *learned_memory_create(struct loop *loop)
{
    assert(loop != NULL);
    struct learned_memory *memory = memory_allocate(sizeof *memory);
    memory->loop = loop;
    memory->by_type = map_create();
    return memory;
}

void learned_memory_destroy(struct learned_memory *memory)
{
    if (memory == NULL)
        return;
    map_destroy(memory->by_type, free);
    free(memory);
}

static bool is_alive(const struct learned_memory *memory, const struct sample *sample)
{
    return sample->bytes > 0 && ns_subtract(loop_now_ns(memory->loop), sample->seen) < LIFETIME;
}

static struct sample *find(struct samples *samples, const char *image)
{
    for (uint32_t i = 0; samples != NULL && i < IMAGES_MAX; i++)
        if (samples->items[i].bytes > 0 && strcmp(samples->items[i].image, image) == 0)
            return &samples->items[i];
    return NULL;
}

static struct sample *oldest(struct samples *samples)
{
    struct sample *place = &samples->items[0];
    for (uint32_t i = 1; i < IMAGES_MAX; i++)
        if (samples->items[i].seen < place->seen)
            place = &samples->items[i];
    return place;
}

static bool store(struct learned_memory *memory, const char *instance_type,
                  const struct sample *sample)
{
    if (map_count(memory->by_type) >= TYPES_MAX && map_get(memory->by_type, instance_type) == NULL)
        return false;
    struct samples *samples = map_ensure(memory->by_type, instance_type, sizeof *samples);
    struct sample *known = find(samples, sample->image);
    if (known != NULL && is_alive(memory, known) && sample->bytes > known->bytes)
        return false;
    bool same = known != NULL && known->bytes == sample->bytes && is_alive(memory, known);
    *(known != NULL ? known : oldest(samples)) = *sample;
    return !same;
}

bool learned_memory_note(struct learned_memory *memory, const char *instance_type,
                         const char *image_id, const char *family, int64_t bytes)
{
    struct sample sample = {.bytes = bytes, .seen = loop_now_ns(memory->loop)};
    if (bytes <= 0 || strlen(instance_type) >= TEXT_MAX || strlen(image_id) >= TEXT_MAX ||
        strlen(family) >= TEXT_MAX)
        return false;
    snprintf(sample.image, sizeof sample.image, "%s", image_id);
    snprintf(sample.family, sizeof sample.family, "%s", family);
    if (!store(memory, instance_type, &sample))
        return false;
    log_debug("updating discovered capacity cache", "i:memory-capacity", bytes, "s:instance-type",
              instance_type);
    return true;
}

bool learned_memory_knows(const struct learned_memory *memory, const char *instance_type)
{
    return map_get(memory->by_type, instance_type) != NULL;
}

int64_t learned_memory_get(const struct learned_memory *memory, const char *instance_type,
                           const char *image_id, const char *family, bool estimate)
{
    struct samples *samples = map_get(memory->by_type, instance_type);
    const struct sample *own = find(samples, image_id), *newest = NULL;
    if (own != NULL && is_alive(memory, own))
        return own->bytes;
    for (uint32_t i = 0; estimate && samples != NULL && i < IMAGES_MAX; i++) {
        const struct sample *other = &samples->items[i];
        if (is_alive(memory, other) && family[0] != '\0' && strcmp(other->family, family) == 0 &&
            (newest == NULL || other->seen > newest->seen))
            newest = other;
    }
    return newest != NULL ? newest->bytes - newest->bytes / 200 : 0;
}

json_t *learned_memory_encode(const struct learned_memory *memory)
{
    json_t *all = json_object();
    for (struct map_entry *entry = map_first(memory->by_type); entry != NULL;
         entry = map_next(entry)) {
        const struct samples *samples = map_value(entry);
        json_t *list = json_array();
        for (uint32_t i = 0; i < IMAGES_MAX; i++) {
            const struct sample *sample = &samples->items[i];
            char seen[INSTANT_TEXT_MAX];
            if (!is_alive(memory, sample))
                continue;
            instant_format(sample->seen, seen);
            json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s}", "image", sample->image,
                                                  "family", sample->family, "memory",
                                                  (json_int_t)sample->bytes, "seen", seen));
        }
        if (json_array_size(list) > 0)
            json_object_set(all, map_key(entry), list);
        json_decref(list);
    }
    return all;
}

static bool sample_read(const json_t *item, struct sample *sample)
{
    const char *image = json_string_value(json_object_get(item, "image"));
    const char *family = json_string_value(json_object_get(item, "family"));
    const char *seen = json_string_value(json_object_get(item, "seen"));
    sample->bytes = json_integer_value(json_object_get(item, "memory"));
    if (text_is_empty(image) || strlen(image) >= TEXT_MAX || sample->bytes <= 0 || seen == NULL ||
        (family != NULL && strlen(family) >= TEXT_MAX) || !instant_parse(seen, &sample->seen, NULL))
        return false;
    snprintf(sample->image, sizeof sample->image, "%s", image);
    snprintf(sample->family, sizeof sample->family, "%s", text_or_empty(family));
    return true;
}

uint32_t learned_memory_decode(struct learned_memory *memory, const json_t *value)
{
    uint32_t skipped = 0;
    const char *type;
    json_t *list, *item;
    size_t index;
    json_object_foreach ((json_t *)value, type, list)
        json_array_foreach (list, index, item) {
            struct sample sample = {0};
            if (strlen(type) >= TEXT_MAX || !sample_read(item, &sample) ||
                !is_alive(memory, &sample) || sample.seen > loop_now_ns(memory->loop)) {
                skipped++;
                continue;
            }
            store(memory, type, &sample);
        }
    return skipped;
}
