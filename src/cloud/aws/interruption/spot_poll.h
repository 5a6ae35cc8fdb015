// Without an interruption queue: spot interruptions by polling EC2's spot requests (AWI-959), every
// 10 s while the cluster has spot instances.
#pragma once

#include "cloud/aws/interruption/interruption_handling.h"

struct spot_poll;
struct spot_poll *spot_poll_create(const struct interruption_handler *handler);
void spot_poll_destroy(struct spot_poll *poll); // NULL is fine
