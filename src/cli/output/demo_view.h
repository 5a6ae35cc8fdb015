// The demo's output: a line for each change of interest, and a summary of the cluster at the end of
// each act.
#pragma once

#include "sim/simulation.h"

struct demo_view;
// Watches the simulation's store. `quiet`: summaries only.
struct demo_view *demo_view_create(struct loop *loop, struct simulation *simulation, bool quiet);
void demo_view_destroy(struct demo_view *view);

// One line, prefixed with the time since the start.
void demo_view_say(struct demo_view *view, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Nodes by instance type, pods, hourly cost.
void demo_view_picture(struct demo_view *view, const char *title);
