#include "cloud/aws/instances/launch_candidate.h"

#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "model/reading/catalog.h"

#define NANO_USD             1e9
#define RESERVED_PRICE_SHARE 1e7
#define RESERVED_TOLERANCE   1e-6

const char *offering_capacity_type(const struct offering *offering)
{
    return text_or_empty(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE));
}

double launch_price(const struct launch_candidate *candidate, const struct offering *offering)
{
    double price = (double)offering->price / NANO_USD;
    if (!text_equal(offering_capacity_type(offering), CAPACITY_TYPE_RESERVED))
        return price;
    double reserved = (double)candidate->on_demand_price / NANO_USD / RESERVED_PRICE_SHARE;
    // The catalogue's price is rounded and moved a little to keep the order (AWI-918).
    double difference = price - reserved;
    bool same = offering->price == 0 ||
                (difference < RESERVED_TOLERANCE && difference > -RESERVED_TOLERANCE);
    return same ? reserved : price; // an overlay's price is taken as it is
}

bool launch_is_prioritized(const struct node_claim *claim)
{
    return string_map_get(&claim->meta.annotations, ANNOTATION_PRICE_OVERLAY) != NULL;
}

bool candidate_keep_offerings(const struct instance_type *type,
                              bool (*keeps)(const void *context, const struct offering *offering),
                              const void *context)
{
    // The candidate is the launch's own copy; only its readers see it as immutable.
    struct launch_candidate *candidate = (struct launch_candidate *)type;
    uint32_t kept = 0;
    list_for_each (offering, &type->offerings)
        if (keeps(context, offering))
            candidate->type.offerings.items[kept++] = *offering;
    candidate->type.offerings.count = kept;
    return kept > 0;
}
