// IAM's policy language, as far as policies of Allow statements need it: wildcards in actions and
// resources, conditions on texts.
#pragma once

#include <jansson.h>

// The Sid of the first statement that allows the action on the resource; NULL: none does. `context`
// has the request's condition keys: text, or a list of texts for keys of several values.
const char *policy_statement_of(const json_t *policy, const char *action, const char *resource,
                                const json_t *context);
