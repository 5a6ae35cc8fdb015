// Gauges of every tracked Node (LIF-350, LIF-352). They are computed at the scrape: stored series
// of a large cluster would take more memory than everything else together (LIF-468).
#pragma once

#include "control/runtime/control.h"

struct node_metrics *node_metrics_create(struct control *control); // LIF-352; NULL if switched off
void node_metrics_destroy(struct node_metrics *metrics);
