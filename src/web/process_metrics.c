#include "web/process_metrics.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/metrics_text.h"

struct process_metrics {
    struct metrics *metrics;
    struct metric *cpu_seconds, *resident_bytes, *virtual_bytes, *open_files, *open_files_max;
    struct metric *leads, *slow_path;
};

// There is no Go version; dashboards read the version.
static void register_build_info(struct metrics *metrics)
{
#if defined(__x86_64__)
    const char *architecture = "amd64";
#elif defined(__aarch64__)
    const char *architecture = "arm64";
#else
    const char *architecture = "";
#endif
    static const struct metric_options info = {
        .name = "karpenter_build_info",
        .help = "What this program was built from.",
        .type = METRIC_GAUGE,
        .labels = {"version", "goversion", "goarch", "commit"}};
    metric_set(metrics_register(metrics, &info), 1, ADZE_VERSION, "", architecture, log_commit());
}

static void register_start(struct metrics *metrics)
{
    static const struct metric_options start = {.name = "process_start_time_seconds",
                                                .help = "Start of the process, Unix time.",
                                                .type = METRIC_GAUGE};
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) == 0)
        metric_set(metrics_register(metrics, &start),
                   (double)now.tv_sec + (double)now.tv_nsec / 1e9);
}

// --- readings ------------------------------------------------------------------------------------
static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static void collect_cpu(void *context, const struct metric *metric, struct text *out)
{
    struct rusage usage;
    (void)context;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        metric_emit(metric, out, seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime), NULL,
                    0);
}

static void read_memory(const struct process_metrics *process)
{
    unsigned long all, resident;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return;
    if (fscanf(file, "%lu %lu", &all, &resident) == 2) {
        double page = (double)sysconf(_SC_PAGESIZE);
        metric_set(process->virtual_bytes, (double)all * page);
        metric_set(process->resident_bytes, (double)resident * page);
    }
    fclose(file);
}

static void read_files(const struct process_metrics *process)
{
    struct rlimit limit;
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder != NULL) {
        while (readdir(folder) != NULL)
            count++;
        closedir(folder);
        metric_set(process->open_files, count - 3); // ".", ".." and the folder itself
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        metric_set(process->open_files_max, (double)limit.rlim_cur);
}

static void refresh(void *context)
{
    read_memory(context);
    read_files(context);
}

// --- registration --------------------------------------------------------------------------------
static struct metric *gauge(struct metrics *metrics, const char *name, const char *help)
{
    return metrics_register(
        metrics, &(struct metric_options){.name = name, .help = help, .type = METRIC_GAUGE});
}

struct process_metrics *process_metrics_create(struct metrics *metrics)
{
    struct process_metrics *process = memory_allocate(sizeof *process);
    process->metrics = metrics;
    process->cpu_seconds = metrics_register(
        metrics, &(struct metric_options){.name = "process_cpu_seconds_total",
                                          .help = "Time that the process has used of all cpus.",
                                          .type = METRIC_COUNTER});
    metric_collect(process->cpu_seconds, collect_cpu, process);
    process->resident_bytes =
        gauge(metrics, "process_resident_memory_bytes", "Memory of the process that is resident.");
    process->virtual_bytes =
        gauge(metrics, "process_virtual_memory_bytes", "Address space of the process.");
    process->open_files = gauge(metrics, "process_open_fds", "Open file descriptors.");
    process->open_files_max =
        gauge(metrics, "process_max_fds", "Most file descriptors that may be open.");
    process->leads = metrics_register(
        metrics, &(struct metric_options){.name = "leader_election_master_status",
                                          .help = "Whether this process holds the lease.",
                                          .type = METRIC_GAUGE,
                                          .labels = {"name"}});
    process->slow_path = metrics_register(
        metrics,
        &(struct metric_options){.name = "leader_election_slowpath_total",
                                 .help = "Renewals of the lease that had to read it again.",
                                 .type = METRIC_COUNTER,
                                 .labels = {"name"}});
    metrics_before_write(metrics, refresh, process);
    register_build_info(metrics);
    register_start(metrics);
    return process;
}

void process_metrics_lead(struct process_metrics *process, const char *lease, bool leads)
{
    assert(lease != NULL);
    metric_set(process->leads, leads, lease);
}

void process_metrics_slow_path(struct process_metrics *process, const char *lease, unsigned count)
{
    assert(lease != NULL);
    metric_add(process->slow_path, count, lease);
}

void process_metrics_destroy(struct process_metrics *process)
{
    if (process == NULL)
        return;
    metrics_before_write(process->metrics, NULL, process);
    metric_collect(process->cpu_seconds, NULL, NULL);
    free(process);
}
