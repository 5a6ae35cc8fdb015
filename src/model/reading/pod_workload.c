#include "model/reading/pod_workload.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

// A Deployment names its ReplicaSets <name>-<hash> and labels their pods with the hash.
static bool is_of_deployment(const struct pod *pod, const struct owner_reference *owner,
                             int *name_length)
{
    const char *hash = string_map_get(&pod->meta.labels, "pod-template-hash");
    if (hash == NULL || hash[0] == '\0' || !text_equal(owner->kind, "ReplicaSet"))
        return false;
    size_t whole = strlen(owner->name), end = strlen(hash);
    if (whole <= end + 1 || owner->name[whole - end - 1] != '-' ||
        strcmp(owner->name + whole - end, hash) != 0)
        return false;
    *name_length = (int)(whole - end - 1);
    return true;
}

bool pod_workload_find(const struct pod *pod, struct pod_workload *out)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    if (owner == NULL || owner->kind == NULL || owner->name == NULL ||
        strcmp(owner->kind, "DaemonSet") == 0 || strcmp(owner->kind, "Job") == 0 ||
        strcmp(owner->kind, "Node") == 0)
        return false;
    const char *namespace = pod->meta.namespace != NULL ? pod->meta.namespace : "";
    int length;
    out->name = owner->name;
    if (is_of_deployment(pod, owner, &out->name_length)) {
        out->kind = "Deployment";
        length = snprintf(out->key, sizeof out->key, "deployment/%s/%.*s", namespace,
                          out->name_length, out->name);
    } else {
        bool has_uid = owner->uid != NULL && owner->uid[0] != '\0';
        out->kind = owner->kind;
        out->name_length = (int)strlen(owner->name);
        length = has_uid ? snprintf(out->key, sizeof out->key, "uid/%s/%s", owner->kind, owner->uid)
                         : snprintf(out->key, sizeof out->key, "%s/%s/%s", owner->kind, namespace,
                                    owner->name);
    }
    return length > 0 && (size_t)length < sizeof out->key;
}

bool pod_is_serving(const struct pod *pod)
{
    return pod_is_active(pod) && pod->spec.node_name != NULL &&
           condition_is_true(&pod->status.conditions, CONDITION_READY);
}

bool pod_is_leaving(const struct pod *pod)
{
    return string_map_get(&pod->meta.annotations, ANNOTATION_LEAVES_NODE) != NULL;
}
