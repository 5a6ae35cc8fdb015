// Documents that are none of the kinds that adze knows (API-301): what they are instead.
#pragma once

#include <jansson.h>

#include "model/validate/findings.h"

// Of Karpenter's groups or adze's, or such a kind with a misspelt group.
bool kind_is_own(const char *api_version, const char *kind);
// A kind of those groups that is not known: an older one, or a misspelt one.
void refuse_kind(const char *api_version, const char *name, struct findings *findings);
// Neither apiVersion nor kind: values of a Helm chart, or anything else.
// is_first: of its file.
void refuse_no_object(const json_t *value, bool is_first, struct findings *findings);
