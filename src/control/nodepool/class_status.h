// The status of KWOKNodeClasses: they are always Ready. Other classes have a controller with their
// provider.
#pragma once

#include "control/runtime/control.h"

struct class_status *class_status_create(struct control *control); // KWOKNodeClass: Ready
void class_status_destroy(struct class_status *status);
