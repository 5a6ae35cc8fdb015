// VolumeAttachments that delay a node's end (LIF-130).
#pragma once

#include "control/state/cluster.h"

// Their number; the names of the first five are added to `names`, joined by ", ".
uint32_t volume_attachments_awaited(const struct control *control, const struct node *node,
                                    int64_t now, struct text *names);
