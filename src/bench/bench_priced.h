// Workloads over the EC2 catalog, for comparing prices: deployments of equal pods, as clusters
// have them.
//
// web, batch, memory-heavy and mixed ask for cpu and memory only, on one NodePool that admits every
// type on demand. constrained adds what people ask of the placement.
#pragma once

#include "bench/bench_builder.h"

bool bench_add_ec2_catalog(struct bench_builder *builder, struct error *error) MUST_USE;
