// One pass over an EC2NodeClass: the context of the resolvers (AWN-32). Each resolver answers from
// what is known, and edits the status in memory.
#pragma once

#include "cloud/aws/nodeclass/answers.h"
#include "cloud/aws/nodeclass/node_class_environment.h"
#include "reconcile/conditions.h"

struct instance_profiles;

// The state of the reconcilers of EC2NodeClasses.
struct node_class_controllers {
    struct manager *manager;
    struct node_class_environment environment;
    struct answers *answers;
    struct instance_profiles *profiles;
    struct reconcile_queue *status_queue, *hash_queue, *profile_queue, *image_queue;
    struct class_jobs *jobs;             // validations under way
    struct profile_deletions *deletions; // under way
};

enum resolution { RESOLVED, RESOLUTION_PENDING, RESOLUTION_FAILED };

struct class_pass {
    struct node_class_controllers *controllers;
    struct work_item *item;
    const struct ec2_node_class *node_class;
    const struct settings *settings;
    struct arena *arena;
    struct conditions conditions;
    // The new lists of the status; NULL: as they are. An empty one clears the list.
    json_t *amis, *subnets, *security_groups, *capacity_reservations;
    const char *instance_profile; // NULL: as it is
    bool pending;
    int64_t requeue_ns;            // the smallest asked for; INT64_MAX: none
    struct error error;            // the first; the item is retried
    VECTOR(const char *) failures; // keys of failed answers to drop at the end
};

// Asks; a pending answer lets the item wait. NULL: pending.
const struct answer *pass_ask(struct class_pass *pass, const struct question *question);
// The same for work of the pass's own that has been begun.
const struct answer *pass_find(struct class_pass *pass, const char *key);
// "<uid>-<generation>/<what>/<parameters>" (AWN-103); arena memory.
const char *pass_key(struct class_pass *pass, const char *what, const json_t *parameters);
void class_pass_requeue(struct class_pass *pass, int64_t delay_ns);
// Notes a reconcile error, and shows it in a condition that is not True (AWN-702): Unknown with
// AWS's reason. COMPATIBILITY=upstream leaves the condition alone.
void pass_fail(struct class_pass *pass, enum condition_type type, const struct answer *failure);
void pass_note_error(struct class_pass *pass, const struct error *error);
// A sentence for users about a refused call: the permission and the policy statement that grants
// it. Arena memory.
const char *pass_refusal(struct class_pass *pass, const struct answer *failure);

// [{"Name": "tag:a", "Values": ["b"]}] (AWN-101); a new list.
json_t *tag_filters(const struct string_map *tags);
json_t *filter_of(const char *name, json_t *values /* stolen */);
// "id=subnet-1 or team=a, zone=*" for messages; arena memory.
const char *selector_text(struct arena *arena, const ec2_selector_term_list *terms);
