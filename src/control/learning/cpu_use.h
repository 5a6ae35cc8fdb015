// EXPECTED_CPU_USE (SCH-507), learned from the cluster's metrics as long as nobody has set it:
// every five minutes the PodMetrics of up to thirty pods are asked for, one after the other, by
// name: some eight thousand measurements a day, in a cluster of any size. Lists would be as large
// as the cluster, since metrics-server knows no pages; and what a whole node uses (NodeMetrics) is
// no share of requests.
//
// Without the API, or the permission, the setting keeps its default; that is told once.
#pragma once

#include "control/runtime/control.h"

struct cpu_use;
struct provider_publisher;

// `measures`: what the API says is of pods that really run. `control` outlives it.
struct cpu_use *cpu_use_create(struct control *control, bool measures);
void cpu_use_destroy(struct cpu_use *use); // NULL is fine
bool cpu_use_learns(const struct cpu_use *use);
// This replica leads. `publisher` keeps what is learned for plans of the live cluster and for the
// next controller; NULL: nothing does.
void cpu_use_start(struct cpu_use *use, struct provider_publisher *publisher);
// What an earlier controller has learned, as published (provider_publisher_options.restored).
void cpu_use_restore(void *use, const char *learned);
// Puts the learned value, if there is one, into the settings of a decision.
void cpu_use_apply(const struct cpu_use *use, struct settings *settings);
