#include "control/command/interruptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/reading/pool_annotations.h"

#define DAYS        7
#define DAY         (24 * HOUR)
#define COUNT_NS    MINUTE
#define SAVE_NS     HOUR
#define TEXT_MAX    (16 * 1024) // of an annotation
#define RECORDS_MAX 5000
#define NOTED_MAX   1000
#define NUMBER_MAX  INT64_C(1000000000000)

struct day {
    int64_t number; // days since the epoch
    int64_t interruptions, seconds;
};
struct record {
    char *pool, *type;
    struct day days[DAYS]; // by number modulo their count
};
struct interruptions {
    struct control *control;
    struct map *records; // by "pool/type"
    struct map *noted;   // by UID: NodeClaims whose end was counted
    bool recovered;
    int64_t counted_ns; // monotonic: end of the counted time; 0: not yet
    int64_t saved_ns;   // monotonic
    bool urgent;        // an interruption since the last save
};

struct interruptions *interruptions_create(struct control *control)
{
    struct interruptions *interruptions = memory_allocate(sizeof *interruptions);
    interruptions->control = control;
    interruptions->records = map_create();
    interruptions->noted = map_create();
    return interruptions;
}

static void destroy_record(void *value)
{
    struct record *record = value;
    free(record->pool);
    free(record->type);
    free(record);
}

void interruptions_destroy(struct interruptions *interruptions)
{
    if (interruptions == NULL)
        return;
    map_destroy(interruptions->records, destroy_record);
    map_destroy(interruptions->noted, NULL);
    free(interruptions);
}

static bool is_off(const struct interruptions *interruptions)
{
    const struct settings *settings = interruptions->control->manager.settings;
    return !settings->gate_spot_to_spot_consolidation || settings->spot_min_types >= 15;
}

// --- counting ------------------------------------------------------------------------------------
// NULL: there are too many.
static struct record *record_of(struct interruptions *interruptions, const char *pool,
                                const char *type)
{
    struct text key = {0};
    text_format(&key, "%s/%s", pool, type);
    struct record *record = map_get(interruptions->records, key.data);
    if (record == NULL && map_count(interruptions->records) < RECORDS_MAX) {
        record = memory_allocate(sizeof *record);
        record->pool = memory_copy_string(pool);
        record->type = memory_copy_string(type);
        map_set(interruptions->records, key.data, record);
    }
    text_free(&key);
    return record;
}

static struct day *day_of(struct record *record, int64_t number)
{
    struct day *day = &record->days[number % DAYS];
    if (day->number != number)
        *day = (struct day){.number = number};
    return day;
}

static struct day *today(struct interruptions *interruptions, const struct node_claim *claim)
{
    const struct object *object = (const struct object *)claim;
    const char *pool = object_label(object, LABEL_NODE_POOL);
    const char *type = object_label(object, LABEL_INSTANCE_TYPE);
    if (pool == NULL || type == NULL ||
        !text_equal(object_label(object, LABEL_CAPACITY_TYPE), CAPACITY_TYPE_SPOT))
        return NULL;
    struct record *record = record_of(interruptions, pool, type);
    return record != NULL ? day_of(record, manager_now(&interruptions->control->manager) / DAY)
                          : NULL;
}

void interruptions_note(struct interruptions *interruptions, const struct node_claim *claim)
{
    struct day *day = is_off(interruptions) ? NULL : today(interruptions, claim);
    if (day == NULL || map_get(interruptions->noted, claim->meta.uid) != NULL)
        return;
    if (map_count(interruptions->noted) >= NOTED_MAX) {
        map_destroy(interruptions->noted, NULL);
        interruptions->noted = map_create();
    }
    map_set(interruptions->noted, claim->meta.uid, interruptions);
    day->interruptions++;
    interruptions->urgent = true;
}

// --- on NodePools --------------------------------------------------------------------------------
static bool read_number(const char *text, int64_t *number)
{
    char *end;
    *number = text != NULL ? strtoll(text, &end, 10) : -1;
    return text != NULL && end != text && *end == '\0' && *number >= 0 && *number <= NUMBER_MAX;
}

// "2026-01-01/m5.large/2/86400"; other texts are ignored.
static void read_entry(struct interruptions *interruptions, const char *pool, char *entry)
{
    char *rest = NULL;
    const char *date = strtok_r(entry, "/", &rest), *type = strtok_r(NULL, "/", &rest);
    int64_t count, seconds, instant, now = manager_now(&interruptions->control->manager);
    struct error error = {0};
    if (!read_number(strtok_r(NULL, "/", &rest), &count) ||
        !read_number(strtok_r(NULL, "/", &rest), &seconds) || rest == NULL || *rest != '\0')
        return;
    char whole[40];
    snprintf(whole, sizeof whole, "%sT00:00:00Z", date);
    if (!instant_parse(whole, &instant, &error) || instant > now ||
        instant / DAY <= now / DAY - DAYS)
        return;
    struct record *record = record_of(interruptions, pool, type);
    if (record == NULL)
        return;
    struct day *day = day_of(record, instant / DAY);
    day->interruptions += count;
    day->seconds += seconds;
}

