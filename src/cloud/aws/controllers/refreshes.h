// Refreshes of instance types (AWI-3, every 12 h) and of prices (AWI-208, 915: on demand every 12
// h, spot every 10 min).
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct refreshes;
struct refreshes *refreshes_create(struct manager *manager,
                                   const struct aws_controllers_environment *environment);
void refreshes_destroy(struct refreshes *refreshes); // NULL is fine
