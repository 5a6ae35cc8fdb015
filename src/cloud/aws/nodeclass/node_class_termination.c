#include "cloud/aws/nodeclass/node_class_termination.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/instance_profiles.h"
#include "cloud/aws/nodeclass/profile_deletions.h"
#include "reconcile/events.h"

#define NAMES_IN_MESSAGE 5
#define WAIT             (10 * MINUTE)
#define STEP_LIFETIME    (10 * MINUTE) // a step that is done is not done again meanwhile

// --- NodeClaims that are left --------------------------------------------------------------------
struct users {
    VECTOR(const char *) names;
};

static void find_users(struct node_class_controllers *controllers,
                       const struct ec2_node_class *node_class, struct users *users)
{
    struct mirror_iterator iterator = {0};
    const struct object *object;
    while ((object = mirror_next(controllers->manager->mirror, KIND_NODE_CLAIM, &iterator)) !=
           NULL) {
        const struct node_class_reference *reference =
            ((const struct node_claim *)object)->spec.node_class_ref;
        if (reference != NULL && text_equal(reference->group, EC2_NODE_CLASS_GROUP) &&
            text_equal(reference->kind, "EC2NodeClass") &&
            text_equal(reference->name, node_class->meta.name))
            vector_push(&users->names, object->meta.name);
    }
    if (users->names.count > 0)
        qsort(users->names.items, users->names.count, sizeof *users->names.items, text_compare);
}

// AWN-90. False: there are none.
static bool waits_for_users(struct node_class_controllers *controllers,
                            const struct ec2_node_class *node_class)
{
    struct users users = {0};
    find_users(controllers, node_class, &users);
    uint32_t count = users.names.count;
    if (count == 0)
        return false;
    struct text names = {0};
    for (uint32_t i = 0; i < count && i < NAMES_IN_MESSAGE; i++)
        text_join(&names, ", ", users.names.items[i]);
    if (count > NAMES_IN_MESSAGE)
        text_format(&names, " and %u more", count - NAMES_IN_MESSAGE);
    publish_keyed(controllers->manager, (const struct object *)node_class,
                  EVENT_WAITING_ON_NODE_CLAIM_TERMINATION, node_class->meta.uid,
                  "Waiting on NodeClaim termination for %s", names.data);
    text_free(&names);
    vector_free(&users.names);
    return true;
}

// --- steps ---------------------------------------------------------------------------------------
enum step { STEP_DONE, STEP_RUNNING, STEP_FAILED };

static enum step wait_for(struct node_class_controllers *controllers, struct work_item *item,
                          const char *key, const char *doing, struct error *error)
{
    const struct answer *answer = answers_find(controllers->answers, key);
    assert(answer != NULL);
    if (answer->state == ANSWER_PENDING) {
        struct operation_about about = {
            .manager = controllers->manager, .item = item, .doing = doing};
        answers_wait(controllers->answers, key, &about);
        return STEP_RUNNING;
    }
    if (answer->state == ANSWER_READY)
        return STEP_DONE;
    *error = answer->error;
    answers_drop(controllers->answers, key);
    return STEP_FAILED;
}

static enum step delete_profiles(struct node_class_controllers *controllers, struct work_item *item,
                                 const struct ec2_node_class *node_class, struct error *error)
{
    if (controllers->manager->settings->isolated_vpc) // AWN-92
        return STEP_DONE;
    struct text key = {0};
    text_format(&key, "deleted-profiles/%s", text_or_empty(node_class->meta.uid));
    if (answers_find(controllers->answers, key.data) == NULL) {
        char *path CLEANUP_FREE =
            instance_profile_path(controllers->profiles, text_or_empty(node_class->meta.uid));
        char *legacy CLEANUP_FREE =
            instance_profile_legacy_name(controllers->profiles, node_class->meta.name);
        bool upstream = controllers->manager->settings->compatibility_upstream;
        profile_deletions_begin(controllers, &(struct profile_deletions_options){
                                                 .key = key.data,
                                                 .path = path,
                                                 .extra = legacy,
                                                 .owner = upstream ? NULL : node_class->meta.name,
                                                 .lifetime_ns = STEP_LIFETIME});
    }
    enum step step = wait_for(controllers, item, key.data, "deleting instance profiles", error);
    text_free(&key);
    return step;
}

struct template_deletion {
    struct operation operation;
    struct node_class_controllers *controllers;
    char key[128];
};

static void on_templates_deleted(void *context, const struct error *error)
{
    struct template_deletion *deletion = context;
    if (error->kind == ERROR_NONE)
        answers_end(deletion->controllers->answers, deletion->key, NULL, STEP_LIFETIME);
    operation_end(&deletion->operation, OPERATION_PASS, error);
}

static enum step delete_templates(struct node_class_controllers *controllers,
                                  struct work_item *item, const struct ec2_node_class *node_class)
{
    char key[sizeof(((struct template_deletion *)NULL)->key)];
    snprintf(key, sizeof key, "deleted-templates/%.80s", text_or_empty(node_class->meta.uid));
    const struct answer *answer = answers_find(controllers->answers, key);
    if (answer != NULL && answer->state == ANSWER_READY)
        return STEP_DONE;
    struct operation_about about = {
        .manager = controllers->manager, .item = item, .doing = "deleting launch templates"};
    struct template_deletion *deletion = operation_begin(&about, sizeof *deletion);
    deletion->controllers = controllers;
    memcpy(deletion->key, key, sizeof key);
    launch_templates_delete_all(controllers->environment.templates, node_class->meta.name,
                                on_templates_deleted, deletion);
    return STEP_RUNNING;
}

static struct reconcile_result remove_finalizer(struct node_class_controllers *controllers,
                                                struct work_item *item,
                                                const struct ec2_node_class *node_class)
{
    const struct object *object = (const struct object *)node_class;
    struct text prefix = {0};
    text_format(&prefix, "verdict/%s/", node_class->meta.name);
    answers_drop_prefix(controllers->answers, prefix.data);
    text_free(&prefix);
    json_t *body = json_object();
    json_t *finalizers = json_array();
    list_for_each (finalizer, &object->meta.finalizers)
        if (!text_equal(*finalizer, FINALIZER_EC2_NODE_CLASS))
            json_array_append_new(finalizers, json_string(*finalizer));
    json_object_set_new(body, "metadata",
                        json_pack("{s:s, s:o}", "resourceVersion",
                                  text_or_empty(object->meta.resource_version), "finalizers",
                                  finalizers));
    return start_patch(&(struct operation_about){.manager = controllers->manager,
                                                 .item = item,
                                                 .doing = "removing the finalizer"},
                       object, NULL, body);
}

struct reconcile_result node_class_terminate(struct node_class_controllers *controllers,
                                             struct work_item *item,
                                             const struct ec2_node_class *node_class,
                                             struct error *error)
{
    assert(object_is_deleting((const struct object *)node_class));
    if (!object_has_finalizer((const struct object *)node_class, FINALIZER_EC2_NODE_CLASS))
        return reconcile_done();
    if (waits_for_users(controllers, node_class))
        return reconcile_after(WAIT);
    enum step step = delete_profiles(controllers, item, node_class, error);
    if (step == STEP_DONE)
        step = delete_templates(controllers, item, node_class);
    if (step == STEP_RUNNING)
        return reconcile_running();
    if (step == STEP_FAILED)
        return reconcile_error();
    return remove_finalizer(controllers, item, node_class);
}
