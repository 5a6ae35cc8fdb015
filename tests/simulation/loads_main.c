// Runs loads on virtual time and prints their results.
//
//   loads [--seed N] [--set NAME=VALUE]... [--verbose] [--drift] [--api MS] [--live] [--slow N]
//   [--rest S] [--log] [--trace FILE] two thirty 1 2 3 ...
//
// --live gives scheduler and workload controllers the pace of a live control plane, --slow one that
// is N times as slow; --rest waits for so long each time when all pods are bound; --log writes the
// controller's log to standard error; --trace writes what load_trace.h says. Each goes up, down and
// up again; with --drift all its nodes drift while it is down.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop.h"
#include "model/reading/settings_read.h"
#include "simulation/load_trace.h"
#include "simulation/loads.h"

static void print(const char *load, const char *step, double last,
                  const struct load_figures *figures)
{
    printf("%-8s %-6s %6.1f s, last change %6.1f s: %u/%u pods on %u nodes (%u going), %.2f USD/h "
           "(%.1f %% above), cpu %.1f %%, "
           "memory %.1f %%; NodeClaims %u - %u, evicted %u (%u %u %u %u), as planned %u of %u, "
           "unplanned %u\n",
           load, step, figures->seconds, last, figures->bound, figures->pods, figures->nodes,
           figures->going, figures->price, figures->above, figures->cpu, figures->memory,
           figures->created, figures->gone, figures->evicted, figures->times[0], figures->times[1],
           figures->times[2], figures->times[3], figures->kept, figures->landed,
           figures->unplanned);
    fflush(stdout);
}

struct course {
    uint64_t seed;
    bool verbose, drift, live, log;
    int64_t slow; // with `live`
    double rest;  // seconds
    FILE *trace;
    int64_t api_ms; // the longest latency of a request; 0: the usual one
};

static int64_t wall_clock(void *loop)
{
    return loop_now_ns(loop);
}

static void begin_log(struct loop *loop)
{
    struct log_options options = {
        .level = LOG_DEBUG, .output_paths = "stderr", .now_ns = wall_clock, .now_context = loop};
    struct error error = {0};
    if (!log_configure(&options, &error))
        fail_msg("%s", error.message);
}

static FILE *open_trace(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail_msg("cannot write %s", path);
    return file;
}

static void rest(struct scenario *scenario, struct load *load, const char *name, double seconds)
{
    if (seconds <= 0)
        return;
    scenario_run(scenario, seconds);
    struct load_figures figures = load_look(scenario, load);
    figures.seconds = seconds;
    print(name, "rest", 0, &figures);
}

static void slow_down(struct world_options *world, int64_t times)
{
    world->scheduler_pod_ns *= times;
    world->scheduler_rejection_ns *= times;
    world->scheduler_bind_ns *= times;
    world->controller_request_ns *= times;
    world->controller_delay_ns *= times;
    int32_t rate = world->controller_requests_per_second / (int32_t)times;
    int32_t burst = world->controller_requests_burst / (int32_t)times;
    world->controller_requests_per_second = rate > 0 ? rate : 1; // 0: no limit
    world->controller_requests_burst = burst > 0 ? burst : 1;
}

static void run(const char *name, const struct course *course, char **settings, int count)
{
    struct scenario *scenario = scenario_create(course->seed);
    struct error error = {0};
    for (int i = 0; i < count; i++) {
        char *equals = strchr(settings[i], '=');
        if (equals == NULL)
            fail_msg("NAME=VALUE: %s", settings[i]);
        *equals = '\0';
        if (!settings_set(&scenario->settings, settings[i], equals + 1, &error))
            fail_msg("%s", error.message);
        *equals = '=';
    }
    scenario->options.world.node_boot_ns = 2 * SECOND;
    scenario->options.boot_delay_min = 1 * SECOND;
    scenario->options.boot_delay_max = 4 * SECOND;
    scenario->options.ready_delay = SECOND;
    scenario->options.stop_delay_min = scenario->options.stop_delay_max = SECOND;
    scenario->options.world.pod_start_ns = SECOND;
    scenario->options.world.events = false;
    if (course->api_ms > 0)
        scenario->options.api_latency_max = course->api_ms * MILLISECOND;
    if (course->live)
        scenario_live_pace(scenario);
    if (course->slow > 1)
        slow_down(&scenario->options.world, course->slow);
    scenario_begin(scenario);
    if (course->log)
        begin_log(scenario->loop);
    struct load_trace *trace =
        course->trace != NULL ? load_trace_create(scenario, course->trace) : NULL;
    struct load *load = load_create(name);
    double last = 0;
    load_apply(scenario, load);
    struct load_figures figures = load_bound(scenario, load, 300);
    print(name, "up", 0, &figures);
    rest(scenario, load, name, course->rest);
    load_shrink(scenario, load);
    if (course->verbose)
        for (int i = 0; i < 12; i++) {
            scenario_run(scenario, 15);
            figures = load_look(scenario, load);
            print(name, "  ...", 0, &figures);
        }
    figures = load_quiet(scenario, load, 90, 1200, &last);
    print(name, "down", last, &figures);
    if (course->drift) {
        load_drift(scenario, load);
        figures = load_quiet(scenario, load, 90, 1200, &last);
        print(name, "drift", last, &figures);
    }
    load_grow(scenario, load);
    figures = load_bound(scenario, load, 300);
    print(name, "again", 0, &figures);
    rest(scenario, load, name, course->rest);
    load_destroy(load);
    if (trace != NULL)
        load_trace_destroy(trace);
    scenario_destroy(scenario);
}

int main(int argc, char **argv)
{
    char *settings[32];
    int count = 0;
    struct course course = {.seed = 1, .slow = 1};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            course.seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--set") == 0 && i + 1 < argc && count < 32)
            settings[count++] = argv[++i];
        else if (strcmp(argv[i], "--verbose") == 0)
            course.verbose = true;
        else if (strcmp(argv[i], "--drift") == 0)
            course.drift = true;
        else if (strcmp(argv[i], "--trace") == 0 && i + 1 < argc)
            course.trace = open_trace(argv[++i]);
        else if (strcmp(argv[i], "--live") == 0)
            course.live = true;
        else if (strcmp(argv[i], "--slow") == 0 && i + 1 < argc) {
            course.live = true;
            course.slow = strtoll(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--rest") == 0 && i + 1 < argc)
            course.rest = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--log") == 0)
            course.log = true;
        else if (strcmp(argv[i], "--api") == 0 && i + 1 < argc)
            course.api_ms = strtoll(argv[++i], NULL, 10);
        else
            run(argv[i], &course, settings, count);
    if (course.trace != NULL)
        fclose(course.trace);
    return 0;
}
