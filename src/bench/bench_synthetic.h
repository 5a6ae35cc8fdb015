// The synthetic workloads of FMT-15: types that grow by one vCPU each, and pods with every feature
// that costs a scheduler time.
#pragma once

#include "bench/bench_builder.h"

bool bench_add_synthetic_catalog(struct bench_builder *builder, struct error *error) MUST_USE;
