#include "cloud/aws/nodeclass/instance_profiles.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "cloud/aws/nodeclass/class_pass.h"
#include "cloud/aws/nodeclass/node_class_tags.h"

#define PROTECTION HOUR
// AWN-396; longer than a pass with slow calls may take.
#define NAME_LIFETIME  (5 * MINUTE)
#define ROLE_LIFETIME  MINUTE // AWN-394
#define NAME_BYTES_MAX 128

// A creation or a deletion under way: one call at a time.
struct profile_work {
    struct instance_profiles *profiles;
    struct profile_work *next, *previous;
    struct aws_call *call;
    char *name;
    // creation
    char *key, *role, *path;
    json_t *tags;
    struct error error; // of the step that failed; the profile is being deleted again
    enum aws_fault fault;
    char *code, *message;
    // deletion
    char *owner; // NULL: whoever it is
    instance_profile_deleted done;
    void *context;
};
struct instance_profiles {
    struct node_class_controllers *controllers;
    struct profile_work *work;
    struct map *protections; // name -> int64_t end, monotonic
};

struct instance_profiles *instance_profiles_create(struct node_class_controllers *controllers)
{
    struct instance_profiles *profiles = memory_allocate(sizeof *profiles);
    profiles->controllers = controllers;
    profiles->protections = map_create();
    return profiles;
}

static void free_work(struct profile_work *work)
{
    if (work->previous != NULL)
        work->previous->next = work->next;
    else
        work->profiles->work = work->next;
    if (work->next != NULL)
        work->next->previous = work->previous;
    if (work->call != NULL)
        aws_call_cancel(work->call);
    json_decref(work->tags);
    free(work->name);
    free(work->owner);
    free(work->key);
    free(work->role);
    free(work->path);
    free(work->code);
    free(work->message);
    free(work);
}

void instance_profiles_destroy(struct instance_profiles *profiles)
{
    if (profiles == NULL)
        return;
    while (profiles->work != NULL)
        free_work(profiles->work);
    map_destroy(profiles->protections, free);
    free(profiles);
}

const char *role_name(const char *role)
{
    const char *slash = strrchr(role, '/');
    return slash != NULL ? slash + 1 : role;
}

static int64_t now_of(const struct instance_profiles *profiles)
{
    return loop_monotonic_ns(profiles->controllers->manager->loop);
}

void instance_profile_protect(struct instance_profiles *profiles, const char *name)
{
    int64_t *end = map_ensure(profiles->protections, name, sizeof *end);
    *end = now_of(profiles) + PROTECTION;
}

bool instance_profile_was_protected(struct instance_profiles *profiles, const char *name)
{
    return map_get(profiles->protections, name) != NULL;
}

bool instance_profile_is_protected(struct instance_profiles *profiles, const char *name)
{
    const int64_t *end = map_get(profiles->protections, name);
    return end != NULL && now_of(profiles) < *end;
}

char *instance_profile_path(const struct instance_profiles *profiles, const char *uid)
{
    const struct cluster_facts *cluster = profiles->controllers->environment.cluster;
    struct text path = {0};
    text_format(&path, "/karpenter/%s/%s/", cluster->region, cluster->name);
    if (uid != NULL)
        text_format(&path, "%s/", uid);
    return text_take(&path);
}

static char *name_of(const struct instance_profiles *profiles, const char *node_class,
                     const char *suffix)
{
    const struct cluster_facts *cluster = profiles->controllers->environment.cluster;
    struct text hashed = {0}, name = {0};
    text_format(&hashed, "%s%s%s", cluster->region, node_class, suffix);
    text_format(&name, "%s_%llu", cluster->name,
                (unsigned long long)hash_fnv1(hashed.data, hashed.length));
    text_free(&hashed);
    return text_take(&name);
}

