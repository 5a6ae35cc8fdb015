// Reports objects that cannot be decoded, and the parts of the cluster that are fenced until they
// can (API-318, API-603, DIS-708). All other objects are reconciled as usual.
#pragma once

#include "control/runtime/control.h"

void unreadable_objects_watch(struct control *control); // API-603, DIS-708; handlers only
