// Objects that others refer to and that are not in the input: what is planned without them is told.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "cloud/port/provider.h"
#include "model/snapshot/snapshot.h"

// Adds lines that begin with a line feed, sorted. `provider`: whose built-in instance types the
// NodePools have; NULL: they have others, on which node classes have no bearing.
void missing_objects_tell(const struct snapshot *snapshot, const struct cloud_provider *provider,
                          struct text *text);
// Refuses NodePools whose node class is of no provider here: built-in instance types are not
// theirs. Those that a cluster has admitted (they have a uid) pass. `files` and `option` of `adze
// plan` are for the command that helps.
bool missing_objects_refuse_classes(const struct snapshot *snapshot, const char *files,
                                    const char *option, struct error *error) MUST_USE;
