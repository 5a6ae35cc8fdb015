// The catalog of a NodePool with its NodeOverlays applied, as the engine applies them (SCH-400 to
// 409), for launches (AWI-250).
#pragma once

#include "kube/mirror.h"
#include "model/reading/settings.h"
#include "model/schema/karpenter.h"

struct overlaid_catalog;
struct overlaid_catalog *overlaid_catalog_create(struct mirror *mirror,
                                                 const struct settings *settings);
void overlaid_catalog_destroy(struct overlaid_catalog *overlaid); // NULL is fine
// A new reference; NULL: no overlay changes anything. The last results are kept.
const struct instance_type_catalog *overlaid_catalog_of(
    struct overlaid_catalog *overlaid, const struct node_pool *pool,
    const struct instance_type_catalog *catalog);
