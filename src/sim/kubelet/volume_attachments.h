// Attachments of volumes to nodes: created for pods that need them, and removed when no pod of the
// node uses the volume any more.
#pragma once

#include "sim/world/world_internal.h"

struct volume_attachments;

struct volume_attachments *volume_attachments_create(struct world *world);
void volume_attachments_destroy(struct volume_attachments *attachments);
// Whether every volume of the pod that needs attachment is attached to its node.
bool volume_attachments_complete(const struct volume_attachments *attachments,
                                 const struct world_object *pod);
// A pod with claims was added or changed.
void volume_attachments_queue_pod(struct volume_attachments *attachments, const char *key);
// A pod has left its node: queues its attachments.
void volume_attachments_queue(struct volume_attachments *attachments,
                              const struct world_object *pod);
// A VolumeAttachment was added or changed; or deleted.
void volume_attachments_add(struct volume_attachments *attachments, const char *name);
void volume_attachments_remove(struct volume_attachments *attachments, const char *name);
