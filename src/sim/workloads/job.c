#include "sim/workloads/job.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "sim/workloads/pod_batches.h"
#include "sim/workloads/workload_pods.h"
#include "sim/world/world_write.h"

#define FINALIZER_TRACKING "batch.kubernetes.io/job-tracking"
#define ANNOTATION_INDEX   "batch.kubernetes.io/job-completion-index"
#define BACKOFF_NS         (10 * SECOND)
#define BACKOFF_MAX_NS     (6 * MINUTE)

struct job_view {
    struct workloads *workloads;
    struct world *world;
    struct world_object *job;
    world_objects pods;
    int64_t parallelism, completions; // completions < 0: until one succeeds
    int64_t active, ready, succeeded, failed, last_failure;
    bool indexed;
    json_t *done_indices; // object: index -> true
};

static void read_job(struct job_view *view);
static void count_pods(struct job_view *view);
static bool is_finished(const struct world_object *job);
static const char *failure_reason(const struct job_view *view);
static bool is_complete(const struct job_view *view);
static void remove_active(struct job_view *view);
static void adjust(struct job_view *view);
static void write_status(struct job_view *view, const char *outcome, const char *reason);
static void release_counted(struct job_view *view);
static void collect_after_ttl(struct job_view *view);

void job_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct job_view view = {.workloads = workloads, .world = workloads->world};
    view.job = world_find_key(workloads->world, KIND_JOB, key);
    if (view.job == NULL)
        return;
    read_job(&view);
    view.pods = world_controlled(view.world, view.job->uid, KIND_POD);
    count_pods(&view);
    const char *reason = NULL;
    if (is_finished(view.job) || world_is_deleting(view.job)) {
        write_status(&view, NULL, NULL);
    } else if ((reason = failure_reason(&view)) != NULL) {
        write_status(&view, "Failed", reason);
        remove_active(&view);
    } else if (is_complete(&view)) {
        write_status(&view, "Complete", "CompletionsReached");
        remove_active(&view);
    } else {
        write_status(&view, NULL, NULL);
        adjust(&view);
    }
    release_counted(&view);
    collect_after_ttl(&view);
    vector_free(&view.pods);
    json_decref(view.done_indices);
}

static bool has_condition(const struct world_object *job, const char *type)
{
    return text_equal(world_condition_status(job, type), "True");
}

static bool is_finished(const struct world_object *job)
{
    return has_condition(job, "Complete") || has_condition(job, "Failed");
}

static void read_job(struct job_view *view)
{
    const json_t *json = view->job->json;
    view->parallelism = world_int(json, "spec.parallelism", 1);
    bool neither = store_path(json, "spec.parallelism") == NULL;
    view->completions = world_int(json, "spec.completions", neither ? 1 : -1);
    view->indexed = text_equal(world_text(json, "spec.completionMode"), "Indexed");
    view->succeeded = world_int(json, "status.succeeded", 0);
    view->failed = world_int(json, "status.failed", 0);
    view->done_indices = json_object();
}

static bool is_tracked(const struct world_object *pod)
{
    json_t *finalizer;
    size_t index;
    json_array_foreach (store_path(pod->json, "metadata.finalizers"), index, finalizer) {
        if (text_equal(json_string_value(finalizer), FINALIZER_TRACKING))
            return true;
    }
    return false;
}

// Ended, or deleted before its end.
static bool is_over(const struct world_object *pod)
{
    return world_pod_ended(pod) ||
           (world_is_deleting(pod) &&
            world_int(pod->json, "metadata.deletionGracePeriodSeconds", 0) == 0);
}

static void count_failure_time(struct job_view *view, const struct world_object *pod)
{
    json_t *status;
    size_t index;
    json_array_foreach (store_path(pod->json, "status.containerStatuses"), index, status) {
        int64_t ended = world_instant(status, "state.terminated.finishedAt");
        view->last_failure = ended > view->last_failure ? ended : view->last_failure;
    }
}

