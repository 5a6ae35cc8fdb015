// The common part of the NodePool controllers: a queue with the NodePool's name as key, woken by
// every change of a NodePool and optionally of its node class.
#pragma once

#include "control/runtime/control.h"

struct pool_controller {
    struct control *control;
    struct reconcile_queue *queue;
};

// `name` is static text. `reconcile` gets the pool_controller as its context; a deleted NodePool is
// reconciled once more.
struct pool_controller *pool_controller_create(struct control *control, const char *name,
                                               reconcile_function reconcile, bool follows_class);
void pool_controller_destroy(struct pool_controller *controller); // NULL is fine

// Wakes the queue for each NodePool that refers to the node class of this name.
void pool_controller_add_users(struct control *control, struct reconcile_queue *queue,
                               const char *node_class);
