#include "sim/scheduler/scheduler_nominations.h"

#include <stdlib.h>

#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_internal.h"

static bool is_expected(const struct pod *pod)
{
    return filter_nomination(pod) != NULL && !pod_is_terminal(pod) && pod_is_of_kube_scheduler(pod);
}

const char *filter_nomination(const struct pod *pod)
{
    const char *node = pod->status.nominated_node_name;
    return node == NULL || node[0] == '\0' ? NULL : node;
}

void nominations_add(struct filter_cluster *cluster, struct filter_pod *pod)
{
    if (!is_expected(pod->pod))
        return;
    struct nominees *nominees =
        map_ensure(cluster->nominations, filter_nomination(pod->pod), sizeof *nominees);
    vector_push(&nominees->pods, pod);
    pod->nominees = nominees;
}

void nominations_remove(struct filter_cluster *cluster, struct filter_pod *pod)
{
    struct nominees *nominees = pod->nominees;
    if (nominees == NULL)
        return;
    uint32_t kept = 0;
    vector_for_each (other, &nominees->pods) {
        if (*other != pod)
            nominees->pods.items[kept++] = *other;
    }
    nominees->pods.count = kept;
    pod->nominees = NULL;
    if (kept > 0)
        return;
    map_remove(cluster->nominations, filter_nomination(pod->pod));
    vector_free(&nominees->pods);
    free(nominees);
}
