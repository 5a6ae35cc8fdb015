#include "cloud/aws/nodeclass/node_class_controllers.h"

#include <assert.h>
#include <stdlib.h>

#include "cloud/aws/nodeclass/class_pass.h"
#include "cloud/aws/nodeclass/instance_profiles.h"
#include "cloud/aws/nodeclass/latest_images.h"
#include "cloud/aws/nodeclass/node_class_hash.h"
#include "cloud/aws/nodeclass/node_class_status.h"
#include "cloud/aws/nodeclass/node_class_termination.h"
#include "cloud/aws/nodeclass/profile_collection.h"
#include "cloud/aws/nodeclass/profile_deletions.h"
#include "cloud/aws/nodeclass/validation_job.h"

struct node_class_controllers *node_class_controllers_create(
    struct manager *manager, const struct node_class_environment *environment)
{
    assert(manager->mirror != NULL);
    assert(!manager->started);
    struct node_class_controllers *controllers = memory_allocate(sizeof *controllers);
    controllers->manager = manager;
    controllers->environment = *environment;
    controllers->answers = answers_create(manager->loop, environment->client);
    controllers->profiles = instance_profiles_create(controllers);
    controllers->jobs = class_jobs_create();
    controllers->status_queue = node_class_status_create(controllers);
    controllers->hash_queue = node_class_hash_create(controllers);
    controllers->profile_queue = profile_collection_create(controllers);
    controllers->image_queue = latest_images_create(controllers);
    return controllers;
}

void node_class_controllers_destroy(struct node_class_controllers *controllers)
{
    if (controllers == NULL)
        return;
    profile_deletions_cancel(controllers);
    class_jobs_destroy(controllers->jobs);
    instance_profiles_destroy(controllers->profiles);
    answers_destroy(controllers->answers);
    free(controllers);
}
