// Calls of CreateFleet, each for the launches of one batch (AWI-310 to 345, 364, 365, 927).
#pragma once

#include "cloud/aws/instances/launch_state.h"

void fleets_run(void *launches, struct batch *batch); // of struct launch
void fleet_resume(struct fleet *fleet);               // sends it again, unless it is under way
void fleet_leave(struct launch *launch);              // the last one frees the fleet
void fleets_destroy(struct launches *launches);
