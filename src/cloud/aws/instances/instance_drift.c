#include "cloud/aws/instances/instance_drift.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/nodeclass/ami_mapping.h"
#include "model/reading/claim_drift.h"

// Each check: drifted or not, or it cannot be told (AWN-481, "error instead").
enum finding { FINE, DRIFTED, UNKNOWN };

static enum finding check_ami(const struct drift_inputs *inputs)
{
    const char *image = inputs->claim->status.image_id;
    if (inputs->type == NULL || inputs->node_class->status.amis.count == 0 || text_is_empty(image))
        return UNKNOWN;
    const struct ec2_ami *ami = ami_for_type(inputs->node_class, inputs->type);
    return ami != NULL && text_equal(ami->id, image) ? FINE : DRIFTED;
}

static enum finding check_security_groups(const struct drift_inputs *inputs)
{
    const struct ec2_node_class *node_class = inputs->node_class;
    if (inputs->facts == NULL || node_class->status.security_groups.count == 0)
        return UNKNOWN;
    list_for_each (group, &node_class->status.security_groups)
        if (!string_list_has(&inputs->facts->security_groups, group->id))
            return DRIFTED;
    list_for_each (id, &inputs->facts->security_groups) {
        bool found = false;
        list_for_each (group, &node_class->status.security_groups)
            found = found || text_equal(group->id, *id);
        if (!found)
            return DRIFTED;
    }
    return FINE;
}

static enum finding check_subnet(const struct drift_inputs *inputs)
{
    if (inputs->facts == NULL || inputs->node_class->status.subnets.count == 0)
        return UNKNOWN;
    list_for_each (subnet, &inputs->node_class->status.subnets)
        if (text_equal(subnet->id, inputs->facts->subnet_id))
            return FINE;
    return DRIFTED;
}

static bool has_reservation(const struct ec2_node_class *node_class, const char *id)
{
    list_for_each (reservation, &node_class->status.capacity_reservations)
        if (text_equal(reservation->id, id))
            return true;
    return false;
}

static enum finding check_reservation(const struct drift_inputs *inputs,
                                      struct drift_verdict *verdict)
{
    if (inputs->facts == NULL)
        return UNKNOWN;
    const char *id = inputs->facts->reservation_id;
    if (id == NULL || has_reservation(inputs->node_class, id))
        return FINE;
    if (inputs->facts_are_fresh)
        return DRIFTED;
    verdict->doubts_reservation = true;
    return UNKNOWN;
}

static enum finding check_group(const struct drift_inputs *inputs)
{
    const char *label = object_label((const struct object *)inputs->claim, LABEL_PLACEMENT_GROUP);
    const char *id = inputs->group_state == PLACEMENT_GROUP_KNOWN ? inputs->group->id : NULL;
    if (!inputs->upstream && (inputs->group_state == PLACEMENT_GROUP_UNKNOWN ||
                              inputs->group_state == PLACEMENT_GROUP_MISSING))
        return UNKNOWN; // AWI-944
    return text_equal(text_or_empty(label), text_or_empty(id)) ? FINE : DRIFTED;
}

struct drift_verdict instance_drift(const struct drift_inputs *inputs)
{
    struct drift_verdict verdict = {0};
    if (claim_node_class_drifted(inputs->claim, (const struct object *)inputs->node_class)) {
        verdict.reason = "NodeClassDrift";
        return verdict;
    }
    verdict.needs_facts = inputs->facts == NULL;
    const struct {
        const char *reason;
        enum finding finding;
    } checks[] = {
        {"AMIDrift", check_ami(inputs)},
        {"SecurityGroupDrift", check_security_groups(inputs)},
        {"SubnetDrift", check_subnet(inputs)},
        {"CapacityReservationDrift", check_reservation(inputs, &verdict)},
        {"PlacementGroupDrift", check_group(inputs)},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(checks); i++) {
        // AWI-455: upstream tells nothing while anything cannot be told.
        if (inputs->upstream && checks[i].finding == UNKNOWN) {
            verdict.reason = NULL;
            break;
        }
        if (checks[i].finding == DRIFTED && verdict.reason == NULL)
            verdict.reason = checks[i].reason;
    }
    assert(verdict.reason == NULL || !inputs->upstream || inputs->facts != NULL);
    return verdict;
}
