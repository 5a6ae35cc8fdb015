#include "sim/workloads/cron_job.h"

#include <inttypes.h>
#include <string.h>

#include "base/cron.h"
#include "base/nanoseconds.h"
#include "sim/workloads/workloads_internal.h"
#include "sim/world/world_write.h"

struct cron_view {
    struct workloads *workloads;
    struct world *world;
    struct world_object *cron_job;
    world_objects jobs;
    uint32_t running;
};

static void count_jobs(struct cron_view *view);
static void drop_old(struct cron_view *view, const char *condition, const char *limit_path,
                     int64_t limit);
static void write_status(struct cron_view *view, int64_t scheduled);
static int64_t create_due(struct cron_view *view, const struct cron *cron);

void cron_job_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct cron_view view = {.workloads = workloads, .world = workloads->world};
    view.cron_job = world_find_other(view.world, "batch", "cronjobs", key);
    if (view.cron_job == NULL || world_is_deleting(view.cron_job))
        return;
    count_jobs(&view);
    const char *schedule = world_text(view.cron_job->json, "spec.schedule");
    struct cron cron;
    struct error error = {0};
    int64_t scheduled = 0;
    if (schedule != NULL && cron_parse(schedule, &cron, &error) &&
        !json_is_true(store_path(view.cron_job->json, "spec.suspend")))
        scheduled = create_due(&view, &cron);
    drop_old(&view, "Complete", "spec.successfulJobsHistoryLimit", 3);
    drop_old(&view, "Failed", "spec.failedJobsHistoryLimit", 1);
    write_status(&view, scheduled);
    vector_free(&view.jobs);
}

static bool is_finished(const struct world_object *job)
{
    return text_equal(world_condition_status(job, "Complete"), "True") ||
           text_equal(world_condition_status(job, "Failed"), "True");
}

static void count_jobs(struct cron_view *view)
{
    view->jobs = world_controlled(view->world, view->cron_job->uid, KIND_JOB);
    view->running = 0;
    vector_for_each (job, &view->jobs)
        view->running += !is_finished(*job);
}

static bool create_job(struct cron_view *view, int64_t at_ns)
{
    char name[300];
    snprintf(name, sizeof name, "%s-%" PRId64, view->cron_job->name, at_ns / MINUTE);
    const json_t *template = store_path(view->cron_job->json, "spec.jobTemplate");
    json_t *metadata = json_pack("{s:s}", "name", name);
    static const char *const parts[] = {"labels", "annotations"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        const json_t *part = json_object_get(json_object_get(template, "metadata"), parts[i]);
        if (part != NULL)
            json_object_set_new(metadata, parts[i], json_deep_copy(part));
    }
    json_t *job =
        json_pack("{s:s, s:s, s:o, s:o}", "apiVersion", "batch/v1", "kind", "Job", "metadata",
                  metadata, "spec", json_deep_copy(json_object_get(template, "spec")));
    world_add_owner(job, view->cron_job);
    return world_add(view->world, KIND_JOB, view->cron_job->namespace, job, NULL);
}

// Replace ends what is running; Forbid waits for the next time.
static bool may_create(struct cron_view *view)
{
    const char *policy = world_text(view->cron_job->json, "spec.concurrencyPolicy");
    if (view->running == 0 || text_equal(policy, "Allow"))
        return true;
    if (!text_equal(policy, "Replace"))
        return false;
    vector_for_each (job, &view->jobs) {
        if (!is_finished(*job))
            world_remove(view->world, *job, -1, "Background");
    }
    return true;
}

// Creates the Job that is due, the latest of several, and comes back for the next. Returns its
// time; 0: none.
static int64_t create_due(struct cron_view *view, const struct cron *cron)
{
    int64_t now_ns = loop_now_ns(view->world->loop), due_ns = 0;
    int64_t last_ns = world_instant(view->cron_job->json, "status.lastScheduleTime");
    if (last_ns == 0)
        last_ns = world_instant(view->cron_job->json, "metadata.creationTimestamp");
    int64_t next_ns = cron_next(cron, last_ns);
    for (int missed = 0; next_ns != 0 && next_ns <= now_ns && missed < 100; missed++) {
        due_ns = next_ns;
        next_ns = cron_next(cron, next_ns);
    }
    if (next_ns > now_ns && next_ns != INT64_MAX)
        work_queue_add_after(view->workloads->cron_jobs, view->cron_job->key,
                             ns_subtract(next_ns, now_ns));
    if (due_ns == 0 || !may_create(view) || !create_job(view, due_ns))
        return 0;
    vector_free(&view->jobs);
    count_jobs(view);
    return due_ns;
}

// The oldest come first.
static void drop_old(struct cron_view *view, const char *condition, const char *limit_path,
                     int64_t limit)
{
    int64_t kept = world_int(view->cron_job->json, limit_path, limit), count = 0;
    vector_for_each (job, &view->jobs)
        count += text_equal(world_condition_status(*job, condition), "True");
    if (count <= kept)
        return;
    vector_for_each (job, &view->jobs) {
        if (count > kept && !world_is_deleting(*job) &&
            text_equal(world_condition_status(*job, condition), "True")) {
            world_remove(view->world, *job, -1, "Background");
            count--;
        }
    }
    vector_free(&view->jobs);
    count_jobs(view);
}

static void write_status(struct cron_view *view, int64_t scheduled)
{
    json_t *status = world_copy_status(view->cron_job), *active = json_array();
    const char *successful = world_text(status, "lastSuccessfulTime");
    vector_for_each (job, &view->jobs) {
        const char *completed = world_text((*job)->json, "status.completionTime");
        if (completed != NULL && (successful == NULL || strcmp(completed, successful) > 0))
            successful = completed;
        if (!is_finished(*job))
            json_array_append_new(active,
                                  json_pack("{s:s, s:s, s:s, s:s, s:s}", "apiVersion", "batch/v1",
                                            "kind", "Job", "namespace", (*job)->namespace, "name",
                                            (*job)->name, "uid", (*job)->uid));
    }
    if (successful != NULL)
        json_object_set_new(status, "lastSuccessfulTime", json_string(successful));
    if (json_array_size(active) > 0)
        json_object_set(status, "active", active);
    else
        json_object_del(status, "active");
    json_decref(active);
    if (scheduled != 0) {
        char text[INSTANT_TEXT_MAX];
        instant_format(scheduled, text);
        json_object_set_new(status, "lastScheduleTime", json_string(text));
    }
    world_set_status(view->world, view->cron_job, status);
}
