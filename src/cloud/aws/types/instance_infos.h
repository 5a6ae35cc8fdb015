// The list of EC2's instance types, by name. Immutable once made; one arena for all.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "cloud/aws/types/type_figures.h"

struct instance_infos {
    struct arena *arena;
    const struct instance_info **items; // by name
    uint32_t count;
};
// AWI-1: an empty list; add replies page by page, then finish.
struct instance_infos *instance_infos_create(void);
void instance_infos_destroy(struct instance_infos *infos); // NULL is fine
// A page of DescribeInstanceTypes; entries without name or vCPUs are skipped and counted.
uint32_t instance_infos_add_page(struct instance_infos *infos, const json_t *reply);
// Sorts (the last of equal names counts) and fills in what EC2 does not tell; types without such
// figures are logged once.
void instance_infos_finish(struct instance_infos *infos, struct type_figures *figures);
// The built-in ones (data/ec2/).
struct instance_infos *instance_infos_built_in(struct error *error);
const struct instance_info *instance_infos_find(const struct instance_infos *infos,
                                                const char *name);
