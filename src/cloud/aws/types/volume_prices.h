// What the volumes of a NodeClass's nodes cost (SCH-507): the block device mappings, or else the
// default devices of the AMI family. List prices of EBS: by the GB, and for IOPS and throughput
// beyond what a volume has for nothing.
//
// Prices by region are known for gp3; other kinds follow them. A region without a known price has
// that of us-east-1, times the relation of the two regions' prices of m5.large. A volume without a
// size is as large as the family's default one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ec2_node_class;

// Whether the region's price is known; else it is an estimate.
bool volume_prices_are_listed(const char *region);
// Of a node of AL2023 without block device mappings, nano-USD an hour.
int64_t volume_prices_usual(const char *region);
// Of a node of the NodeClass.
int64_t volume_prices_of(const struct ec2_node_class *node_class, const char *region);
