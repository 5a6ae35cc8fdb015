#include "sim/scheduler/scheduler_taints.h"

#include "base/text.h"
#include "model/reading/pod.h"

const struct taint *filter_untolerated_taint(const struct pod_spec *spec, const struct node *node,
                                             bool only_no_execute)
{
    list_for_each (taint, &node->spec.taints) {
        bool counts = text_equal(taint->effect, "NoExecute") ||
                      (!only_no_execute && text_equal(taint->effect, "NoSchedule"));
        if (counts && !tolerations_tolerate(&spec->tolerations, taint))
            return taint;
    }
    return NULL;
}
