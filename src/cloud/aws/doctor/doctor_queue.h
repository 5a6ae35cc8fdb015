// The check of the interruption queues: each that is set is found, and a test message goes
// through it. Messages of others that are received on the way stay visible.
#pragma once

#include "cloud/aws/doctor/doctor_state.h"

// Each begins the call of the present part and returns true, or returns false at its end.
bool doctor_check_queue(struct doctor *doctor);