char *instance_profile_legacy_name(const struct instance_profiles *profiles, const char *node_class)
{
    char *name = name_of(profiles, node_class, "");
    bool valid = strlen(name) <= NAME_BYTES_MAX;
    for (const char *c = name; valid && *c != '\0'; c++)
        valid = isalnum((unsigned char)*c) || strchr("_+=,.@-", *c) != NULL;
    if (valid)
        return name;
    free(name);
    return NULL;
}

static struct profile_work *begin(struct instance_profiles *profiles, const char *name)
{
    struct profile_work *work = memory_allocate(sizeof *work);
    work->profiles = profiles;
    work->name = memory_copy_string(name);
    work->next = profiles->work;
    if (work->next != NULL)
        work->next->previous = work;
    profiles->work = work;
    return work;
}

static void call(struct profile_work *work, enum aws_action action, json_t *parameters,
                 aws_done done)
{
    assert(work->call == NULL);
    json_object_set_new(parameters, "InstanceProfileName", json_string(work->name));
    work->call = aws_client_start(
        work->profiles->controllers->environment.client,
        &(struct aws_request){
            .action = action, .parameters = parameters, .done = done, .context = work});
}

static const char *first_role(const json_t *reply)
{
    const json_t *profile = json_object_get(reply, "InstanceProfile");
    const json_t *role = json_array_get(json_object_get(profile, "Roles"), 0);
    return json_string_value(json_object_get(role, "RoleName"));
}

// --- deletion (AWN-397) --------------------------------------------------------------------------
static void end_deletion(struct profile_work *work, const struct aws_result *result)
{
    static const struct aws_result good = {.code = "", .message = ""};
    bool gone = result->error.kind == ERROR_NONE || result->fault == AWS_FAULT_NOT_FOUND;
    if (gone) {
        free(map_remove(work->profiles->protections, work->name));
        struct text key = {0};
        text_format(&key, "profile/%s", work->name);
        answers_drop(work->profiles->controllers->answers, key.data);
        text_free(&key);
    }
    work->done(work->context, gone ? &good : result);
    free_work(work);
}

static void on_profile_gone(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    end_deletion(work, result);
}

static void on_role_removed(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    if (result->error.kind != ERROR_NONE && result->fault != AWS_FAULT_NOT_FOUND)
        end_deletion(work, result);
    else
        call(work, IAM_DELETE_INSTANCE_PROFILE, json_object(), on_profile_gone);
}

// AWN-717.
static bool is_foreign(const struct profile_work *work, const json_t *reply)
{
    const json_t *tags = json_object_get(json_object_get(reply, "InstanceProfile"), "Tags");
    return work->owner != NULL &&
           !node_class_tags_are_of(tags, work->owner,
                                   work->profiles->controllers->environment.cluster);
}

static void on_profile_read(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    bool foreign = result->error.kind == ERROR_NONE && is_foreign(work, result->reply);
    if (foreign)
        log_info("leaving an instance profile that has no tags of the node class",
                 "s:instance-profile", work->name, "o:EC2NodeClass", work->owner);
    if (foreign || result->error.kind != ERROR_NONE) {
        end_deletion(work, result);
        return;
    }
    const char *role = first_role(result->reply);
    if (role != NULL)
        call(work, IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE, json_pack("{s:s}", "RoleName", role),
             on_role_removed);
    else
        call(work, IAM_DELETE_INSTANCE_PROFILE, json_object(), on_profile_gone);
}

void instance_profile_delete(struct instance_profiles *profiles, const char *name,
                             const char *owner, instance_profile_deleted done, void *context)
{
    assert(done != NULL);
    struct profile_work *work = begin(profiles, name);
    work->owner = memory_copy_string(owner);
    work->done = done;
    work->context = context;
    call(work, IAM_GET_INSTANCE_PROFILE, json_object(), on_profile_read);
}

// --- creation (AWN-393) --------------------------------------------------------------------------
static void end_failed_creation(struct profile_work *work)
{
    struct aws_result failure = {.error = work->error,
                                 .fault = work->fault,
                                 .code = text_or_empty(work->code),
                                 .message = text_or_empty(work->message)};
    answers_fail(work->profiles->controllers->answers, work->key, &failure);
    free_work(work);
}

