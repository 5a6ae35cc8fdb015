// A value that is kept across restarts in a ConfigMap of the controller's namespace (AWI-906, 916):
// read once at the start, written some time after it has changed. Without permission nothing is
// kept, which is logged.
#pragma once

#include <jansson.h>

#include "reconcile/manager.h"

struct kept_value_options {
    const char *controller; // whose queue, with ".store" behind it
    const char *subject;    // of log lines: "learned memory of instance types"
    const char *namespace;  // NULL: kube-system
    const char *name, *key; // of the ConfigMap and of its entry
    void (*recall)(void *context, const json_t *value);
    json_t *(*encode)(void *context); // owned by the caller; NULL: nothing is to be kept
    void *context;
};
struct kept_value;
struct kept_value *kept_value_create(struct manager *manager,
                                     const struct kept_value_options *options);
void kept_value_destroy(struct kept_value *kept); // NULL is fine
// It has changed: written in `delay_ns` at the latest, together with all changes until then. A NULL
// `kept` is fine.
void kept_value_changed(struct kept_value *kept, int64_t delay_ns);
