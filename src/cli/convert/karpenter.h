// Which document is converted in which way: Karpenter's kinds of every version, and v1 as people
// paste it (MIG-10).
#pragma once

#include "cli/convert/conversion.h"

// Makes the products of the document; false: it is none of these kinds.
bool karpenter_convert(struct source *source);
// Marks variables that were not filled in (GUI-11) with a note, in all objects of Karpenter's
// kinds.
void variables_note(struct conversion *conversion);
// Classes of EKS Auto Mode that are not in the input: they are built in there.
void auto_mode_classes_add(struct conversion *conversion);
