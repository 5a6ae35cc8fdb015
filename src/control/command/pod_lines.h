// Lines of pods: an evicted pod, its successor, the successor's successor and so on. The next new
// pod of a workload after an eviction is the successor of the pod evicted last. Independent of the
// API; the caller provides the time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pod_lines;
struct pod_lines *pod_lines_create(void);
void pod_lines_destroy(struct pod_lines *lines);

// A pod of the workload was evicted at `now`, nanoseconds. `counts` false: the eviction is not
// counted, though its successor is expected.
void pod_lines_evict(struct pod_lines *lines, const char *workload, const char *pod, int64_t now,
                     bool counts);
// The pod is new; true: it is a successor. A pod that comes more than two minutes after the
// workload's last eviction is not.
bool pod_lines_arrive(struct pod_lines *lines, const char *workload, const char *pod, int64_t now);
// The pod is gone.
void pod_lines_forget(struct pod_lines *lines, const char *pod);
// Resets all counts; successors are still expected.
void pod_lines_reset(struct pod_lines *lines);
// Whether any pod has counted evictions in its line.
bool pod_lines_any(const struct pod_lines *lines);
// Whether the pod's predecessors were evicted twice or more since `since`.
bool pod_lines_evicted_twice(const struct pod_lines *lines, const char *pod, int64_t since);
