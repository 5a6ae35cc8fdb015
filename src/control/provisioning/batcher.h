// The batching window of provisioning (SCH-13, SCH-14): opened by the first trigger, kept open by
// each new one, closed when it has been idle or open for long enough. Pure; times are monotonic.
#pragma once

#include "base/map.h"

//
// A batch that closes while triggers still arrive is *early*, if the window allows that: more pods
// of the same wave are coming. The batches of a wave follow each other until it falls quiet, or has
// lasted as long as one batch may.
struct batcher {
    struct map *seen; // UIDs since the last batch closed
    bool open;
    int64_t opened_ns, last_ns;
    int64_t wave_ns; // start of the present wave; 0: none
};
struct batcher_window {
    int64_t idle_ns, max_ns;
    bool early; // evaluate a wave while it arrives (SCH-527); false: as upstream
    // The wave is complete (SCH-527, workload_bursts.h): the batch closes after a tenth of the idle
    // time, which joins waves that begin together, such as the Deployments of one release.
    bool finished;
    // Monotonic: from then on no further workload is expected to join the wave; 0: at once.
    int64_t settled_ns;
};
void batcher_init(struct batcher *batcher);
void batcher_free(struct batcher *batcher);
// True if the trigger was accepted: its UID is new in this batch.
bool batcher_trigger(struct batcher *batcher, const char *uid, int64_t now_ns);
// The closing time without a further trigger; INT64_MAX if no batch is open.
int64_t batcher_due(const struct batcher *batcher, const struct batcher_window *window);
// Closes the batch; true if it was early: the wave goes on.
bool batcher_close(struct batcher *batcher, const struct batcher_window *window, int64_t now_ns);
