// The objects of a replayed scenario, written and read through the embedded API server.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "sim/simulation.h"

// Creates the object. A refusal by the API server: false and, if `refusal` is given, *refusal gets
// {"code", "message", "object"} (a new reference).
bool objects_create(struct simulation *simulation, const json_t *object, json_t **refusal);
// A merge patch of a cluster-scoped object.
bool objects_patch(struct simulation *simulation, const char *kind, const char *name, json_t *patch,
                   json_t **refusal);
// Deletes every object of the kind, pods at once.
void objects_delete_all(struct simulation *simulation, const char *kind);
// Borrowed; NULL: there is none.
json_t *objects_get(struct simulation *simulation, const char *kind, const char *name);
uint32_t objects_count(struct simulation *simulation, const char *kind);
// The status of a condition of the object, "" if it has none.
const char *condition_status(const json_t *object, const char *type);
// Whether every object of the kind has the condition at True; true if there is none.
bool objects_all_are(struct simulation *simulation, const char *kind, const char *condition);
// A pod of the scenario for the NodePool, from its abridged form.
json_t *scenario_pod(const json_t *abridged, const char *node_pool, size_t number);
// The Service kube-dns with this address.
json_t *dns_service(const char *address);
// Events in the form [kind, name, type, reason, message], without those of pods; a new reference.
json_t *objects_events(struct simulation *simulation);
