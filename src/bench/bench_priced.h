// Workloads over the EC2 catalog, for comparing prices: deployments of equal pods, as in real
// clusters.
//
// web, batch, memory-heavy and mixed request cpu and memory only, on one NodePool that admits every
// type on demand. constrained adds typical placement constraints.
#pragma once

#include "bench/bench_builder.h"

bool bench_add_ec2_catalog(struct bench_builder *builder, struct error *error) MUST_USE;
