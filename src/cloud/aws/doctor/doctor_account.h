// Checks of the account: credentials, clock, discovery tags.
#pragma once

#include "cloud/aws/doctor/doctor_state.h"

// Each begins the call of the present part and returns true, or returns false at its end.
bool doctor_check_credentials(struct doctor *doctor);
bool doctor_check_clock(struct doctor *doctor);
bool doctor_check_subnets(struct doctor *doctor);
bool doctor_check_security_groups(struct doctor *doctor);
