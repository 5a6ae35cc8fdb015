// The checks of `adze doctor` on an AWS account and its cluster: credentials, the clock, discovery
// tags, permissions (AWN-620), the interruption queue, the cluster's endpoint, CRDs, quotas.
//
// Nothing is changed but for a test message on the queue, which is taken off again. Each check ends
// with a line that passes or says what to do.
#pragma once

#include "cloud/aws/doctor/doctor_options.h"

struct doctor;
struct doctor *doctor_start(const struct doctor_options *options);
void doctor_destroy(struct doctor *doctor); // also before its end
