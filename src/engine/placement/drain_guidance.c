#include "engine/placement/drain_guidance.h"

#include "model/reading/pod.h"
#include "model/schema/karpenter.h"

bool pod_is_led(const struct pod *pod)
{
    static const struct taint taint = {.key = TAINT_FILLED_LATER, .effect = "PreferNoSchedule"};
    return pod_successor_owner(pod) != NULL &&
           !tolerations_tolerate(&pod->spec.tolerations, &taint);
}
