#include "cloud/aws/nodeclass/profile_collection.h"

#include <string.h>

#include "base/text.h"
#include "cloud/aws/nodeclass/instance_profiles.h"
#include "cloud/aws/nodeclass/profile_deletions.h"

#define INTERVAL (30 * MINUTE)
#define KEY      "profiles"
#define ANSWER   "collected-profiles"

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct reconcile_queue *profile_collection_create(struct node_class_controllers *controllers)
{
    struct reconcile_queue *queue = manager_queue(
        controllers->manager,
        &(struct reconcile_queue_options){.name = "nodeclass.instanceprofile.garbagecollection",
                                          .concurrency = 1,
                                          .reconcile = reconcile,
                                          .context = controllers});
    if (!controllers->manager->settings->isolated_vpc)
        reconcile_queue_add_after(queue, KEY, INTERVAL);
    return queue;
}

static bool is_used(struct node_class_controllers *controllers, const char *name)
{
    const struct mirror *mirror = controllers->manager->mirror;
    struct mirror_iterator classes = {0}, claims = {0};
    const struct object *object;
    while ((object = mirror_next(mirror, KIND_EC2_NODE_CLASS, &classes)) != NULL)
        if (text_equal(((const struct ec2_node_class *)object)->status.instance_profile, name))
            return true;
    while ((object = mirror_next(mirror, KIND_NODE_CLAIM, &claims)) != NULL)
        if (text_equal(object_annotation(object, ANNOTATION_EC2_PROFILE), name))
            return true;
    return false;
}

// After a restart nothing is known of what was replaced within the last hour: a profile is deleted
// only if it was unused at two runs an hour apart (AWN-724).
static bool keep(struct node_class_controllers *controllers, const char *name)
{
    if (is_used(controllers, name))
        return true;
    if (controllers->manager->settings->compatibility_upstream)
        return instance_profile_is_protected(controllers->profiles, name);
    if (!instance_profile_was_protected(controllers->profiles, name))
        instance_profile_protect(controllers->profiles, name);
    return instance_profile_is_protected(controllers->profiles, name);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct node_class_controllers *controllers = context;
    struct answers *answers = controllers->answers;
    if (answers_find(answers, ANSWER) == NULL) {
        char *path CLEANUP_FREE = instance_profile_path(controllers->profiles, NULL);
        profile_deletions_begin(
            controllers, &(struct profile_deletions_options){
                             .key = ANSWER, .path = path, .keep = keep, .lifetime_ns = MINUTE});
    }
    const struct answer *answer = answers_find(answers, ANSWER);
    if (answer->state == ANSWER_PENDING) {
        struct operation_about about = {
            .manager = controllers->manager, .item = item, .doing = "collecting instance profiles"};
        answers_wait(answers, ANSWER, &about);
        return reconcile_running();
    }
    bool failed = answer->state == ANSWER_FAILED;
    if (failed)
        *error = answer->error;
    answers_drop(answers, ANSWER);
    return failed ? reconcile_error() : reconcile_after(INTERVAL);
}
