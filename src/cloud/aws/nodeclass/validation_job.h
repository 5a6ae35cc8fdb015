// The dry runs of a validation (AWN-434 to 436): a launch template, CreateFleet and RunInstances.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"
#include "cloud/aws/nodeclass/validation_types.h"

struct class_job; // work under way; cancelled by class_jobs_destroy()

struct validation_job_options {
    const char *key;                    // of the answer: {"status", "reason", "message"}
    const struct ec2_node_class *draft; // a reference is kept
    const struct instance_type_catalog *catalog;
    const struct validation_types *types; // copied; lists of all but the first are the catalogue's
    const char *tenancy, *capacity_type;  // static texts
    const char *node_pool;                // for the tags; "": none
};
#define VERDICT_LIFETIME       (30 * MINUTE) // AWN-422
#define CODE_PROFILE_NOT_FOUND "InstanceProfileNotFound"
// Begins; the answer is a verdict, or a failure to retry. CODE_PROFILE_NOT_FOUND: EC2 does not know
// the instance profile (yet).
void validation_job_begin(struct node_class_controllers *controllers,
                          const struct validation_job_options *options);

struct class_jobs *class_jobs_create(void);
void class_jobs_destroy(struct class_jobs *jobs);
