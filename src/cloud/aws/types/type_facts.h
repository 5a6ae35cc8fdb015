// The facts of data/ec2/ by type: which EC2 does not tell (AWI-30), and all of them where EC2
// cannot be asked.
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "cloud/aws/types/instance_info.h"

// The whole table: {"types": [...]}, owned by the caller.
json_t *type_facts_load(struct error *error) MUST_USE;
// The on-demand prices: {"regions": {"us-east-1": {"m5.large": 0.096}}}.
json_t *type_prices_load(struct error *error) MUST_USE;
// AWI-69, 100, 103: what EC2 does not tell, of the row.
struct type_figure type_facts_figure(const json_t *row);
// All facts from the row. The texts are copied to `arena`. False: the type never appears (AWI-1).
bool type_facts_read(struct instance_info *info, const json_t *row, struct arena *arena);
