#include "cloud/aws/interruption/node_annotations.h"

#include <assert.h>
#include <string.h>

#include "base/duration.h"
#include "model/schema/object.h"

const char *node_announcement_key(enum node_announcement what)
{
    static const char *const keys[] = {[NODE_SPOT_INTERRUPTION] = "adze.dev/spot-interruption-time",
                                       [NODE_MAINTENANCE] = "adze.dev/maintenance-time",
                                       [NODE_REBALANCE_RECOMMENDED] =
                                           "adze.dev/rebalance-recommendation-time"};
    static_assert(sizeof keys / sizeof *keys == NODE_ANNOUNCEMENTS_COUNT, "every one has a key");
    assert(what < NODE_ANNOUNCEMENTS_COUNT);
    return keys[what];
}

int64_t node_announcement_read(const struct object *node, enum node_announcement what)
{
    const char *text = object_annotation(node, node_announcement_key(what));
    int64_t instant;
    if (text == NULL || strlen(text) >= INSTANT_TEXT_MAX || !instant_parse(text, &instant, NULL) ||
        instant <= 0)
        return 0;
    return instant;
}
