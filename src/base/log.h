// Structured logging (LIF-400 to 402): one JSON object a line, or console text.
//
// The configured sink is the only process-wide state in adze. Nothing below the ports logs; engine
// and model return their findings.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_ERROR, LOG_NONE };
enum log_format { LOG_JSON, LOG_CONSOLE };

struct log_options {
    enum log_level level;
    enum log_format format;
    const char *output_paths;  // comma-separated: stdout, stderr, or files
    int64_t (*now_ns)(void *); // clock for the time field; NULL: the system clock
    void *now_context;
    // If set, receives every line (without newline) instead of output_paths; for tests. It must not
    // log itself.
    void (*sink)(void *context, const char *line);
    void *sink_context;
};
bool log_configure(const struct log_options *options, struct error *error) MUST_USE;
bool log_enabled(enum log_level level);

// Key-value pairs: alternating key and a typed value, ended by NULL. A key starts with its type:
//   "s:key", const char *   "i:key", int64_t   "f:key", double   "b:key", int
//   "j:key", const char * (ready JSON text)    "d:key", int64_t nanoseconds (Go duration text)
//   "o:Kind", const char *name                 -> "Kind":{"name":"..."}
//   "n:Kind", const char *namespace, const char *name -> "Kind":{"name":..,"namespace":..}
// A NULL string is left out.
void log_write(enum log_level level, const char *message, ...);
#define log_debug(...) log_write(LOG_DEBUG, __VA_ARGS__, NULL)
#define log_info(...)  log_write(LOG_INFO, __VA_ARGS__, NULL)
#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__, NULL)

// The commit of the build, with "-dirty" if the tree had changes.
const char *log_commit(void);