static void on_undone(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    if (result->error.kind != ERROR_NONE)
        log_error("deleting an unfinished instance profile", "s:instance-profile", work->name,
                  "s:error", result->error.message);
    end_failed_creation(work);
}

// Deletes the new profile again, as best it can, and reports the failed step.
static void undo(struct profile_work *work, const struct aws_result *failure)
{
    work->error = failure->error;
    work->fault = failure->fault;
    work->code = memory_copy_string(failure->code);
    work->message = memory_copy_string(failure->message);
    free(map_remove(work->profiles->protections, work->name));
    call(work, IAM_DELETE_INSTANCE_PROFILE, json_object(), on_undone);
}

static void on_role_added(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    struct answers *answers = work->profiles->controllers->answers;
    work->call = NULL;
    if (result->error.kind != ERROR_NONE) {
        if (result->fault == AWS_FAULT_NOT_FOUND && strstr(result->message, "role") != NULL) {
            struct text key = {0};
            text_format(&key, "no-role/%s", work->role);
            answers_end(answers, key.data, json_string(result->error.message), ROLE_LIFETIME);
            text_free(&key);
        }
        undo(work, result);
        return;
    }
    log_info("created instance profile", "s:instance-profile", work->name, "s:role", work->role);
    answers_end(answers, work->key, json_string(work->name), NAME_LIFETIME);
    free_work(work);
}

static void add_role(struct profile_work *work)
{
    call(work, IAM_ADD_ROLE_TO_INSTANCE_PROFILE, json_pack("{s:s}", "RoleName", work->role),
         on_role_added);
}

static void on_other_role_removed(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    if (result->error.kind != ERROR_NONE)
        undo(work, result);
    else
        add_role(work);
}

static void give_role(struct profile_work *work, const char *role)
{
    instance_profile_protect(work->profiles, work->name);
    if (role == NULL)
        add_role(work);
    else if (strcmp(role, work->role) != 0)
        call(work, IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE, json_pack("{s:s}", "RoleName", role),
             on_other_role_removed);
    else {
        answers_end(work->profiles->controllers->answers, work->key, json_string(work->name),
                    NAME_LIFETIME);
        free_work(work);
    }
}

static void fail_creation(struct profile_work *work, const struct aws_result *failure)
{
    answers_fail(work->profiles->controllers->answers, work->key, failure);
    free_work(work);
}

static void on_created(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    if (result->error.kind != ERROR_NONE)
        fail_creation(work, result);
    else
        give_role(work, first_role(result->reply));
}

static void on_looked_up(void *context, const struct aws_result *result)
{
    struct profile_work *work = context;
    work->call = NULL;
    if (result->error.kind == ERROR_NONE) {
        give_role(work, first_role(result->reply));
    } else if (result->fault == AWS_FAULT_NOT_FOUND) {
        json_t *parameters =
            json_pack("{s:s, s:o}", "Path", work->path, "Tags", tag_list_json(work->tags));
        call(work, IAM_CREATE_INSTANCE_PROFILE, parameters, on_created);
    } else {
        fail_creation(work, result);
    }
}

void instance_profile_begin_creation(struct instance_profiles *profiles,
                                     const struct ec2_node_class *node_class, const char *key)
{
    assert(node_class->spec.role != NULL);
    struct node_class_controllers *controllers = profiles->controllers;
    char uuid[37];
    random_uuid(&controllers->manager->random, uuid);
    char *name CLEANUP_FREE = name_of(profiles, node_class->meta.name, uuid);
    struct profile_work *work = begin(profiles, name);
    work->key = memory_copy_string(key);
    work->role = memory_copy_string(role_name(node_class->spec.role));
    work->path = instance_profile_path(profiles, node_class->meta.uid);
    work->tags = node_class_profile_tags(node_class, controllers->environment.cluster);
    answers_begin(controllers->answers, key);
    call(work, IAM_GET_INSTANCE_PROFILE, json_object(), on_looked_up);
}
