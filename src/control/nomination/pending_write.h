// The order in which nominations are written.
#pragma once

#include "model/schema/core.h"

struct arena;

struct pending_write { // a nomination, or its end
    const struct pod *pod;
    int64_t turn; // of a pod whose node is about to open (scheduler_turns.h); 0: it is open
    int64_t cpu, memory;
};

struct pending_write pending_write_create(struct arena *arena, const struct pod *pod, int64_t turn);
// For open nodes large pods first: the room that small pods leave does not suffice for them. For
// those that are about to open, the pods that kube-scheduler tries last: one that it tries in vain
// loses its nomination, and then it tries them all.
void pending_write_sort(struct pending_write *writes, uint32_t count);
