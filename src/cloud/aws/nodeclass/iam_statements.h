// The statements of the IAM policy that adze needs (AWN-620, 621): `adze iam` prints them, and
// messages about refused calls name them (refusal.h).
#pragma once

#include <stddef.h>

#include "cloud/aws/client/aws_actions.h"

#define IAM_ACTIONS_MAX    16
#define IAM_RESOURCES_MAX  8
#define IAM_CONDITIONS_MAX 6

enum iam_feature { // that needs the statement
    IAM_ALWAYS,
    IAM_QUEUE,
    IAM_NO_QUEUE,
    IAM_ZONAL_SHIFT,
    IAM_PROFILES,
    IAM_PRICES,
    IAM_OWN,
    IAM_DOCTOR,
    IAM_DOCTOR_QUEUE,
};

struct iam_grant { // an action
    enum aws_action action;
    const char *permission; // in place of the action, of one that is no call of its own; NULL: end
};
// In the texts %P is the partition, %R the region, %A the account, %C the cluster, %N the node
// roles' ARNs, %Q the queues' ARNs, %S the ARNs of parameters: each a resource of its own.
struct iam_condition {
    const char *operator, * key;
    const char *values[4]; // a single one is written as text
};
struct iam_statement {
    const char *sid;
    enum iam_feature feature;
    struct iam_grant actions[IAM_ACTIONS_MAX];
    const char *resources[IAM_RESOURCES_MAX];
    struct iam_condition conditions[IAM_CONDITIONS_MAX];
};
const struct iam_statement *iam_statements(size_t *count);
// "ec2:RunInstances"; NULL: there is no action of this number.
const char *iam_statement_permission(const struct iam_statement *statement, size_t index);
