// The pace at which the pods of a wave are created: how many came in each of the last moments. A
// controller is slow at first, then as quick as the API server and its own limit of requests let
// it be (kube-controller-manager: 20 requests a second by default), so only the last of them count.
#pragma once

#include <stdint.h>

#define WAVE_PACE_SLICES 16

struct wave_pace {             // all zero: no pod was ever created
    int64_t begun_ns, last_ns; // monotonic: the first pod after a pause, and the last one
    int64_t slice;             // the number of the last slice of time with an entry
    uint32_t pods[WAVE_PACE_SLICES];
};

void wave_pace_note(struct wave_pace *pace, int64_t now_ns); // a pod was created
// In what time so many more pods will have come; 0: none are missing, or the wave is too young to
// say.
int64_t wave_pace_left_ns(struct wave_pace *pace, int64_t now_ns, uint32_t missing);
