// Runs soak worlds over many seeds (`make soak`), or one of them again.
//
//   soak [--seconds N] [--seeds FROM-TO] [--size N] [--jobs N] [--rest]   many, each in a process
//   of its own;
//                                 without --size each seed has its own (soak_size_of())
//   soak --seed N [--size N] [--without api,cloud,machine,watch] [--leave-out 3,4,...] [--verbose]
//   --rest: a day passes in each world before it is emptied.
//   soak --seed N --shrink        leaves out actions that do not matter, and prints the command
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/vector.h"
#include "simulation/soak.h"

#define JOBS_MAX     64
#define SIZE_OF_SEED UINT32_MAX // no --size

struct run {
    struct soak_options options;
    bool left_out[SOAK_ACTIONS_MAX];
    uint64_t from, to;
    bool one, shrink;
    uint32_t seconds, jobs;
    const char *program;
};

struct report { // of one seed, from the process that ran it
    uint64_t seed;
    struct soak_result result;
};

static const struct {
    uint32_t size_max;
    const char *name;
} classes[] = {{5, "up to 50 nodes"}, {50, "up to 500 nodes"}, {UINT32_MAX, "2,000 nodes"}};

struct class_total {
    uint64_t seeds, failures;
    double hours, processor_seconds;
    uint32_t nodes_most;
};

struct total {
    uint64_t seeds, failures;
    struct class_total classes[ARRAY_LENGTH(classes)];
    struct invariants_counts checked;
    double hours, slowest_seconds;
};

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// --- the command that replays --------------------------------------------------------------------

static const char *const without_names[] = {"api", "cloud", "machine", "watch"};

static void print_command(const struct run *run, const struct soak_options *options)
{
    struct text left_out = {0}, without = {0};
    for (uint32_t i = 0; options->left_out != NULL && i < SOAK_ACTIONS_MAX; i++)
        if (options->left_out[i])
            text_format(&left_out, "%s%u", left_out.length > 0 ? "," : "", i);
    for (size_t i = 0; i < ARRAY_LENGTH(without_names); i++)
        if (options->without & 1U << i)
            text_join(&without, ",", without_names[i]);
    printf("replay: %s --seed %llu --size %u%s%s%s%s%s\n", run->program,
           (unsigned long long)options->seed, options->size, options->rests ? " --rest" : "",
           without.length > 0 ? " --without " : "", without.length > 0 ? without.data : "",
           left_out.length > 0 ? " --leave-out " : "", left_out.length > 0 ? left_out.data : "");
    text_free(&left_out);
    text_free(&without);
}

// --- one seed, in a separate process -------------------------------------------------------------

static pid_t start(const struct soak_options *options, int *from_child)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(1);
    }
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(1);
    }
    if (child == 0) {
        struct report report = {.seed = options->seed};
        close(ends[0]);
        alarm(1200 + 60 * options->size); // a hanging world is a failure too
        soak_run(options, &report.result);
        bool written = write(ends[1], &report, sizeof report) == sizeof report;
        exit(written ? 0 : 1); // through exit(): the leak check
    }
    close(ends[1]);
    *from_child = ends[0];
    return child;
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

// Returns its processor time.
static double finish(pid_t child, int from_child, struct soak_result *result)
{
    struct rusage used = {0};
    struct report report = {0};
    int status = 0;
    bool complete = read(from_child, &report, sizeof report) == sizeof report;
    close(from_child);
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR)
        ;
    *result = report.result;
    double seconds = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (complete && well)
        return seconds;
    result->failed = true;
    if (result->why[0] == '\0')
        snprintf(result->why, sizeof result->why, "the process ended by %s %d",
                 WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return seconds;
}

static bool fails(const struct soak_options *options, struct soak_result *result)
{
    int from_child;
    pid_t child = start(options, &from_child);
    finish(child, from_child, result);
    return result->failed;
}

// --- shrinking -----------------------------------------------------------------------------------

// Leaves out ever smaller runs of actions as long as the world still fails, then kinds of faults.
static void shrink(struct run *run)
{
    struct soak_options *options = &run->options;
    struct soak_result result;
    options->left_out = run->left_out;
    if (!fails(options, &result)) {
        printf("seed %llu does not fail\n", (unsigned long long)options->seed);
        return;
    }
    uint32_t count = result.actions != 0 ? result.actions : SOAK_ACTIONS_MAX;
    for (uint32_t i = 0; i < ARRAY_LENGTH(without_names); i++) {
        uint32_t before = options->without;
        options->without |= 1U << i;
        if (!fails(options, &result))
            options->without = before;
    }
    for (uint32_t length = (count + 1) / 2; length > 0; length /= 2)
        for (uint32_t at = 0; at < count; at += length) {
            bool before[SOAK_ACTIONS_MAX];
            memcpy(before, run->left_out, sizeof before);
            for (uint32_t i = at; i < at + length && i < count; i++)
                run->left_out[i] = true;
            if (memcmp(before, run->left_out, sizeof before) != 0 && !fails(options, &result))
                memcpy(run->left_out, before, sizeof before);
        }
    fails(options, &result);
    printf("shrunk: %s\n", result.why);
    print_command(run, options);
}

