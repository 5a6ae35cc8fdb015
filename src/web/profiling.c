#include "web/profiling.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unwind.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

#define PATH            "/debug/pprof/"
#define PERIOD_US       10000
#define SAMPLES         8192
#define DEPTH_MAX       48
#define OWN_FRAMES      2 // of the handler and of the kernel's trampoline
#define SECONDS_DEFAULT 30
#define SECONDS_MAX     3600

struct sample {
    _Atomic uint64_t number; // 0: being written, or never was
    int64_t at_ns;           // monotonic
    uint32_t depth;
    uintptr_t frames[DEPTH_MAX]; // the innermost first
};

struct profiling {
    _Atomic uint64_t next;
    struct sample samples[SAMPLES]; // a ring
};

// A signal handler has no context: it finds the one profiling here.
static struct profiling *_Atomic active;

// --- sampling ------------------------------------------------------------------------------------
struct walk {
    struct sample *sample;
    uint32_t skip;
};

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *argument)
{
    struct walk *walk = argument;
    if (walk->skip > 0) {
        walk->skip--;
        return _URC_NO_REASON;
    }
    if (walk->sample->depth == DEPTH_MAX)
        return _URC_END_OF_STACK;
    walk->sample->frames[walk->sample->depth++] = _Unwind_GetIP(context);
    return _URC_NO_REASON;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ns_add(ns_multiply(now.tv_sec, SECOND), now.tv_nsec);
}

// Runs on whichever thread used the time; several may run at once, each with a sample of its own.
static void take_sample(int signal_number)
{
    int saved = errno;
    struct profiling *profiling = atomic_load(&active);
    (void)signal_number;
    if (profiling != NULL) {
        uint64_t number = atomic_fetch_add(&profiling->next, 1) + 1;
        struct sample *sample = &profiling->samples[number % SAMPLES];
        struct walk walk = {sample, OWN_FRAMES};
        atomic_store(&sample->number, 0);
        sample->at_ns = now_ns();
        sample->depth = 0;
        _Unwind_Backtrace(note_frame, &walk);
        atomic_store(&sample->number, number);
    }
    errno = saved;
}

static bool set_timer(long period_us)
{
    const struct itimerval timer = {.it_interval = {0, period_us}, .it_value = {0, period_us}};
    return setitimer(ITIMER_PROF, &timer, NULL) == 0;
}

struct profiling *profiling_create(struct error *error)
{
    struct profiling *none = NULL, *profiling = memory_allocate(sizeof *profiling);
    struct sigaction action = {.sa_handler = take_sample, .sa_flags = SA_RESTART};
    struct sample first = {0}; // the unwinder allocates the first time
    _Unwind_Backtrace(note_frame, &(struct walk){&first, 0});
    if (!atomic_compare_exchange_strong(&active, &none, profiling)) {
        free(profiling);
        error_set(error, ERROR_INVALID, "this process is being profiled already");
        return NULL;
    }
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGPROF, &action, NULL) == 0 && set_timer(PERIOD_US))
        return profiling;
    error_set(error, ERROR_INTERNAL, "cannot profile: %s", strerror(errno));
    profiling_destroy(profiling);
    return NULL;
}

void profiling_destroy(struct profiling *profiling)
{
    if (profiling == NULL)
        return;
    assert(atomic_load(&active) == profiling);
    set_timer(0);
    signal(SIGPROF, SIG_IGN); // a last signal may still be pending
    atomic_store(&active, NULL);
    free(profiling);
}

// --- the served documents -----------------------------------------------------------------------
static void add_word(struct text *out, uintptr_t word)
{
    text_add_bytes(out, (const char *)&word, sizeof word);
}

static void add_file(struct text *out, const char *path)
{
    char part[4096];
    FILE *file = fopen(path, "re");
    size_t length;
    while (file != NULL && (length = fread(part, 1, sizeof part, file)) > 0)
        text_add_bytes(out, part, length);
    if (file != NULL)
        fclose(file);
}

// The words of the format that pprof reads: a header, samples of {count, depth, frames}, a trailer,
// and then the memory map.
void profiling_write(const struct profiling *profiling, int64_t seconds, struct text *out)
{
    assert(seconds > 0);
    assert(out != NULL);
    const uintptr_t header[] = {0, 3, 0, PERIOD_US, 0}, end[] = {0, 1, 0};
    int64_t since_ns = ns_subtract(now_ns(), ns_multiply(seconds, SECOND));
    for (size_t i = 0; i < ARRAY_LENGTH(header); i++)
        add_word(out, header[i]);
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct sample *sample = &profiling->samples[i];
        uint64_t number = atomic_load(&sample->number);
        struct sample copy = {
            .at_ns = sample->at_ns,
            .depth = sample->depth <= DEPTH_MAX ? sample->depth : 0,
        };
        memcpy(copy.frames, sample->frames, sizeof copy.frames);
        if (number == 0 || atomic_load(&sample->number) != number || copy.at_ns < since_ns ||
            copy.depth == 0)
            continue; // overwritten meanwhile, or outside the window
        add_word(out, 1);
        add_word(out, copy.depth);
        for (uint32_t frame = 0; frame < copy.depth; frame++)
            add_word(out, copy.frames[frame]);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(end); i++)
        add_word(out, end[i]);
    add_file(out, "/proc/self/maps");
}

static void serve_profile(void *context, const struct web_request *request,
                          struct web_response *response)
{
    const char *asked = web_request_query(request, "seconds", 0);
    int64_t seconds = SECONDS_DEFAULT;
    if (asked != NULL &&
        (!text_parse_int64(asked, &seconds) || seconds < 1 || seconds > SECONDS_MAX)) {
        response->status = 400;
        text_add(&response->body, "seconds must be a number from 1 to 3600\n");
        return;
    }
    response->content_type = "application/octet-stream";
    profiling_write(context, seconds, &response->body);
}

static void serve_cmdline(void *context, const struct web_request *request,
                          struct web_response *response)
{
    (void)context;
    (void)request;
    add_file(&response->body, "/proc/self/cmdline");
}

static void serve_heap(void *context, const struct web_request *request,
                       struct web_response *response)
{
    (void)context;
    (void)request;
#ifdef __GLIBC__
    struct mallinfo2 heap = mallinfo2();
    text_format(&response->body, "used_bytes %zu\nfree_bytes %zu\nmapped_bytes %zu\n",
                heap.uordblks, heap.fordblks, heap.hblkhd);
#endif
    add_file(&response->body, "/proc/self/status");
}

static void serve_rest(void *context, const struct web_request *request,
                       struct web_response *response)
{
    (void)context;
    if (strcmp(web_request_path(request), PATH) == 0) {
        text_add(&response->body, "cmdline\nheap\nprofile\n");
        return;
    }
    response->status = 404;
    text_add(&response->body, "there is no such profile of this program: cmdline, heap, profile\n");
}

void profiling_serve(struct profiling *profiling, struct web_server *server)
{
    web_server_route(server, PATH, serve_rest, profiling);
    web_server_route(server, PATH "profile", serve_profile, profiling);
    web_server_route(server, PATH "cmdline", serve_cmdline, profiling);
    web_server_route(server, PATH "heap", serve_heap, profiling);
}
