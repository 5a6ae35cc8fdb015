#include "reconcile/wake.h"

#include <assert.h>
#include <stddef.h>

#include "reconcile/manager.h"

void wake_register(struct manager *manager, uint32_t target, wake_function function, void *context)
{
    assert(target < WAKE_TARGETS_MAX);
    assert(function == NULL || manager->wakes.targets[target].function == NULL);
    manager->wakes.targets[target].function = function;
    manager->wakes.targets[target].context = context;
}

void wake(struct manager *manager, uint32_t target, const char *key)
{
    assert(target < WAKE_TARGETS_MAX);
    if (manager->wakes.targets[target].function != NULL)
        manager->wakes.targets[target].function(manager->wakes.targets[target].context, key);
}
