#include "sim/store/store_watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/store_internal.h"

struct store_watch {
    struct store *store;
    struct table *table;
    char *namespace;   // NULL: all
    uint64_t position; // sequence number of the next change
    store_event event;
    store_change_event change_event;
    void *context;
    struct store_watch *next, **link; // in the table's list
    bool pending;
    struct store_watch *pending_next, *pending_before; // in the store's list
};

static struct change *change_at(const struct table *table, uint64_t sequence)
{
    uint64_t offset = sequence - table->changes_dropped;
    assert(offset < table->changes_count);
    return &table->changes[(table->changes_first + offset) % table->changes_capacity];
}

static uint64_t sequence_end(const struct table *table)
{
    return table->changes_dropped + table->changes_count;
}

static void drop_oldest_change(struct table *table)
{
    struct change *oldest = &table->changes[table->changes_first];
    table->compacted = oldest->version;
    json_decref(oldest->object);
    json_decref(oldest->previous);
    table->changes_first = (table->changes_first + 1) % table->changes_capacity;
    table->changes_count--;
    table->changes_dropped++;
}

void table_forget_history(struct table *table)
{
    while (table->changes_count > 0)
        drop_oldest_change(table);
}

static void grow_ring(struct table *table)
{
    uint32_t capacity = table->changes_capacity == 0 ? 64 : table->changes_capacity * 2;
    struct change *changes = memory_allocate_array(capacity, sizeof *changes);
    for (uint32_t i = 0; i < table->changes_count; i++)
        changes[i] = table->changes[(table->changes_first + i) % table->changes_capacity];
    free(table->changes);
    table->changes = changes;
    table->changes_first = 0;
    table->changes_capacity = capacity;
}

static void watch_set_pending(struct store_watch *watch)
{
    if (watch->pending)
        return;
    struct store *store = watch->store;
    watch->pending = true;
    watch->table->watches_pending++;
    watch->pending_next = NULL;
    watch->pending_before = store->pending_last;
    if (store->pending_last != NULL)
        store->pending_last->pending_next = watch;
    else
        store->pending_first = watch;
    store->pending_last = watch;
    if (!timer_is_running(store->delivery))
        timer_start(store->delivery, 0);
}

static void watch_clear_pending(struct store_watch *watch)
{
    if (!watch->pending)
        return;
    struct store *store = watch->store;
    if (watch->pending_before != NULL)
        watch->pending_before->pending_next = watch->pending_next;
    else
        store->pending_first = watch->pending_next;
    if (watch->pending_next != NULL)
        watch->pending_next->pending_before = watch->pending_before;
    else
        store->pending_last = watch->pending_before;
    watch->pending = false;
    watch->table->watches_pending--;
}

static bool watch_concerns(const struct store_watch *watch, const json_t *object)
{
    return watch->namespace == NULL || strcmp(watch->namespace, store_namespace(object)) == 0;
}

void table_record(struct store *store, struct table *table, const char *type, json_t *object,
                  json_t *previous)
{
    while (table->changes_count >= STORE_HISTORY_MAX && table->watches_pending == 0)
        drop_oldest_change(table);
    if (table->changes_count == table->changes_capacity)
        grow_ring(table);
    uint32_t slot = (table->changes_first + table->changes_count++) % table->changes_capacity;
    table->changes[slot] =
        (struct change){store->version, type, json_incref(object), json_incref(previous)};
    for (struct store_watch *watch = table->watches; watch != NULL; watch = watch->next) {
        if (watch_concerns(watch, object))
            watch_set_pending(watch);
        else if (!watch->pending)
            watch->position = sequence_end(table);
    }
}

