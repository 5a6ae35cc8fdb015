#include "cloud/aws/types/type_stores.h"

void type_stores_open(struct type_stores *stores, struct loop *loop,
                      const struct settings *settings, bool upstream,
                      const struct ec2_types_options *more)
{
    stores->unavailable = unavailable_offerings_create(
        &(struct unavailable_options){.loop = loop, .upstream = upstream});
    stores->reservations = reservation_counts_create(loop);
    stores->groups = placement_groups_create();
    stores->prices =
        ec2_prices_create(&(struct ec2_prices_options){.loop = loop, .region = "us-west-2"});
    struct ec2_types_options options = *more;
    options.loop = loop;
    options.settings = settings;
    options.region = "us-west-2";
    options.prices = stores->prices;
    options.unavailable = stores->unavailable;
    options.reservations = stores->reservations;
    options.groups = stores->groups;
    stores->types = ec2_types_create(&options);
}

void type_stores_close(struct type_stores *stores)
{
    ec2_types_destroy(stores->types);
    ec2_prices_destroy(stores->prices);
    unavailable_offerings_destroy(stores->unavailable);
    reservation_counts_destroy(stores->reservations);
    placement_groups_destroy(stores->groups);
}
