// The permissions that `adze doctor` tries (AWN-620): dry runs, reads, and calls about things that
// do not exist. They change nothing.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cloud/aws/doctor/doctor_state.h"

struct doctor_permission {
    enum aws_action action;
    json_t *(*parameters)(const struct doctor *doctor); // NULL: it cannot be tried here
    bool (*is_used)(const struct doctor *doctor);       // by the settings; a NULL function: always
    const char *granted_by; // an error code after which the permission is known to be there
    bool optional;          // adze runs without it
};
extern const struct doctor_permission doctor_permissions[];
extern const uint32_t doctor_permissions_count;
// Tries them in order. Begins the call of the present part and returns true, or returns false at
// its end.
bool doctor_check_permissions(struct doctor *doctor);
