// The PersistentVolumes of a pod.
#pragma once

#include "control/runtime/control.h"

// The PersistentVolume behind a volume of the pod; NULL: none, or its claim is not bound yet.
const char *pod_volume_name(const struct control *control, const struct pod *pod,
                            const struct volume *volume);