static void interruptions_read(struct interruptions *interruptions, const struct object *pool)
{
    const char *annotation = object_annotation(pool, ANNOTATION_SPOT_INTERRUPTIONS);
    if (annotation == NULL || strlen(annotation) > TEXT_MAX)
        return;
    char *text CLEANUP_FREE = memory_copy_string(annotation), *rest = NULL;
    for (char *entry = strtok_r(text, " ", &rest); entry != NULL;
         entry = strtok_r(NULL, " ", &rest))
        read_entry(interruptions, pool->meta.name, entry);
}

static void write_pool(const struct interruptions *interruptions, const char *pool,
                       struct text *out)
{
    int64_t last = manager_now(&interruptions->control->manager) / DAY;
    for (int64_t number = last; number > last - DAYS; number--)
        for (struct map_entry *at = map_first(interruptions->records); at != NULL;
             at = map_next(at)) {
            const struct record *record = map_value(at);
            const struct day *day = &record->days[number % DAYS];
            char date[INSTANT_TEXT_MAX];
            if (strcmp(record->pool, pool) != 0 || day->number != number ||
                (day->interruptions == 0 && day->seconds == 0) || out->length > TEXT_MAX - 400)
                continue;
            instant_format(ns_multiply(number, DAY), date);
            text_format(out, "%s%.10s/%s/%" PRId64 "/%" PRId64, out->length > 0 ? " " : "", date,
                        record->type, day->interruptions, day->seconds);
        }
}

uint32_t interruptions_save(struct interruptions *interruptions,
                            const struct operation_about *about)
{
    struct control *control = interruptions->control;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    struct mirror_iterator iterator = {0};
    uint32_t started = 0;
    if (is_off(interruptions) || !interruptions->recovered ||
        (!interruptions->urgent && ns_subtract(now_ns, interruptions->saved_ns) < SAVE_NS))
        return 0;
    interruptions->saved_ns = now_ns;
    interruptions->urgent = false;
    for (const struct object *pool;
         (pool = mirror_next(control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        struct text text = {0};
        write_pool(interruptions, pool->meta.name, &text);
        const char *before = object_annotation(pool, ANNOTATION_SPOT_INTERRUPTIONS);
        if (managed_pool(control, (const struct node_pool *)pool) && text.length > 0 &&
            !text_equal(before, text.data)) {
            json_t *body = json_object();
            json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_SPOT_INTERRUPTIONS,
                                json_string(text.data));
            start_patch(about, pool, NULL, body);
            started++;
        }
        text_free(&text);
    }
    return started;
}

static void recover(struct interruptions *interruptions)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *pool; (pool = mirror_next(interruptions->control->manager.mirror,
                                                        KIND_NODE_POOL, &iterator)) != NULL;)
        interruptions_read(interruptions, pool);
    interruptions->recovered = true;
    interruptions->saved_ns = loop_monotonic_ns(interruptions->control->manager.loop);
}

// --- time ----------------------------------------------------------------------------------------
void interruptions_review(struct interruptions *interruptions)
{
    struct control *control = interruptions->control;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (is_off(interruptions))
        return;
    if (!interruptions->recovered)
        recover(interruptions);
    if (interruptions->counted_ns == 0)
        interruptions->counted_ns = now_ns;
    int64_t seconds = ns_subtract(now_ns, interruptions->counted_ns) / SECOND;
    if (ns_subtract(now_ns, interruptions->counted_ns) < COUNT_NS)
        return;
    interruptions->counted_ns = ns_add(interruptions->counted_ns, ns_multiply(seconds, SECOND));
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        struct day *day = node_claim_is_launched(claim) && !object_is_deleting(object)
                              ? today(interruptions, claim)
                              : NULL;
        if (day != NULL)
            day->seconds += seconds;
    }
}

// --- for decisions -------------------------------------------------------------------------------
static int by_pool_and_type(const void *a, const void *b)
{
    const struct interruption_rate *x = a, *y = b;
    int order = strcmp(x->pool, y->pool);
    return order != 0 ? order : strcmp(x->type, y->type);
}

struct interruption_list interruptions_list(struct interruptions *interruptions,
                                            struct arena *arena)
{
    int64_t last = manager_now(&interruptions->control->manager) / DAY;
    struct interruption_rate *items =
        arena_allocate_array(arena, map_count(interruptions->records) + 1, sizeof *items);
    struct interruption_list list = {.items = items};
    for (struct map_entry *at = map_first(interruptions->records); at != NULL; at = map_next(at)) {
        const struct record *record = map_value(at);
        struct interruption_rate *rate = &items[list.count++];
        rate->pool = arena_copy_string(arena, record->pool);
        rate->type = arena_copy_string(arena, record->type);
        for (size_t i = 0; i < DAYS; i++)
            if (record->days[i].number > last - DAYS) {
                rate->interruptions += record->days[i].interruptions;
                rate->seconds += record->days[i].seconds;
            }
    }
    if (list.count > 1)
        qsort(items, list.count, sizeof *items, by_pool_and_type);
    return list;
}
