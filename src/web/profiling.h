// Profiles of this process over HTTP, below /debug/pprof/ (LIF-334, ENABLE_PROFILING):
//
//   profile?seconds=N  where the process spent its CPU time in the last N seconds (30), at once:
//   samples are taken
//                      all the time, a hundred for each second of CPU time, and the last 8192 are
//                      kept. In the format of `pprof adze http://HOST:PORT/debug/pprof/profile`.
//   cmdline            the command line, parts ended by NUL
//   heap               what the allocator has, as text
//
// Upstream's other profiles are of things that this program does not have: 404.
#pragma once

#include "web/web.h"

struct profiling;
// One in a process, since it takes the signal SIGPROF. NULL, with *error, if one exists already or
// no timer is available.
struct profiling *profiling_create(struct error *error);
void profiling_destroy(struct profiling *profiling); // NULL is fine
void profiling_serve(struct profiling *profiling, struct web_server *server);

// The samples of the last seconds, in the served format.
void profiling_write(const struct profiling *profiling, int64_t seconds, struct text *out);
