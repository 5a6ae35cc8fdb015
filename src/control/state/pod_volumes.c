#include "control/state/pod_volumes.h"

#include <stdio.h>

const char *pod_volume_name(const struct control *control, const struct pod *pod,
                            const struct volume *volume)
{
    char claim_name[600];
    if (volume->persistent_volume_claim != NULL)
        snprintf(claim_name, sizeof claim_name, "%s", volume->persistent_volume_claim->claim_name);
    else if (volume->ephemeral != NULL)
        snprintf(claim_name, sizeof claim_name, "%s-%s", pod->meta.name, volume->name);
    else
        return NULL;
    const struct object *claim = mirror_get(control->manager.mirror, KIND_PERSISTENT_VOLUME_CLAIM,
                                            pod->meta.namespace, claim_name);
    return claim != NULL ? ((const struct persistent_volume_claim *)claim)->spec.volume_name : NULL;
}
