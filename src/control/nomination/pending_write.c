#include "control/nomination/pending_write.h"

#include <stdlib.h>

#include "model/reading/pod.h"

struct pending_write pending_write_create(struct arena *arena, const struct pod *pod, int64_t turn)
{
    struct resource_map requests = pod_requests(arena, pod);
    return (struct pending_write){pod, turn, resource_map_get(&requests, "cpu"),
                                  resource_map_get(&requests, "memory")};
}

static int compare(const void *a, const void *b)
{
    const struct pending_write *x = a, *y = b;
    if ((x->turn == 0) != (y->turn == 0))
        return x->turn == 0 ? -1 : 1;
    if (x->turn != y->turn)
        return x->turn > y->turn ? -1 : 1;
    if (x->cpu != y->cpu)
        return x->cpu > y->cpu ? -1 : 1;
    return x->memory > y->memory ? -1 : x->memory < y->memory;
}

void pending_write_sort(struct pending_write *writes, uint32_t count)
{
    if (count > 1)
        qsort(writes, count, sizeof *writes, compare);
}
