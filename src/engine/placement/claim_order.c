#include "engine/placement/claim_order.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_inverse_spread.h"

static void reserve_bucket(struct pass *pass, uint32_t count)
{
    while (pass->claim_order.first_with.count <= count) {
        vector_push(&pass->claim_order.first_with, 0);
        vector_push(&pass->claim_order.last_with, 0);
    }
}

static void leave_bucket(struct pass *pass, struct claim *claim, uint32_t count)
{
    assert(count < pass->claim_order.first_with.count);
    assert(claim->previous != claim->index + 1);
    assert(claim->next != claim->index + 1);
    if (claim->previous != 0)
        pass->claims.items[claim->previous - 1]->next = claim->next;
    else
        pass->claim_order.first_with.items[count] = claim->next;
    if (claim->next != 0)
        pass->claims.items[claim->next - 1]->previous = claim->previous;
    else
        pass->claim_order.last_with.items[count] = claim->previous;
}

// A new claim goes behind those with as many pods; a claim that got another pod goes before the
// others with its new number. A stable sort would do the same.
static void enter_bucket(struct pass *pass, struct claim *claim, uint32_t count, bool in_front)
{
    reserve_bucket(pass, count);
    uint32_t first = pass->claim_order.first_with.items[count],
             last = pass->claim_order.last_with.items[count];
    uint32_t own = claim->index + 1;
    claim->order = in_front ? -++pass->claim_order.front : ++pass->claim_order.back;
    assert((first == 0) == (last == 0));
    claim->previous = in_front ? 0 : last;
    claim->next = in_front ? first : 0;
    if (claim->previous != 0)
        pass->claims.items[claim->previous - 1]->next = own;
    else
        pass->claim_order.first_with.items[count] = own;
    if (claim->next != 0)
        pass->claims.items[claim->next - 1]->previous = own;
    else
        pass->claim_order.last_with.items[count] = own;
}

void claim_reorder(struct pass *pass, struct claim *claim, uint32_t before)
{
    assert(claim->pods.count == before + 1);
    if (before > 0)
        leave_bucket(pass, claim, before);
    enter_bucket(pass, claim, claim->pods.count, before > 0);
}
