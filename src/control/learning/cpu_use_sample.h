// Which pods are measured: running and ready ones that request cpu, on nodes of this controller,
// and not just started.
#pragma once

#include "control/runtime/control.h"

#define CPU_USE_SAMPLE_MAX 30

struct sampled_pod { // owned texts
    char *namespace, *name, *uid;
    int64_t requested; // millicores
};
struct cpu_use_sample {
    struct sampled_pod pods[CPU_USE_SAMPLE_MAX];
    uint32_t count;
    uint64_t cursor; // the place of the last one in the order of all pods
};

// The next ones in an order that has nothing to do with names and nodes, round and round: in a
// small cluster all of them, in a large one each has its turn.
void cpu_use_sample_choose(struct cpu_use_sample *sample, const struct control *control);
// The pod, if it still counts; NULL: it is gone, or has started anew.
const struct pod *cpu_use_sample_find(const struct sampled_pod *sampled,
                                      const struct control *control);
void cpu_use_sample_clear(struct cpu_use_sample *sample); // the cursor stays