// --- many seeds ----------------------------------------------------------------------------------

static void account_class(struct total *total, uint32_t size, const struct soak_result *result,
                          double processor_seconds)
{
    size_t at = 0;
    while (size > classes[at].size_max)
        at++;
    struct class_total *class = &total->classes[at];
    class->seeds++;
    class->failures += result->failed;
    class->hours += result->simulated_hours;
    class->processor_seconds += processor_seconds;
    if (result->nodes_most > class->nodes_most)
        class->nodes_most = result->nodes_most;
}

static void account(struct run *run, struct total *total, const struct soak_options *options,
                    const struct soak_result *result)
{
    total->seeds++;
    total->hours += result->simulated_hours;
    invariants_counts_add(&total->checked, &result->checked);
    if (result->settled_after_seconds > total->slowest_seconds)
        total->slowest_seconds = result->settled_after_seconds;
    if (!result->failed)
        return;
    total->failures++;
    printf("seed %llu FAILED after %.2f simulated hours: %s\n", (unsigned long long)options->seed,
           result->simulated_hours, result->why);
    print_command(run, options);
    fflush(stdout);
}

struct slot {
    pid_t child;
    int from_child;
    struct soak_options options;
};

static void end_job(struct run *run, struct total *total, struct slot *jobs, pid_t child)
{
    for (uint32_t i = 0; i < run->jobs; i++) {
        struct soak_result result;
        if (jobs[i].child != child)
            continue;
        double processor_seconds = finish(child, jobs[i].from_child, &result);
        account_class(total, jobs[i].options.size, &result, processor_seconds);
        account(run, total, &jobs[i].options, &result);
        jobs[i].child = 0;
    }
}

// A child that has written its report and is about to end, left to be collected.
static pid_t wait_for_one(void)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    return info.si_pid;
}

static void print_counts(const struct invariants_counts *counts)
{
    printf(
        "checked: %llu launches, %llu evictions, %llu deletions of pods, %llu machines "
        "terminated, %llu finalizers removed, %llu machines without NodeClaim for a while; %llu "
        "commands: %llu empty, %llu drifted and %llu underutilized nodes, %llu replacements, %llu "
        "savings\n",
        (unsigned long long)counts->launches, (unsigned long long)counts->evictions,
        (unsigned long long)counts->deletions, (unsigned long long)counts->terminations,
        (unsigned long long)counts->finalizers, (unsigned long long)counts->orphans,
        (unsigned long long)counts->commands, (unsigned long long)counts->empty_nodes,
        (unsigned long long)counts->drifted_nodes, (unsigned long long)counts->underutilized_nodes,
        (unsigned long long)counts->replacements, (unsigned long long)counts->weighed);
}

static void print_classes(const struct total *total)
{
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++) {
        const struct class_total *class = &total->classes[i];
        if (class->seeds > 0)
            printf(
                "%s: %llu seeds, at most %u at once, %.1f simulated hours in %.0f s of processor "
                "time, %.2f a second; %llu failed\n",
                classes[i].name, (unsigned long long)class->seeds, class->nodes_most, class->hours,
                class->processor_seconds,
                class->hours / (class->processor_seconds > 0 ? class->processor_seconds : 1),
                (unsigned long long)class->failures);
    }
}

static int run_many(struct run *run)
{
    struct slot jobs[JOBS_MAX] = {0};
    struct total total = {0};
    double begun = clock_seconds(), told = begun;
    uint64_t next = run->from;
    uint32_t running = 0;
    for (;;) {
        bool more =
            next <= run->to && (run->seconds == 0 || clock_seconds() - begun < run->seconds);
        for (uint32_t i = 0; more && running < run->jobs && i < run->jobs; i++) {
            if (jobs[i].child != 0 || next > run->to)
                continue;
            jobs[i].options = run->options;
            jobs[i].options.seed = next++;
            if (run->options.size == SIZE_OF_SEED)
                jobs[i].options.size = soak_size_of(jobs[i].options.seed);
            jobs[i].child = start(&jobs[i].options, &jobs[i].from_child);
            running++;
        }
        if (running == 0)
            break;
        end_job(run, &total, jobs, wait_for_one());
        running--;
        if (clock_seconds() - told > 30) {
            told = clock_seconds();
            printf("%.0f s: %llu seeds, %.0f simulated hours, %llu failed\n", told - begun,
                   (unsigned long long)total.seeds, total.hours,
                   (unsigned long long)total.failures);
            fflush(stdout);
        }
    }
    double took = clock_seconds() - begun;
    printf("%llu seeds (%llu to %llu) in %.0f s: %.0f simulated hours, %.1f a second; "
           "slowest "
           "to settle %.0f s; %llu failed\n",
           (unsigned long long)total.seeds, (unsigned long long)run->from,
           (unsigned long long)(next - 1), took, total.hours, total.hours / took,
           total.slowest_seconds, (unsigned long long)total.failures);
    print_classes(&total);
    print_counts(&total.checked);
    return total.failures == 0 ? 0 : 1;
}

