// One turn of emptiness (DIS-140 to DIS-146, DIS-262): new commands for empty nodes, one each
// (DIS-732), and the validation of those that are due. Cheap enough for the loop.
#pragma once

#include "control/control.h"

// `may_start`: new commands may begin now. Answers whether anything waits for the clock; `*put_off` is
// set if something was found that may not start yet.
bool emptiness_turn(struct control *control, bool may_start, bool *put_off);
// A pending pod that may run on a node of a waiting command calls the command off (DIS-725).
void emptiness_call_off_wanted(struct control *control);
