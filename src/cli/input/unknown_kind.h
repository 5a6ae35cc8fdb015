// Documents that are none of the kinds that adze knows (API-301): what they are instead.
#pragma once

#include <jansson.h>

#include "model/validate/findings.h"

bool kind_is_own(const char *api_version); // of Karpenter's groups or adze's
// A kind of those groups that is not known: an older one, or a misspelt one.
void refuse_kind(const char *api_version, const char *name, struct findings *findings);
// Neither apiVersion nor kind: values of a Helm chart, or anything else.
void refuse_no_object(const json_t *value, struct findings *findings);
