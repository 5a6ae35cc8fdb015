// Checks of the EKS cluster, its API server, its CRDs.
#pragma once

#include "cloud/aws/doctor/doctor_state.h"

// Each begins the call of the present part and returns true, or returns false at its end.
bool doctor_check_cluster(struct doctor *doctor);
bool doctor_check_api_server(struct doctor *doctor);
bool doctor_check_crds(struct doctor *doctor);
