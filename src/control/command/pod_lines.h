// Lines of pods: an evicted pod, its successor, that one's successor and so on. The next pod of a
// workload after an eviction counts as the successor of the pod that was evicted last. Knows
// nothing of the API; its clock is the caller's.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pod_lines;
struct pod_lines *pod_lines_create(void);
void pod_lines_destroy(struct pod_lines *lines);

// A pod of the workload was evicted at `now`, nanoseconds. `counts` false: its successor is waited
// for, but the eviction is not counted.
void pod_lines_evict(struct pod_lines *lines, const char *workload, const char *pod, int64_t now,
                     bool counts);
// The pod is new; true: it is a successor. Who comes more than two minutes after the workload's
// last eviction is none.
bool pod_lines_arrive(struct pod_lines *lines, const char *workload, const char *pod, int64_t now);
// The pod is gone.
void pod_lines_forget(struct pod_lines *lines, const char *pod);
// All counts begin anew; successors are still waited for.
void pod_lines_begin_anew(struct pod_lines *lines);
// Whether there is any pod with counted evictions in its line.
bool pod_lines_any(const struct pod_lines *lines);
// Whether the pod's predecessors were evicted twice or more since `since`.
bool pod_lines_evicted_twice(const struct pod_lines *lines, const char *pod, int64_t since);
