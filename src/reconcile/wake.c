#include "reconcile/wake.h"

#include <assert.h>
#include <stddef.h>

#include "reconcile/manager.h"

void wake_register(struct manager *manager, uint32_t target, wake_function function, void *context)
{
    assert(manager != NULL);
    assert(target < WAKE_TARGETS_MAX);
    assert(function == NULL || manager->wakes[target].function == NULL);
    manager->wakes[target].function = function;
    manager->wakes[target].context = context;
}

void wake(struct manager *manager, uint32_t target, const char *key)
{
    assert(manager != NULL);
    assert(target < WAKE_TARGETS_MAX);
    if (manager->wakes[target].function != NULL)
        manager->wakes[target].function(manager->wakes[target].context, key);
}
