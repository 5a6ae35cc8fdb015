// Waves of pods that come to nodes or leave them by the dozen.
// While many pods leave, the API server has the workload's controllers to serve: new commands wait.
// An evaluation chooses for the cluster as a whole: it waits while workload controllers create a
// wave, while pods are on their way to their nodes, and after a wave until the nodes have come to
// rest (consolidateAfter). Neither waits for long.
#pragma once

#include "control/runtime/control.h"

struct pod_waves {         // all instants are monotonic; zero at the start
    uint32_t leaving_pods; // that have left their nodes in the present wave
    int64_t leaving_first_ns, leaving_last_ns;
    int64_t arriving_ns;  // start of arrivals without a pause; 0: none
    int64_t disturbed_ns; // the last wave
    int64_t unrest_ns;    // since when evaluations have been asked to wait; 0: they are not
};

void pod_waves_note_leaving(struct pod_waves *waves, int64_t now_ns);
// The remaining delay of new commands; 0: none.
int64_t pod_waves_left(const struct pod_waves *waves, const struct control *control);
// The next evaluation should wait for the cluster to come to rest.
bool pod_waves_await_rest(struct pod_waves *waves, const struct control *control, int64_t now_ns);