// A handler may write, and create or destroy any watch, its own included: `delivering` shows
// whether the watch still exists. The handlers' own writes are delivered in the next turn of the
// loop.
static void watch_deliver(struct store *store, struct store_watch *watch)
{
    struct table *table = watch->table;
    uint64_t end = sequence_end(table);
    store->delivering = watch;
    while (store->delivering == watch && watch->position < end) {
        struct change change = *change_at(table, watch->position++);
        if (!watch_concerns(watch, change.object))
            continue;
        json_incref(change.object);
        json_incref(change.previous);
        if (watch->event != NULL) {
            watch->event(watch->context, change.type, change.object);
        } else {
            struct store_change told = {change.type, change.object, change.previous,
                                        change.version};
            watch->change_event(watch->context, &told);
        }
        json_decref(change.object);
        json_decref(change.previous);
    }
    if (store->delivering != watch)
        return;
    store->delivering = NULL;
    watch_clear_pending(watch);
    if (watch->position < sequence_end(table))
        watch_set_pending(watch);
}

void store_deliver(void *context)
{
    struct store *store = context;
    uint32_t count = 0;
    for (struct store_watch *watch = store->pending_first; watch != NULL;
         watch = watch->pending_next)
        count++;
    for (; count > 0 && store->pending_first != NULL; count--)
        watch_deliver(store, store->pending_first);
    if (store->pending_first != NULL)
        timer_start(store->delivery, 0);
}

// The sequence number of the first change after `version`; the ring is ordered by version.
static uint64_t first_after(const struct table *table, uint64_t version)
{
    uint64_t low = table->changes_dropped, high = sequence_end(table);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (change_at(table, middle)->version <= version)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct store_watch *watch_create(struct store *store, const struct store_resource *resource,
                                        const char *namespace, uint64_t since,
                                        struct failure *failure)
{
    struct table *table = store_table(store, resource);
    if (since != 0 && since < table->compacted) {
        failure_set(failure, 410, "Expired", "too old resource version: %llu (%llu)",
                    (unsigned long long)since, (unsigned long long)table->compacted);
        return NULL;
    }
    struct store_watch *watch = memory_allocate(sizeof *watch);
    watch->store = store;
    watch->table = table;
    if (resource->namespaced && namespace != NULL && namespace[0] != '\0')
        watch->namespace = memory_copy_string(namespace);
    watch->position = since == 0 ? sequence_end(table) : first_after(table, since);
    // Appended, so that the oldest watch is notified first.
    watch->link = &table->watches;
    while (*watch->link != NULL)
        watch->link = &(*watch->link)->next;
    *watch->link = watch;
    if (watch->position < sequence_end(table))
        watch_set_pending(watch);
    return watch;
}

struct store_watch *store_watch_create(struct store *store, const struct store_target *target,
                                       uint64_t since, store_event event, void *context,
                                       struct error *error)
{
    struct failure failure = {0};
    struct store_watch *watch =
        watch_create(store, target->resource, target->namespace, since, &failure);
    if (watch != NULL) {
        watch->event = event;
        watch->context = context;
    } else {
        failure_to_error(&failure, error);
    }
    failure_clear(&failure);
    return watch;
}

struct store_watch *store_watch_changes(struct store *store, const struct store_target *target,
                                        uint64_t since, store_change_event event, void *context,
                                        struct failure *failure)
{
    struct store_watch *watch =
        watch_create(store, target->resource, target->namespace, since, failure);
    if (watch != NULL) {
        watch->change_event = event;
        watch->context = context;
    }
    return watch;
}

uint64_t store_watch_version(const struct store_watch *watch)
{
    if (watch->position == sequence_end(watch->table))
        return watch->store->version;
    return change_at(watch->table, watch->position)->version - 1;
}

void store_watch_destroy(struct store_watch *watch)
{
    if (watch == NULL)
        return;
    watch_clear_pending(watch);
    if (watch->store->delivering == watch)
        watch->store->delivering = NULL;
    *watch->link = watch->next;
    if (watch->next != NULL)
        watch->next->link = watch->link;
    free(watch->namespace);
    free(watch);
}
