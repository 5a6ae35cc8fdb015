// What a plan assumes of devices (docs/devices.md).
#pragma once

#include "base/text.h"
#include "model/snapshot/snapshot.h"

// Adds a line, with the line break before it, if pods claim devices: that claims are ignored, or
// that the devices of machines to launch are built in.
void device_notes_add(const struct snapshot *snapshot, struct text *lines);
