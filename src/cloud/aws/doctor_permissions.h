// The permissions that `adze doctor` tries (AWN-620): calls that change nothing.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "cloud/aws/client/aws_action.h"
#include "model/reading/settings.h"

struct doctor_permission {
    enum aws_action action;
    json_t *(*parameters)(const struct settings *settings);
    bool optional; // adze runs without it
};
extern const struct doctor_permission doctor_permissions[];
extern const uint32_t doctor_permissions_count;