static void count_pods(struct job_view *view)
{
    vector_for_each (pod, &view->pods) {
        bool success = text_equal(world_text((*pod)->json, "status.phase"), "Succeeded");
        const char *index = world_annotation(*pod, ANNOTATION_INDEX);
        if (!is_over(*pod)) {
            view->active += !world_is_deleting(*pod);
            view->ready += world_pod_ready(*pod);
            continue;
        }
        if (success && index != NULL)
            json_object_set_new(view->done_indices, index, json_true());
        if (!success)
            count_failure_time(view, *pod);
        if (!is_tracked(*pod))
            continue;
        view->succeeded += success;
        view->failed += !success;
    }
}

static void release_counted(struct job_view *view)
{
    vector_for_each (pod, &view->pods) {
        struct world_object *object = *pod;
        if (!is_over(object) || !is_tracked(object))
            continue;
        json_t *value = world_copy(object);
        world_drop_finalizer(value, FINALIZER_TRACKING);
        world_replace(view->world, object, value);
    }
}

static const char *failure_reason(const struct job_view *view)
{
    if (view->failed > world_int(view->job->json, "spec.backoffLimit", 6))
        return "BackoffLimitExceeded";
    int64_t seconds = world_int(view->job->json, "spec.activeDeadlineSeconds", -1);
    int64_t started = world_instant(view->job->json, "status.startTime");
    if (seconds < 0 || started == 0)
        return NULL;
    int64_t left_ns =
        ns_subtract(ns_add(started, ns_multiply(seconds, SECOND)), loop_now_ns(view->world->loop));
    if (left_ns <= 0)
        return "DeadlineExceeded";
    work_queue_add_after(view->workloads->jobs, view->job->key, left_ns);
    return NULL;
}

static bool is_complete(const struct job_view *view)
{
    if (view->completions >= 0)
        return view->succeeded >= view->completions;
    return view->succeeded > 0 && view->active == 0;
}

// --- pods ----------------------------------------------------------------------------------------

// The caller reads the list again afterwards: pods without a node are gone at once.
static void remove_some(struct job_view *view, int64_t count)
{
    world_objects active = {0};
    vector_for_each (pod, &view->pods) {
        if (world_pod_active(*pod))
            vector_push(&active, *pod);
    }
    workload_sort_for_deletion(view->world, NULL, &active);
    for (uint32_t i = 0; i < active.count && (int64_t)i < count; i++)
        workload_remove_pod(view->world, view->job, active.items[i]);
    vector_free(&active);
    vector_free(&view->pods);
    view->pods = world_controlled(view->world, view->job->uid, KIND_POD);
}

static void remove_active(struct job_view *view)
{
    remove_some(view, INT64_MAX);
}

static bool index_taken(const struct job_view *view, const char *index)
{
    if (json_object_get(view->done_indices, index) != NULL)
        return true;
    vector_for_each (pod, &view->pods) {
        if (!is_over(*pod) && text_equal(world_annotation(*pod, ANNOTATION_INDEX), index))
            return true;
    }
    return false;
}

static bool create_pod(struct job_view *view, int64_t *next_index)
{
    char prefix[340], number[24] = "";
    if (view->indexed) {
        do
            snprintf(number, sizeof number, "%lld", (long long)(*next_index)++);
        while (index_taken(view, number));
        snprintf(prefix, sizeof prefix, "%s-%s-", view->job->name, number);
    } else {
        snprintf(prefix, sizeof prefix, "%s-", view->job->name);
    }
    json_t *pod = workload_pod(view->job, NULL, prefix);
    json_t *labels = workload_metadata(pod, "labels");
    json_object_set_new(labels, "batch.kubernetes.io/job-name", json_string(view->job->name));
    json_object_set_new(labels, "job-name", json_string(view->job->name));
    json_object_set_new(labels, "batch.kubernetes.io/controller-uid", json_string(view->job->uid));
    json_object_set_new(labels, "controller-uid", json_string(view->job->uid));
    if (view->indexed) {
        json_object_set_new(labels, ANNOTATION_INDEX, json_string(number));
        json_object_set_new(workload_metadata(pod, "annotations"), ANNOTATION_INDEX,
                            json_string(number));
    }
    world_add_finalizer(pod, FINALIZER_TRACKING);
    return workload_add_pod(view->world, view->job, pod);
}

