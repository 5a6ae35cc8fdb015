// Prices that NodeOverlays give to instance types without one (AWI-167).
#pragma once

#include "kube/mirror.h"
#include "model/reading/settings.h"

struct overlay_prices;
struct overlay_prices *overlay_prices_create(struct mirror *mirror,
                                             const struct settings *settings);
void overlay_prices_destroy(struct overlay_prices *prices); // NULL is fine
// Nano-USD an hour; 0: no overlay names the type. Of several the last by name counts.
int64_t overlay_price_of(struct overlay_prices *prices, const char *instance_type);
