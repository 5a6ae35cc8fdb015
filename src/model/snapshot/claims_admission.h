// The part of a cluster's volume controllers that matters to scheduling, for PersistentVolumeClaims
// that no API server has seen: the default StorageClass, claims of generic ephemeral volumes,
// binding to PersistentVolumes of the input.
//
// Claims of a StorageClass that binds at once get a volume wherever its allowedTopologies are, as
// its provisioner would make one. An input without any StorageClass is no cluster's: those that
// its claims name, and the default one, are taken as some that wait for the first consumer.
#pragma once

#include "base/text.h"
#include "model/snapshot/snapshot.h"

// After snapshot_complete(). Adds what was assumed: lines that begin with a line feed, sorted.
void claims_admit(struct snapshot *snapshot, struct text *remarks);
