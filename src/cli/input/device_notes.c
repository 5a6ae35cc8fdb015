#include "cli/input/device_notes.h"

#include <assert.h>

#include "base/map.h"
#include "model/devices/built_in_devices.h"
#include "model/schema/karpenter.h"

static bool some_pod_claims(const struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++)
        if (((const struct pod *)snapshot->objects[KIND_POD].items[i])->spec.resource_claims.count >
            0)
            return true;
    return false;
}

// Several catalogs may have a type.
static uint32_t types_with_devices(const struct snapshot *snapshot)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct map *names = map_create();
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalog->spec.instance_types) {
            if (built_in_devices(scratch, type).count > 0)
                map_set(names, type->name, names);
            arena_reset(scratch);
        }
    }
    uint32_t types = map_count(names);
    map_destroy(names, NULL);
    return types;
}

void device_notes_add(const struct snapshot *snapshot, struct text *lines)
{
    assert(lines != NULL);
    if (!some_pod_claims(snapshot))
        return;
    if (snapshot->settings.ignore_dra_requests) {
        text_add(lines, "\nresource claims are ignored, and pods with them get no node "
                        "(--set IGNORE_DRA_REQUESTS=false plans them)");
        return;
    }
    uint32_t types = types_with_devices(snapshot);
    if (types > 0)
        text_format(lines,
                    "\ndevices of %u instance types are taken as their drivers publish them (built "
                    "in; templates say others)",
                    types);
}
