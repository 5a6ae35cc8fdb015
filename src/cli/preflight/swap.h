// Checks of a cluster's own objects before a swap (MIG-111, MIG-130): hashes, nodes that would
// drift, classes that are not ready, nodes that go at once.
#pragma once

#include "cli/preflight/facts.h"
#include "cli/preflight/report.h"

struct swap_options {
    const char *ca_bundle; // base64, of the drift hash; NULL: not given
    int64_t now;           // ns
};
void check_swap(const struct facts *facts, const struct swap_options *options,
                struct preflight_report *report);
