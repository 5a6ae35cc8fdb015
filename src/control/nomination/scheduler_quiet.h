// Whether this is the time to nominate many pods (SCH-516). An attempt in vain ends a nomination,
// and then kube-scheduler tries all pods again that had no room on an open node. Those that are
// nominated meanwhile lose their nominations, too, and each loss begins the next round. So
// nominations wait until nothing is left to try, for a limited time.
#pragma once

#include "control/runtime/control.h"

enum scheduler_rest {
    SCHEDULER_IS_BUSY,
    SCHEDULER_WAIT_IS_OVER, // it has reached its limit, or would be in vain
    SCHEDULER_RESTS,
};
// `since_ns`: monotonic, the beginning of the wait; `patience_ns`: its limit, or
// a second if kube-scheduler needs longer than that.
enum scheduler_rest scheduler_rest(const struct control *control, int64_t since_ns,
                                   int64_t patience_ns);
// It has neither tried nor bound a pod for some seconds. Pods that wait for an open node may have
// been tried while others were nominated there and held the room. When these are bound elsewhere,
// kube-scheduler does not notice, and would try again after five minutes; the end of a nomination
// has it try all pods.
bool scheduler_stands_still(const struct control *control);
