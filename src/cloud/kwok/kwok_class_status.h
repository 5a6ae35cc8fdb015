// The status of KWOKNodeClasses: they are always Ready.
#pragma once

#include "reconcile/manager.h"

struct cloud;

// The reconcilers of struct cloud_provider.
void *kwok_class_status_create(struct manager *manager, struct cloud *cloud);
void kwok_class_status_destroy(void *status);
