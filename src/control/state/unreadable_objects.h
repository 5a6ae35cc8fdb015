// Tells of objects that cannot be read, and of what is left alone meanwhile: each is fenced by
// itself and everything else goes on (API-318, API-603, DIS-708).
#pragma once

#include "control/runtime/control.h"

void unreadable_objects_watch(struct control *control); // API-603, DIS-708; handlers only
