#include "control/nomination/group_order.h"

#include "control/nomination/opening_order.h"
#include "control/nomination/spread_mend.h"
#include "control/nomination/spread_order.h"

void group_order_apply(struct control *control, const struct node_claim **claims, uint32_t count)
{
    struct spread_order *order = spread_order_create(control);
    opening_order(control, claims, count);
    for (uint32_t i = 0; i < count; i++)
        spread_order_add(order, claims[i]);
    spread_order_apply(order);
    spread_order_destroy(order);
    for (int i = 0; i < MENDS_MAX && spread_mend(control, claims, count) > 0; i++)
        ;
}
