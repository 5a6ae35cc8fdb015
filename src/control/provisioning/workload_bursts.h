// Waves of pods that are being created (SCH-527): for each ReplicaSet, StatefulSet and Job how many
// pods it wants, how many there are, and what one of them looks like. The size of a wave is known
// when every workload in it has a first pod: the pods that its controller has not created yet are
// expected, and planned with the others.
//
// Nothing is expected of a workload whose controller is refused (a quota, an admission webhook) or
// makes no progress, of a wave that comes slowly, nor of a workload whose pods a command evicts at
// present; places that were planned for its pods are kept for a while longer. The work is done at
// each change, not for each pod at each review.
#pragma once

#include "control/runtime/control.h"

struct workload_bursts;
// Its handlers on the mirror are to be registered before those of the provisioner.
struct workload_bursts *workload_bursts_create(struct control *control);
// `changed` is called when the size of a wave may have become known; it may be NULL.
void workload_bursts_on_change(struct workload_bursts *waves, void (*changed)(void *context),
                               void *context);
void workload_bursts_destroy(struct workload_bursts *waves); // NULL is fine

// The workloads of waves, for a mirror: ReplicaSets, StatefulSets and Jobs, as counts.
void workload_bursts_watch(struct mirror *mirror);
// Whether a workload accounts for the pod: its controller is of a kind that is counted.
bool workload_bursts_account_for(const struct pod *pod);
// A pod that no workload accounts for came now: more may follow for an idle window.
void workload_bursts_note_loose(struct workload_bursts *waves);
// The size of everything that is being created is known.
bool workload_bursts_finished(struct workload_bursts *waves);
// Monotonic: the instant at which the present wave counts as complete. Workloads that are applied
// together appear one after the other. INT64_MAX: not known yet.
int64_t workload_bursts_settled_at(const struct workload_bursts *waves);
// The rest of the wave will take long at its present pace. None of it is expected then: nodes that
// are bought for it would stand open, with room for the wrong pods, long before it comes.
bool workload_bursts_is_slow(struct workload_bursts *waves);
// Monotonic: the first pod of the present wave.
int64_t workload_bursts_begun_ns(const struct workload_bursts *waves);

struct expected_pods {        // of one workload: pods that its controller is about to create
    const char *workload;     // UID; borrowed, like the sample
    const struct pod *sample; // a pod of the workload
    uint32_t count;
    bool certain; // they will come and need places; else only places that are kept already count
};
// Looks at the pace of the wave, and forgets workloads of which no pods are expected any more, and
// the places that were made for them.
// To be called before a snapshot of the pods is taken: waiting pods may take such places.
void workload_bursts_review(struct workload_bursts *waves);
// The next workload with expected pods, by UID; false: there is none. `after` starts as NULL.
bool workload_bursts_next_expected(struct workload_bursts *waves, const char *after,
                                   struct expected_pods *out);
