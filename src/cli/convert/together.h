// What needs all objects of a run: kubelet settings that move from NodePools to their class
// (MIG-46), names that are given twice (MIG-18).
#pragma once

#include "cli/convert/conversion.h"

void kubelets_move(struct conversion *conversion);
void duplicates_check(struct conversion *conversion);
// The only NodeClass of that name in the input and the output; NULL, with *count, if there are none
// or several.
const json_t *class_named(const struct conversion *conversion, const char *name, uint32_t *count);
// Appends "EC2NodeClass a, KWOKNodeClass b": the NodeClasses of the input.
void classes_list(const struct conversion *conversion, struct text *out);
