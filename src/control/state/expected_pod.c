#include "control/state/expected_pod.h"

#include <string.h>

bool pod_is_expected(const struct pod *pod)
{
    return pod->meta.uid != NULL &&
           strncmp(pod->meta.uid, EXPECTED_POD_UID, sizeof EXPECTED_POD_UID - 1) == 0;
}

const char *expected_pod_workload(const struct pod *pod)
{
    return object_controller_owner((const struct object *)pod)->uid;
}
