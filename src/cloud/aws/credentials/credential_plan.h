// Where credentials are to come from: one origin, then roles that are assumed one after the other
// (AWN-520). Made from environment and shared files, without any call.
#pragma once

#include "base/error.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/credentials/held_credentials.h"

#define CREDENTIAL_ROLES_MAX 8

enum credential_origin {
    CREDENTIAL_KEYS, // of the environment or a profile
    CREDENTIAL_PROCESS,
    CREDENTIAL_WEB_IDENTITY,
    CREDENTIAL_CONTAINER,
    CREDENTIAL_INSTANCE,
};
struct credential_role {
    char *arn, *external_id, *session_name; // NULL: none
    int64_t duration_s;                     // 0: AWS's own
};
struct credential_plan {
    enum credential_origin origin;
    char *name; // "profile \"x\"", for messages
    struct held_credentials keys;
    char *process;                                      // a command for the shell
    char *token_file;                                   // web identity
    struct credential_role web;                         // web identity
    char *container_url;                                // absolute
    struct credential_role roles[CREDENTIAL_ROLES_MAX]; // the first is assumed with the origin's
    uint32_t roles_count;
};
// NULL with an error that says what was tried: a configured source is faulty, or none is left.
struct credential_plan *credential_plan_create(const struct aws_environment *environment,
                                               struct error *error);
void credential_plan_destroy(struct credential_plan *plan); // NULL is fine
// Whether credentials may be asked for over this URL: https, or http on an address of the machine
// itself or of a container agent.
bool credential_url_is_allowed(const char *url);
