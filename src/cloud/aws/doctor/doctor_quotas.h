// The check of quotas of vCPUs, against those in use.
#pragma once

#include "cloud/aws/doctor/doctor_state.h"

// Each begins the call of the present part and returns true, or returns false at its end.
bool doctor_check_quotas(struct doctor *doctor);
