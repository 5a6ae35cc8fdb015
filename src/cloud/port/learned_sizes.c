#include "cloud/port/learned_sizes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/schema/core.h"
#include "model/schema/resources.h"

// Device plugins report other resources long after the Node.
static const char *const resources[] = {"cpu", "memory", "ephemeral-storage"};
#define RESOURCES ARRAY_LENGTH(resources)

struct size {
    int64_t capacity[RESOURCES], allocatable[RESOURCES];
};
struct lesson { // of an instance type
    char *image;
    int64_t launched; // the newest machine with the image
    struct size size; // the least of each
    bool differs;     // from the estimate
};
struct learned_sizes {
    struct map *lessons; // by instance type
    uint32_t differing;
};

struct learned_sizes *learned_sizes_create(void)
{
    struct learned_sizes *sizes = memory_allocate(sizeof *sizes);
    sizes->lessons = map_create();
    return sizes;
}

static void lesson_destroy(void *value)
{
    free(((struct lesson *)value)->image);
    free(value);
}

void learned_sizes_destroy(struct learned_sizes *sizes)
{
    if (sizes == NULL)
        return;
    map_destroy(sizes->lessons, lesson_destroy);
    free(sizes);
}

bool learned_sizes_any(const struct learned_sizes *sizes)
{
    return sizes->differing > 0;
}

// --- learning ------------------------------------------------------------------------------------
static struct size size_of(const struct node *node)
{
    struct size size;
    for (size_t i = 0; i < RESOURCES; i++) {
        size.capacity[i] = resource_map_get(&node->status.capacity, resources[i]);
        size.allocatable[i] = resource_map_get(&node->status.allocatable, resources[i]);
    }
    return size;
}

static bool lower(int64_t *kept, int64_t seen)
{
    bool lowers = seen < *kept;
    *kept = lowers ? seen : *kept;
    return lowers;
}

static bool lower_all(struct size *kept, const struct size *seen)
{
    bool lowered = false;
    for (size_t i = 0; i < RESOURCES; i++) {
        lowered = lower(&kept->capacity[i], seen->capacity[i]) || lowered;
        lowered = lower(&kept->allocatable[i], seen->allocatable[i]) || lowered;
    }
    return lowered;
}

static bool differs(const struct size *size, const struct instance_type *estimated)
{
    CLEANUP_ARENA struct arena *arena = arena_create(2048);
    struct resource_map allocatable = instance_type_allocatable(arena, estimated, NULL);
    for (size_t i = 0; i < RESOURCES; i++)
        if (size->capacity[i] != resource_map_get(&estimated->capacity, resources[i]) ||
            size->allocatable[i] != resource_map_get(&allocatable, resources[i]))
            return true;
    return false;
}

static struct lesson *lesson_make(struct learned_sizes *sizes, const char *type)
{
    struct lesson *lesson = map_get(sizes->lessons, type);
    if (lesson == NULL) {
        lesson = memory_allocate(sizeof *lesson);
        *lesson = (struct lesson){.image = NULL, .launched = INT64_MIN};
        map_set(sizes->lessons, type, lesson);
    }
    return lesson;
}

// True if the lesson has changed.
static bool take_in(struct lesson *lesson, const char *image, int64_t launched,
                    const struct size *size)
{
    bool newer = launched > lesson->launched;
    if (text_equal(lesson->image, image)) {
        lesson->launched = newer ? launched : lesson->launched;
        return lower_all(&lesson->size, size);
    }
    if (!newer)
        return false; // an older image
    free(lesson->image);
    *lesson = (struct lesson){memory_copy_string(image), launched, *size, lesson->differs};
    return true;
}

bool learned_sizes_note(struct learned_sizes *sizes, const struct node_claim *claim,
                        const struct node *node, const struct instance_type *estimated)
{
    assert(estimated->name != NULL);
    const char *image = claim->status.image_id != NULL ? claim->status.image_id : "";
    struct size size = size_of(node);
    if (size.allocatable[0] <= 0 || size.allocatable[1] <= 0)
        return false; // the kubelet has not reported yet
    struct lesson *lesson = lesson_make(sizes, estimated->name);
    if (!take_in(lesson, image, claim->meta.creation_timestamp, &size))
        return false;
    bool differed = lesson->differs;
    lesson->differs = differs(&lesson->size, estimated);
    sizes->differing += lesson->differs;
    assert(sizes->differing >= differed);
    sizes->differing -= differed;
    assert(sizes->differing <= map_count(sizes->lessons));
    return differed || lesson->differs;
}

// --- correcting a type ---------------------------------------------------------------------------
static struct resource_map with(struct arena *arena, const struct resource_map *map,
                                const char *resource, int64_t value)
{
    struct resource_quantity entry = {resource, value};
    struct resource_map one = {.items = &entry, .count = 1};
    return resource_map_override(arena, map, &one);
}

void learned_sizes_correct(const struct learned_sizes *sizes, struct arena *arena,
                           struct instance_type *type)
{
    assert(arena != NULL);
    assert(type->name != NULL);
    const struct lesson *lesson = map_get(sizes->lessons, type->name);
    if (lesson == NULL)
        return;
    struct resource_map estimate = instance_type_allocatable(arena, type, NULL);
    struct instance_type_overhead *overhead = &type->overhead;
    for (size_t i = 0; i < RESOURCES; i++) {
        const char *name = resources[i];
        int64_t capacity = lesson->size.capacity[i], allocatable = lesson->size.allocatable[i];
        if (capacity == 0 || (capacity == resource_map_get(&type->capacity, name) &&
                              allocatable == resource_map_get(&estimate, name)))
            continue;
        type->capacity = with(arena, &type->capacity, name, capacity);
        overhead->kube_reserved =
            with(arena, &overhead->kube_reserved, name, capacity - allocatable);
        overhead->system_reserved = with(arena, &overhead->system_reserved, name, 0);
        overhead->eviction_threshold = with(arena, &overhead->eviction_threshold, name, 0);
    }
}
