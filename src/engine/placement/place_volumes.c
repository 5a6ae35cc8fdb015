#include "engine/placement/place_volumes.h"

#include <assert.h>

#include "engine/pass/pass_state.h"
#include "engine/pass/refusal.h"
#include "engine/topology/topology.h"

void volumes_start(struct pass *pass)
{
    vector_for_each (use, &pass->problem->volumes.exclusive_uses)
        if (!bitset_has(pass->work->scheduled, use->bound))
            growing_bits_set(&pass->exclusive, use->claim);
}

bool volumes_free(struct pass *pass, const struct shape *shape)
{
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->exclusive.count; i++) {
        uint32_t claim = shape->volumes->exclusive.items[i];
        if (!growing_bits_have(&pass->exclusive, claim))
            continue;
        if (refusal_begin(pass, REASON_VOLUME_INVALID) != NULL)
            text_format(
                pass->refusal.why,
                "persistentvolumeclaim with access mode ReadWriteOncePod is used by another "
                "pod (PersistentVolumeClaim=%s)",
                symbols_text(pass->problem->words, claim));
        return false;
    }
    return true;
}

void volumes_take(struct pass *pass, const struct shape *shape)
{
    for (uint32_t i = 0; shape->volumes != NULL && i < shape->volumes->exclusive.count; i++)
        growing_bits_set(&pass->exclusive, shape->volumes->exclusive.items[i]);
}
