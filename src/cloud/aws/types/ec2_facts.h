// The facts of data/ec2/, built into the program.
#pragma once

#include <stddef.h>

extern const char ec2_facts_types[], ec2_facts_types_end[];     // instance-types.json
extern const char ec2_facts_prices[], ec2_facts_prices_end[];   // prices-on-demand.json
extern const char ec2_facts_regions[], ec2_facts_regions_end[]; // region-prices.txt
