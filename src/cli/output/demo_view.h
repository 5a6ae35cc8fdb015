// What the demo tells: a line whenever something changes that a person wants to know, and a picture
// of the cluster at the end of each act.
#pragma once

#include "sim/simulation.h"

struct demo_view;
// Watches the simulation's store. `quiet`: no lines but the pictures.
struct demo_view *demo_view_create(struct loop *loop, struct simulation *simulation, bool quiet);
void demo_view_destroy(struct demo_view *view);

// One line with the time since the start in front.
void demo_view_say(struct demo_view *view, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Nodes by instance type, pods, hourly cost.
void demo_view_picture(struct demo_view *view, const char *title);
