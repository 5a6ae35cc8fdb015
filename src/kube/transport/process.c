#include "kube/transport/process.h"

#include <assert.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/memory.h"

#define REAP_INTERVAL_NS      (5 * MILLISECOND)
#define DIAGNOSTICS_BYTES_MAX ((size_t)16 * 1024)

struct stream {
    struct process *process;
    int descriptor; // -1: at its end
    struct event *event;
    struct text text;
    size_t bytes_max;
    bool is_output;
};

struct process {
    struct loop *loop;
    pid_t pid; // 0: not running
    struct stream output, diagnostics;
    struct timer *deadline, *reaper;
    process_done done;
    void *context;
    struct process_result result;
};

static bool spawn(struct process *process, const struct process_request *request);
static void stream_open(struct stream *stream, struct process *process, int descriptor,
                        size_t bytes_max);
static void stream_close(struct stream *stream);
static void stream_ready(evutil_socket_t descriptor, short events, void *context);
static void deadline_reached(void *context);
static void reap(void *context);
static void process_kill(struct process *process);
static void process_finish(struct process *process);
static void process_free(struct process *process);

struct process *process_start(struct loop *loop, const struct process_request *request,
                              process_done done, void *context)
{
    assert(done != NULL);
    assert(request->timeout_ns > 0);
    assert(request->output_bytes_max > 0);
    assert(loop_event_base(loop) != NULL);
    assert(request->arguments[0] != NULL);
    struct process *process = memory_allocate(sizeof *process);
    process->loop = loop;
    process->done = done;
    process->context = context;
    process->output.descriptor = process->diagnostics.descriptor = -1;
    process->output.is_output = true;
    process->deadline = timer_create_on(loop, deadline_reached, process);
    process->reaper = timer_create_on(loop, reap, process);
    process->result.started = spawn(process, request);
    if (process->result.started)
        timer_start(process->deadline, request->timeout_ns);
    else
        timer_start(process->reaper, 0); // reports it
    return process;
}

void process_cancel(struct process *process)
{
    process_kill(process);
    process_free(process);
}

static bool spawn(struct process *process, const struct process_request *request)
{
    int output[2] = {-1, -1}, diagnostics[2] = {-1, -1};
    int code = 0;
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(diagnostics, O_CLOEXEC) != 0)
        code = errno;
    if (code == 0) {
        posix_spawn_file_actions_t actions;
        posix_spawnattr_t attributes;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, output[1], 1);
        posix_spawn_file_actions_adddup2(&actions, diagnostics[1], 2);
        posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        posix_spawnattr_init(&attributes);
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
        code = posix_spawnp(&process->pid, request->arguments[0], &actions, &attributes,
                            (char *const *)request->arguments, (char *const *)request->environment);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    if (output[1] >= 0)
        close(output[1]);
    if (diagnostics[1] >= 0)
        close(diagnostics[1]);
    if (code != 0) {
        process->pid = 0;
        if (output[0] >= 0)
            close(output[0]);
        if (diagnostics[0] >= 0)
            close(diagnostics[0]);
        return error_set(&process->result.error, code == ENOENT ? ERROR_NOT_FOUND : ERROR_INTERNAL,
                         "%s cannot be run: %s", request->arguments[0], strerror(code));
    }
    stream_open(&process->output, process, output[0], request->output_bytes_max);
    stream_open(&process->diagnostics, process, diagnostics[0], DIAGNOSTICS_BYTES_MAX);
    return true;
}

static void stream_open(struct stream *stream, struct process *process, int descriptor,
                        size_t bytes_max)
{
    assert(descriptor >= 0);
    stream->process = process;
    stream->descriptor = descriptor;
    stream->bytes_max = bytes_max;
    evutil_make_socket_nonblocking(descriptor);
    stream->event = event_new(loop_event_base(process->loop), descriptor, EV_READ | EV_PERSIST,
                              stream_ready, stream);
    assert(stream->event != NULL);
    event_add(stream->event, NULL);
}

static void stream_close(struct stream *stream)
{
    if (stream->descriptor < 0)
        return;
    event_free(stream->event);
    close(stream->descriptor);
    stream->descriptor = -1;
}

static void stream_ready(evutil_socket_t descriptor, short events, void *context)
{
    (void)events;
    struct stream *stream = context;
    struct process *process = stream->process;
    assert(stream->descriptor == descriptor);
    assert(stream->text.length <= stream->bytes_max);
    char piece[16 * 1024];
    ssize_t length = read(descriptor, piece, sizeof piece);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (length > 0) {
        size_t room = stream->bytes_max - stream->text.length;
        if ((size_t)length > room && stream->is_output) {
            process->result.too_much = true;
            process_kill(process);
            process_finish(process);
            return;
        }
        text_add_bytes(&stream->text, piece, (size_t)length < room ? (size_t)length : room);
        explicit_bzero(piece, (size_t)length);
        return;
    }
    stream_close(stream);
    if (process->output.descriptor < 0 && process->diagnostics.descriptor < 0)
        reap(process);
}

static void deadline_reached(void *context)
{
    struct process *process = context;
    process->result.timed_out = true;
    process_kill(process);
    process_finish(process);
}

// Both streams are closed: the program ends within moments, or the deadline ends it.
static void reap(void *context)
{
    struct process *process = context;
    assert(process->output.descriptor < 0);
    assert(process->diagnostics.descriptor < 0);
    if (process->pid != 0) {
        int status;
        pid_t answer = waitpid(process->pid, &status, WNOHANG);
        if (answer == 0) {
            timer_start(process->reaper, REAP_INTERVAL_NS);
            return;
        }
        process->pid = 0;
        if (answer > 0)
            process->result.exit_status =
                WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    process_finish(process);
}

static void process_kill(struct process *process)
{
    if (process->pid == 0)
        return;
    kill(-process->pid, SIGKILL);
    int status;
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        continue; // SIGKILL is prompt
    process->result.exit_status = 128 + SIGKILL;
    process->pid = 0;
}

static void process_finish(struct process *process)
{
    assert(process->pid == 0);
    timer_stop(process->deadline);
    timer_stop(process->reaper);
    stream_close(&process->output);
    stream_close(&process->diagnostics);
    process->result.output = process->output.text.data != NULL ? process->output.text.data : "";
    process->result.output_bytes = process->output.text.length;
    process->result.diagnostics =
        process->diagnostics.text.data != NULL ? process->diagnostics.text.data : "";
    process->done(process->context, &process->result);
    process_free(process);
}

static void process_free(struct process *process)
{
    assert(process->pid == 0);
    stream_close(&process->output);
    stream_close(&process->diagnostics);
    if (process->output.text.data != NULL) // may hold a token
        explicit_bzero(process->output.text.data, process->output.text.length);
    text_free(&process->output.text);
    text_free(&process->diagnostics.text);
    timer_destroy(process->deadline);
    timer_destroy(process->reaper);
    free(process);
}
