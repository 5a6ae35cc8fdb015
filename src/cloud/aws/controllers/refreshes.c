#include "cloud/aws/controllers/refreshes.h"

#include <stdlib.h>

#include "base/duration.h"
#include "cloud/aws/controllers/periodic.h"
#include "cloud/aws/controllers/price_keeping.h"

#define REFRESH_NS      (12 * HOUR)
#define SPOT_REFRESH_NS (10 * MINUTE)
#define BACKOFF_MAX_NS  (1000 * SECOND)

struct refreshes {
    const struct aws_controllers_environment *environment;
    struct price_keeping *keeping;
    struct periodic *types, *prices, *spot_prices; // spot_prices NULL: together with the others
    bool upstream, types_are_due; // types_are_due: not those that the start has asked for
};

static bool refresh_types(void *context, struct operation_about *about);
static bool refresh_prices(void *context, struct operation_about *about);
static bool refresh_spot_prices(void *context, struct operation_about *about);

static struct periodic *refresh(struct refreshes *refreshes, struct manager *manager,
                                const char *name, int64_t interval_ns, periodic_step begin)
{
    return periodic_create(manager, &(struct periodic_options){.name = name,
                                                               .interval_ns = interval_ns,
                                                               .backoff_max_ns = BACKOFF_MAX_NS,
                                                               .begin = begin,
                                                               .context = refreshes});
}

struct refreshes *refreshes_create(struct manager *manager,
                                   const struct aws_controllers_environment *environment)
{
    struct refreshes *refreshes = memory_allocate(sizeof *refreshes);
    refreshes->environment = environment;
    refreshes->upstream = manager->settings->compatibility_upstream;
    refreshes->keeping = price_keeping_create(manager, environment);
    refreshes->types =
        refresh(refreshes, manager, "providers.instancetype", REFRESH_NS, refresh_types);
    refreshes->prices =
        refresh(refreshes, manager, "providers.pricing", REFRESH_NS, refresh_prices);
    if (!refreshes->upstream)
        refreshes->spot_prices = refresh(refreshes, manager, "providers.pricing.spot",
                                         SPOT_REFRESH_NS, refresh_spot_prices);
    return refreshes;
}

void refreshes_destroy(struct refreshes *refreshes)
{
    if (refreshes == NULL)
        return;
    periodic_destroy(refreshes->types);
    periodic_destroy(refreshes->prices);
    periodic_destroy(refreshes->spot_prices);
    price_keeping_destroy(refreshes->keeping);
    free(refreshes);
}

static void refreshed(void *operation, const struct error *error)
{
    static const struct error none = {0};
    operation_end(operation, OPERATION_PASS, error != NULL ? error : &none);
}

static bool refresh_types(void *context, struct operation_about *about)
{
    struct refreshes *refreshes = context;
    if (!refreshes->types_are_due && ec2_types_loaded(refreshes->environment->types)) {
        refreshes->types_are_due = true;
        return false;
    }
    refreshes->types_are_due = true;
    about->doing = "updating instance types";
    ec2_types_refresh(refreshes->environment->types, refreshes->environment->client, refreshed,
                      operation_begin(about, sizeof(struct operation)));
    return true;
}

struct price_call {
    struct operation operation;
    struct refreshes *refreshes;
};

static void prices_refreshed(void *context, const struct error *error)
{
    struct price_call *call = context;
    price_keeping_updated(call->refreshes->keeping);
    refreshed(call, error);
}

static struct price_call *begin_prices(struct refreshes *refreshes, struct operation_about *about)
{
    about->doing = "updating pricing";
    struct price_call *call = operation_begin(about, sizeof *call);
    call->refreshes = refreshes;
    return call;
}

// AWI-915: a failure of one half does not repeat the other.
static bool refresh_prices(void *context, struct operation_about *about)
{
    struct refreshes *refreshes = context;
    if (refreshes->upstream)
        refresh_spot_prices(context, about);
    ec2_prices_update_on_demand(refreshes->environment->prices, refreshes->environment->client,
                                prices_refreshed, begin_prices(refreshes, about));
    return true;
}

static bool refresh_spot_prices(void *context, struct operation_about *about)
{
    struct refreshes *refreshes = context;
    ec2_prices_update_spot(refreshes->environment->prices, refreshes->environment->client,
                           prices_refreshed, begin_prices(refreshes, about));
    return true;
}
