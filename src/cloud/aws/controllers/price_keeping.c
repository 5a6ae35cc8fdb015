#include "cloud/aws/controllers/price_keeping.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/log.h"
#include "cloud/aws/controllers/kept_value.h"
#include "cloud/aws/types/kept_prices.h"

#define CONTROLLER     "providers.pricing"
#define FIRST_DELAY_NS (5 * MINUTE) // both halves of the first update, with retries
#define DELAY_NS       HOUR         // spot prices change with each update: some 100 KB

struct price_keeping {
    const struct aws_controllers_environment *environment;
    struct kept_value *kept;  // NULL: not with COMPATIBILITY=upstream
    uint64_t kept_generation; // of prices, when they were written; 0: not yet
};

static void recall(void *context, const json_t *value)
{
    struct price_keeping *keeping = context;
    uint32_t skipped = kept_prices_recall(keeping->environment->prices, value);
    if (skipped > 0)
        log_error("skipping kept prices that are none", "i:count", (int64_t)skipped);
}

static json_t *encode(void *context)
{
    struct price_keeping *keeping = context;
    keeping->kept_generation = ec2_prices_generation(keeping->environment->prices);
    return kept_prices_encode(keeping->environment->prices, true);
}

struct price_keeping *price_keeping_create(struct manager *manager,
                                           const struct aws_controllers_environment *environment)
{
    struct price_keeping *keeping = memory_allocate(sizeof *keeping);
    keeping->environment = environment;
    if (manager->settings->compatibility_upstream)
        return keeping;
    keeping->kept =
        kept_value_create(manager, &(struct kept_value_options){.controller = CONTROLLER,
                                                                .subject = "the last price list",
                                                                .namespace = environment->namespace,
                                                                .name = LAST_PRICES_NAME,
                                                                .key = "prices",
                                                                .recall = recall,
                                                                .encode = encode,
                                                                .context = keeping});
    return keeping;
}

void price_keeping_destroy(struct price_keeping *keeping)
{
    if (keeping == NULL)
        return;
    kept_value_destroy(keeping->kept);
    free(keeping);
}

void price_keeping_updated(struct price_keeping *keeping)
{
    if (ec2_prices_generation(keeping->environment->prices) != keeping->kept_generation)
        kept_value_changed(keeping->kept,
                           keeping->kept_generation == 0 ? FIRST_DELAY_NS : DELAY_NS);
}
