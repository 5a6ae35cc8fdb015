#include "cloud/aws/nodeclass/profile_deletions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cloud/aws/nodeclass/class_pass.h"

struct profile_deletions {
    struct node_class_controllers *controllers;
    struct profile_deletions *next, *previous;
    struct aws_call *call;
    char *key, *extra, *owner;
    profile_keeper keep;
    int64_t lifetime_ns;
    VECTOR(char *) names;
    uint32_t at;
};

static void delete_next(struct profile_deletions *work);

static void free_work(struct profile_deletions *work)
{
    if (work->previous != NULL)
        work->previous->next = work->next;
    else
        work->controllers->deletions = work->next;
    if (work->next != NULL)
        work->next->previous = work->previous;
    if (work->call != NULL)
        aws_call_cancel(work->call);
    for (uint32_t i = 0; i < work->names.count; i++)
        free(work->names.items[i]);
    vector_free(&work->names);
    free(work->key);
    free(work->extra);
    free(work->owner);
    free(work);
}

void profile_deletions_cancel(struct node_class_controllers *controllers)
{
    while (controllers->deletions != NULL)
        free_work(controllers->deletions);
}

static bool on_page(void *context, const json_t *reply)
{
    struct profile_deletions *work = context;
    size_t index;
    json_t *profile;
    json_array_foreach (json_object_get(reply, "InstanceProfiles"), index, profile) {
        const char *name = json_string_value(json_object_get(profile, "InstanceProfileName"));
        if (name != NULL)
            vector_push(&work->names, memory_copy_string(name));
    }
    return true;
}

static void fail(struct profile_deletions *work, const struct aws_result *result)
{
    answers_fail(work->controllers->answers, work->key, result);
    free_work(work);
}

static void on_listed(void *context, const struct aws_result *result)
{
    struct profile_deletions *work = context;
    work->call = NULL;
    if (result->error.kind != ERROR_NONE && result->fault != AWS_FAULT_NOT_FOUND) {
        fail(work, result);
        return;
    }
    if (work->extra != NULL)
        vector_push(&work->names, memory_copy_string(work->extra));
    delete_next(work);
}

static void on_deleted(void *context, const struct aws_result *result)
{
    struct profile_deletions *work = context;
    if (result->error.kind != ERROR_NONE)
        fail(work, result);
    else
        delete_next(work);
}

static void delete_next(struct profile_deletions *work)
{
    while (work->at < work->names.count && work->keep != NULL &&
           work->keep(work->controllers, work->names.items[work->at]))
        work->at++;
    if (work->at < work->names.count) {
        const char *name = work->names.items[work->at++];
        log_debug("deleting instance profile", "s:instance-profile", name);
        const char *owner = text_equal(name, work->extra) ? work->owner : NULL;
        instance_profile_delete(work->controllers->profiles, name, owner, on_deleted, work);
        return;
    }
    answers_end(work->controllers->answers, work->key, NULL, work->lifetime_ns);
    free_work(work);
}

void profile_deletions_begin(struct node_class_controllers *controllers,
                             const struct profile_deletions_options *options)
{
    assert(options->path != NULL);
    struct profile_deletions *work = memory_allocate(sizeof *work);
    work->controllers = controllers;
    work->next = controllers->deletions;
    if (work->next != NULL)
        work->next->previous = work;
    controllers->deletions = work;
    work->key = memory_copy_string(options->key);
    work->extra = memory_copy_string(options->extra);
    work->owner = memory_copy_string(options->owner);
    work->keep = options->keep;
    work->lifetime_ns = options->lifetime_ns;
    answers_begin(controllers->answers, options->key);
    work->call = aws_client_start(
        controllers->environment.client,
        &(struct aws_request){.action = IAM_LIST_INSTANCE_PROFILES,
                              .parameters = json_pack("{s:s}", "PathPrefix", options->path),
                              .all_pages = true,
                              .page = on_page,
                              .done = on_listed,
                              .context = work});
}
