// Attachments of volumes to nodes: made for pods that need them, and removed when no pod of the
// node uses the volume any more.
#pragma once

#include "sim/world/world_internal.h"

struct volume_attachments;

struct volume_attachments *volume_attachments_create(struct world *world);
void volume_attachments_destroy(struct volume_attachments *attachments);
// Every volume of the pod that has to be attached to its node is.
bool volume_attachments_complete(const struct volume_attachments *attachments,
                                 const struct world_object *pod);
// A pod with claims has come or changed.
void volume_attachments_queue_pod(struct volume_attachments *attachments, const char *key);
// A pod has left its node: its attachments are looked at again.
void volume_attachments_queue(struct volume_attachments *attachments,
                              const struct world_object *pod);
// A VolumeAttachment has come or changed; or has gone.
void volume_attachments_add(struct volume_attachments *attachments, const char *name);
void volume_attachments_remove(struct volume_attachments *attachments, const char *name);