// After failures new pods wait: ten seconds, doubling.
static int64_t backoff_left(const struct job_view *view)
{
    if (view->failed == 0 || view->last_failure == 0)
        return 0;
    int64_t backoff_ns = BACKOFF_NS;
    for (int64_t i = 1; i < view->failed && backoff_ns < BACKOFF_MAX_NS; i++)
        backoff_ns = ns_multiply(backoff_ns, 2);
    if (backoff_ns > BACKOFF_MAX_NS)
        backoff_ns = BACKOFF_MAX_NS;
    return ns_subtract(ns_add(view->last_failure, backoff_ns), loop_now_ns(view->world->loop));
}

static void adjust(struct job_view *view)
{
    if (json_is_true(store_path(view->job->json, "spec.suspend"))) {
        remove_active(view);
        return;
    }
    int64_t wanted = view->parallelism;
    if (view->completions >= 0) {
        if (wanted > view->completions - view->succeeded)
            wanted = view->completions - view->succeeded;
    } else if (view->succeeded > 0) {
        wanted = view->active; // the queue is empty: running pods may end
    }
    if (wanted < view->active) {
        remove_some(view, view->active - wanted);
        return;
    }
    int64_t wait_ns = wanted > view->active ? backoff_left(view) : 0;
    if (wait_ns > 0) {
        work_queue_add_after(view->workloads->jobs, view->job->key, wait_ns);
        return;
    }
    int64_t next_index = 0;
    int64_t now = wanted - view->active;
    if (now > 0)
        now = pod_batch_create(view->workloads, view->workloads->job_rate, view->workloads->jobs,
                               view->job, now);
    for (int64_t i = 0; i < now; i++) {
        if (!create_pod(view, &next_index)) {
            work_queue_add_after(view->workloads->jobs, view->job->key, 5 * SECOND);
            return;
        }
    }
}

// --- status and end ------------------------------------------------------------------------------

static void write_status(struct job_view *view, const char *outcome, const char *reason)
{
    char now[INSTANT_TEXT_MAX];
    world_now(view->world, now);
    bool suspended = json_is_true(store_path(view->job->json, "spec.suspend"));
    json_t *status = world_copy_status(view->job);
    if (!suspended && json_object_get(status, "startTime") == NULL)
        json_object_set_new(status, "startTime", json_string(now));
    json_object_set_new(status, "active", json_integer(outcome == NULL ? view->active : 0));
    json_object_set_new(status, "ready", json_integer(outcome == NULL ? view->ready : 0));
    json_object_set_new(status, "succeeded", json_integer(view->succeeded));
    json_object_set_new(status, "failed", json_integer(view->failed));
    if (suspended || world_condition_status(view->job, "Suspended") != NULL)
        world_condition(view->world, status, "Suspended", suspended ? "True" : "False",
                        suspended ? "JobSuspended" : "JobResumed", NULL);
    if (outcome != NULL) {
        world_condition(view->world, status, outcome, "True", reason, NULL);
        if (text_equal(outcome, "Complete"))
            json_object_set_new(status, "completionTime", json_string(now));
    }
    world_set_status(view->world, view->job, status);
}

static int64_t finished_at(const struct world_object *job)
{
    json_t *condition;
    size_t index;
    json_array_foreach (store_path(job->json, "status.conditions"), index, condition) {
        const char *type = world_text(condition, "type");
        if ((text_equal(type, "Complete") || text_equal(type, "Failed")) &&
            text_equal(world_text(condition, "status"), "True"))
            return world_instant(condition, "lastTransitionTime");
    }
    return 0;
}

static void collect_after_ttl(struct job_view *view)
{
    int64_t ttl_s = world_int(view->job->json, "spec.ttlSecondsAfterFinished", -1);
    int64_t finished = finished_at(view->job);
    if (ttl_s < 0 || finished == 0 || world_is_deleting(view->job))
        return;
    int64_t left_ns =
        ns_subtract(ns_add(finished, ns_multiply(ttl_s, SECOND)), loop_now_ns(view->world->loop));
    if (left_ns > 0)
        work_queue_add_after(view->workloads->jobs, view->job->key, left_ns);
    else
        world_remove(view->world, view->job, -1, "Background");
}
