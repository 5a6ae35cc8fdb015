#include "cloud/port/cloud.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>

void cloud_node_class_label(const char *group, const char *kind, char *out, size_t size)
{
    assert(size > 0);
    int length = snprintf(out, size, "%s/%s", group, kind);
    for (int i = 0; i < length && (size_t)i < size; i++)
        out[i] = (char)tolower((unsigned char)out[i]);
}

void cloud_watch_types(struct cloud *cloud, void (*changed)(void *context), void *context)
{
    assert(changed == NULL || cloud->types_changed == NULL);
    cloud->types_changed = changed;
    cloud->watch_context = context;
}

void cloud_prepare(struct cloud *cloud, void (*ready)(void *context), void *context)
{
    if (cloud->operations->prepare != NULL)
        cloud->operations->prepare(cloud, ready, context);
    else
        ready(context);
}

void cloud_change_types(struct cloud *cloud)
{
    if (cloud->types_changed != NULL)
        cloud->types_changed(cloud->watch_context);
}

void cloud_watch_drift(struct cloud *cloud, void (*changed)(void *context, const char *node_claim),
                       void *context)
{
    assert(changed == NULL || cloud->drift_changed == NULL);
    cloud->drift_changed = changed;
    cloud->drift_context = context;
}

void cloud_change_drift(struct cloud *cloud, const char *node_claim)
{
    if (cloud->drift_changed != NULL)
        cloud->drift_changed(cloud->drift_context, node_claim);
}
