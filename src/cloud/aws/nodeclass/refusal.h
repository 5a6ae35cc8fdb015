// Refused permissions: what is refused, and the statement of the documented policy (AWN-620) that
// grants it. `adze iam` prints the policy.
#pragma once

#include "base/text.h"

// The Sid of the statement that grants the permission on the resource; NULL: none does. `resource`
// may be "".
const char *refusal_statement(const char *permission, const char *resource);
// Appends "; adze's role needs ec2:RunInstances on arn:... (statement ... of the policy that `adze
// iam` prints)": the permission and the resource that AWS's text names, else that of the call.
void refusal_explain(const char *permission, const char *message, struct text *out);
