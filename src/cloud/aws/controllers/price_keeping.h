// The last known prices, kept in the ConfigMap adze-last-prices of the controller's namespace
// (AWI-916): a restart begins with them where AWS cannot be asked, or not yet. Not with
// COMPATIBILITY=upstream.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

#define LAST_PRICES_NAME "adze-last-prices"

struct price_keeping;
struct price_keeping *price_keeping_create(struct manager *manager,
                                           const struct aws_controllers_environment *environment);
void price_keeping_destroy(struct price_keeping *keeping); // NULL is fine
// After an update of prices.
void price_keeping_updated(struct price_keeping *keeping);
