// AWS's refusals of a launch: which mean a lack of capacity (AWN-610), and their reason and text
// for users (AWN-611).
#pragma once

#include <stdbool.h>

bool fault_is_capacity(const char *code);  // AWN-610, the spot service-linked role not included
bool fault_is_spot_role(const char *code); // AuthFailure.ServiceLinkedRoleCreationNotPermitted

struct launch_failure {
    const char *reason;  // "Unauthorized", "VCPULimitExceeded", ...: a condition's reason
    const char *message; // adze's own text
};
// `text`: "<code>: <message>" as AWS gave it; the first row of AWN-611 that matches.
struct launch_failure launch_failure_of(const char *text);
