#include "control/planned_pods.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

struct planned_claim {
    uint32_t pods;
    char name[];
};

struct planned_pods {
    struct map *by_pod;   // UID -> struct planned_claim
    struct map *by_claim; // name -> the same, while it has pods
};

struct planned_pods *planned_pods_create(void)
{
    struct planned_pods *planned = memory_allocate(sizeof *planned);
    planned->by_pod = map_create();
    planned->by_claim = map_create();
    return planned;
}

void planned_pods_destroy(struct planned_pods *planned)
{
    if (planned == NULL)
        return;
    map_destroy(planned->by_pod, NULL);
    map_destroy(planned->by_claim, free);
    free(planned);
}

void planned_pods_set(struct planned_pods *planned, const char *pod_uid, const char *name)
{
    struct planned_claim *claim = map_get(planned->by_claim, name);
    if (claim == NULL) {
        size_t length = strlen(name) + 1;
        claim = memory_allocate(sizeof *claim + length);
        memcpy(claim->name, name, length);
        map_set(planned->by_claim, name, claim);
    }
    claim->pods++;
    planned_pods_forget(planned, pod_uid);
    map_set(planned->by_pod, pod_uid, claim);
}

void planned_pods_forget(struct planned_pods *planned, const char *pod_uid)
{
    struct planned_claim *claim = pod_uid != NULL ? map_remove(planned->by_pod, pod_uid) : NULL;
    if (claim == NULL || --claim->pods > 0)
        return;
    map_remove(planned->by_claim, claim->name);
    free(claim);
}

const char *planned_pods_claim(const struct planned_pods *planned, const char *pod_uid)
{
    const struct planned_claim *claim = pod_uid != NULL ? map_get(planned->by_pod, pod_uid) : NULL;
    return claim != NULL ? claim->name : NULL;
}

uint32_t planned_pods_count(const struct planned_pods *planned, const char *claim)
{
    const struct planned_claim *entry = map_get(planned->by_claim, claim);
    return entry != NULL ? entry->pods : 0;
}
