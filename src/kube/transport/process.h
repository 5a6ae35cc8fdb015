// Runs a program beside the loop and collects its output: used for credential plugins.
//
// Standard input is /dev/null, no other descriptor is passed on, and the program has its own
// process group, so that a time limit or a cancellation ends its children too.
#pragma once

#include "base/loop.h"
#include "base/text.h"

struct process_request {
    const char *const *arguments;   // NULL-terminated; [0] is looked up in $PATH
    const char *const *environment; // NULL-terminated NAME=VALUE, the whole environment
    int64_t timeout_ns;
    size_t output_bytes_max; // more than this ends the program
};
struct process_result {
    bool started; // false: see `error`
    bool timed_out, too_much;
    int exit_status;                  // 0 to 255, 128 + signal if killed
    const char *output, *diagnostics; // standard output; standard error; borrowed, NUL-terminated
    size_t output_bytes;
    struct error error;
};
struct process;
typedef void (*process_done)(void *context, const struct process_result *result);
// Real loops only. `done` is called once, never before this function has returned.
struct process *process_start(struct loop *loop, const struct process_request *request,
                              process_done done, void *context);
void process_cancel(struct process *process); // kills it; `done` is not called; frees
