// The order in which kube-scheduler tries the unbound pods, as far as it shows (SCH-516). It takes
// pods by their last attempt in vain, or by their appearance; a turn is that instant (monotonic),
// but no two are equal. An attempt shows in the pod's condition, or in the end of its nomination.
//
// One that changes neither is concluded: a change of the cluster has kube-scheduler try all pods
// again that it tried before, in the same order, after those that are new. Without nodes it tries
// them again after a while.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct scheduler_turn { // a pod's
    int64_t at;
    bool is_tried;
    bool is_nodeless; // tried when the cluster had no nodes
    uint32_t index;   // among the tried
};

struct scheduler_turns {
    int64_t last;                          // the last turn given
    int64_t seen_ns;                       // monotonic: the last attempt that showed, or new pod
    int64_t attempted_ns, pace_ns;         // monotonic: the last attempt; between two of them, mean
    VECTOR(struct scheduler_turn *) tried; // in order; NULL: it has left
    uint32_t tried_count;                  // those that are not NULL
    uint32_t first;                        // the entries before it are NULL
    int64_t moved_ns; // monotonic: the last change that has kube-scheduler try pods again
};

void scheduler_turns_free(struct scheduler_turns *turns);
int64_t scheduler_turns_next(struct scheduler_turns *turns, int64_t now_ns); // of a new pod
// kube-scheduler has tried the pod in vain.
void scheduler_turns_note_attempt(struct scheduler_turns *turns, struct scheduler_turn *turn,
                                  const char *message, int64_t now_ns);
// The pod is bound or gone.
void scheduler_turns_forget(struct scheduler_turns *turns, struct scheduler_turn *turn);
// A node has changed, or a bound pod has gone.
void scheduler_turns_note_move(struct scheduler_turns *turns, int64_t now_ns);
// How long kube-scheduler needs, by its pace lately, to try the pods that it has reason to try.
// `waiting`: the number of pods that wait for a node.
int64_t scheduler_turns_left_ns(const struct scheduler_turns *turns, uint32_t waiting);
// Monotonic: since when it can have been trying them.
int64_t scheduler_turns_since(const struct scheduler_turns *turns);
// kube-scheduler has tried them all by now.
void scheduler_turns_settle(struct scheduler_turns *turns, int64_t now_ns);
