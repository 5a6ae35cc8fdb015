#include "control/nomination/late_drivers.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"

#define DEVICES_NS  (10 * SECOND) // a ready node's wait for the drivers of its devices
#define LATE_NS     HOUR          // a driver that was waited for in vain is not waited for so long
#define DRIVERS_MAX 100

struct late_drivers {
    struct map *since; // by name: int64_t, monotonic
};

struct late_drivers *late_drivers_create(void)
{
    struct late_drivers *drivers = memory_allocate(sizeof *drivers);
    drivers->since = map_create();
    return drivers;
}

void late_drivers_destroy(struct late_drivers *drivers)
{
    if (drivers == NULL)
        return;
    map_destroy(drivers->since, free);
    free(drivers);
}

bool late_drivers_have(struct late_drivers *drivers, const char *driver, int64_t ready_ns,
                       int64_t now_ns)
{
    int64_t *since_ns = map_get(drivers->since, driver);
    if (since_ns != NULL && ns_subtract(now_ns, *since_ns) < LATE_NS)
        return true;
    if (ns_subtract(now_ns, ready_ns) < DEVICES_NS)
        return false;
    if (since_ns == NULL && map_count(drivers->since) < DRIVERS_MAX)
        since_ns = map_ensure(drivers->since, driver, sizeof *since_ns);
    if (since_ns != NULL)
        *since_ns = now_ns;
    log_info("nodes open before they have their devices: their driver publishes none on a node "
             "with the taint karpenter.sh/unregistered",
             "s:controller", "pod.nomination", "s:driver", driver);
    return true;
}
