// NodePools of v1 as people paste them, with fields of older versions, of other levels or of the
// wrong type (guides.md). What needs nothing stays as it is.
#pragma once

#include "cli/convert/conversion.h"

// Changes the object of the product in place.
void mend_node_pool(struct source *source, struct product *product);
// Fields of a NodePool at another level; a v1beta1 NodePool has its expireAfter elsewhere.
void mend_levels(struct product *product, bool is_old);
