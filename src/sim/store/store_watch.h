// History and watches. A table keeps its last changes in a ring; a watch is a position in the
// sequence of changes. Changes pending for a watch are never dropped, so a slow watch costs memory,
// not events: positions advance as soon as the loop turns.
#pragma once

#include "sim/store/store_internal.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_watch_event.h"

struct store_watch *store_watch_create(struct store *store, const struct store_target *target,
                                       uint64_t since, store_event event, void *context,
                                       struct error *error);
void store_watch_destroy(struct store_watch *watch);
void table_record(struct store *store, struct table *table, const char *type, json_t *object,
                  json_t *previous); // the object's version is store->version
void table_forget_history(struct table *table);
void store_deliver(void *context);
struct store_watch *store_watch_changes(struct store *store, const struct store_target *target,
                                        uint64_t since, store_change_event event, void *context,
                                        struct failure *failure);
// Every change up to this version has been delivered.
uint64_t store_watch_version(const struct store_watch *watch);