static int run_one(struct run *run)
{
    struct soak_result result;
    run->options.left_out = run->left_out;
    soak_run(&run->options, &result);
    printf(
        "seed %llu: %s%s; %u actions, up to %u nodes, %.2f simulated hours, settled after %.0f s\n",
        (unsigned long long)run->options.seed, result.failed ? "FAILED: " : "fine", result.why,
        result.actions, result.nodes_most, result.simulated_hours, result.settled_after_seconds);
    print_counts(&result.checked);
    return result.failed ? 1 : 0;
}

// --- options -------------------------------------------------------------------------------------

static void usage(const char *program)
{
    fprintf(
        stderr,
        "usage: %s [--seconds N] [--seeds FROM-TO] [--size N] [--jobs N] [--rest]\n"
        "       %s --seed N [--size N] [--without api,cloud,machine,watch] [--leave-out 3,4,...]\n"
        "          [--rest] [--verbose] [--shrink]\n",
        program, program);
    exit(2);
}

static void read_without(struct run *run, char *list)
{
    for (char *rest = NULL, *word = strtok_r(list, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest))
        for (size_t i = 0; i < ARRAY_LENGTH(without_names); i++)
            if (strcmp(word, without_names[i]) == 0)
                run->options.without |= 1U << i;
}

static void read_left_out(struct run *run, char *list)
{
    for (char *rest = NULL, *word = strtok_r(list, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        unsigned long index = strtoul(word, NULL, 10);
        if (index < SOAK_ACTIONS_MAX)
            run->left_out[index] = true;
    }
}

static bool read_flag(struct run *run, const char *name)
{
    bool verbose = strcmp(name, "--verbose") == 0, shrinks = strcmp(name, "--shrink") == 0;
    bool rests = strcmp(name, "--rest") == 0;
    run->options.verbose = run->options.verbose || verbose;
    run->options.rests = run->options.rests || rests;
    run->shrink = run->shrink || shrinks;
    return verbose || shrinks || rests;
}

static bool read_option(struct run *run, const char *name, char *value)
{
    char *end = NULL;
    if (strcmp(name, "--without") == 0) {
        read_without(run, value);
        return true;
    }
    if (strcmp(name, "--leave-out") == 0) {
        read_left_out(run, value);
        return true;
    }
    unsigned long long number = strtoull(value, &end, 10);
    if (strcmp(name, "--seeds") == 0 && *end == '-') {
        run->from = number;
        run->to = strtoull(end + 1, &end, 10);
        return *end == '\0';
    }
    if (*end != '\0')
        return false;
    if (strcmp(name, "--seed") == 0) {
        run->options.seed = number;
        run->one = true;
    } else if (strcmp(name, "--size") == 0) {
        run->options.size = (uint32_t)number;
    } else if (strcmp(name, "--seconds") == 0) {
        run->seconds = (uint32_t)number;
    } else if (strcmp(name, "--jobs") == 0 && number > 0 && number <= JOBS_MAX) {
        run->jobs = (uint32_t)number;
    } else {
        return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    struct run run = {
        .options.size = SIZE_OF_SEED, .from = 1, .to = UINT64_MAX - 1, .program = arguments[0]};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    run.jobs = processors > 0 && processors < JOBS_MAX ? (uint32_t)processors : 1;
    for (int i = 1; i < count; i++) {
        if (read_flag(&run, arguments[i]))
            continue;
        if (i + 1 >= count || !read_option(&run, arguments[i], arguments[i + 1]))
            usage(arguments[0]);
        i++;
    }
    if (run.one && run.options.size == SIZE_OF_SEED)
        run.options.size = soak_size_of(run.options.seed);
    if (run.one && run.shrink) {
        shrink(&run);
        return 1;
    }
    if (run.one)
        return run_one(&run);
    if (run.seconds == 0 && run.to == UINT64_MAX - 1)
        run.seconds = 60;
    return run_many(&run);
}
