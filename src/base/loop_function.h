// The types that the loop and its implementations have in common.
#pragma once

struct loop;
struct timer;
struct event_base;
typedef void (*loop_function)(void *context);
