// Shared parts of the tables of Karpenter's kinds: patterns, enumerations, whole types.
#pragma once

#include "model/schema/core.h"
#include "model/schema/type.h"

// API-12, 13, 14, 19.
#define PATTERN_QUANTITY                                                   \
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|" \
    "([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"
#define PATTERN_KEY                                                             \
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?" \
    "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"
#define PATTERN_LABEL_VALUE       "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"
#define PATTERN_DURATION          "^([0-9]+(s|m|h))+$"
#define PATTERN_DURATION_OR_NEVER "^(([0-9]+(s|m|h))+|Never)$"
#define KEY_LENGTH_MAX            316
#define LABEL_VALUE_LENGTH_MAX    63

#define STATUS_FIELD(owner, ...) FIELD(owner, status, "status", OBJECT, __VA_ARGS__)
#define CONDITIONS_FIELD(owner, condition_type, ...)                      \
    FIELD(owner, conditions, "conditions", LIST, .type = &condition_type, \
          .documentation = "What has been found out about the object.", __VA_ARGS__)
