// The controller interruption.instancestatus (AWI-580 to 587, 955 to 957): status checks of the
// cluster's instances, every minute.
#pragma once

#include "cloud/aws/interruption/interruption_handling.h"

struct status_poll;
struct status_poll *status_poll_create(const struct interruption_handler *handler);
void status_poll_destroy(struct status_poll *poll); // NULL is fine
