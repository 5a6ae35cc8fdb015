#include "cloud/aws/types/class_gaps.h"

#include <assert.h>
#include <string.h>

#include "cloud/aws/families/ami_family.h"
#include "cloud/aws/types/public_addresses.h"

static void tell_zones(const struct class_gaps *gaps, struct text *unknown)
{
    if (gaps->zones_taken == NULL)
        return;
    text_join(unknown, ", ", "zones of the subnets (taken: ");
    for (const char *const *zone = gaps->zones_taken; *zone != NULL; zone++)
        text_format(unknown, "%s%s", zone > gaps->zones_taken ? ", " : "", *zone);
    text_add(unknown, ")");
}

// An alias says what its images are; Custom has them in the status alone.
static void tell_images(const struct ec2_node_class *node_class, struct text *unknown)
{
    struct ami_alias alias;
    if (!ami_alias_of(node_class, &alias) && node_class->status.amis.count == 0)
        text_join(unknown, ", ", "architectures of the images (taken: all)");
}

static void tell_addresses(const struct class_gaps *gaps, struct text *unknown)
{
    enum public_addresses addresses = public_addresses_of(gaps->node_class);
    if (gaps->settings->address_cost <= 0)
        return;
    if (addresses == PUBLIC_ADDRESSES_UNKNOWN)
        text_join(unknown, ", ", "public addresses of the subnets (taken: none)");
    if (addresses == PUBLIC_ADDRESSES_SOME)
        text_join(unknown, ", ", "which subnets give public addresses (some do; taken: all)");
}

// adze plans by spec.kubelet alone, as the controller does.
static void tell_user_data(const struct ec2_node_class *node_class, struct text *unknown)
{
    static const char *const marks[] = {
        "maxPods",       "max-pods",       "podsPerCore",     "pods-per-core", "kubeReserved",
        "kube-reserved", "systemReserved", "system-reserved", "evictionHard",  "eviction-hard"};
    const char *text = text_or_empty(node_class->spec.user_data);
    for (size_t i = 0; i < ARRAY_LENGTH(marks); i++)
        if (strstr(text, marks[i]) != NULL) {
            text_join(unknown, ", ", "");
            text_format(unknown, "%s in userData (spec.kubelet alone counts)", marks[i]);
            return;
        }
}

static bool has_volume_of_unknown_size(const struct ec2_node_class *node_class)
{
    list_for_each (mapping, &node_class->spec.block_device_mappings)
        if (mapping->ebs != NULL && mapping->ebs->volume_size == NULL &&
            mapping->ebs->snapshot_id != NULL)
            return true;
    return false;
}

static void tell_prices(const struct class_gaps *gaps, struct text *unknown)
{
    const struct ec2_node_class *node_class = gaps->node_class;
    if (!gaps->listed) {
        text_join(unknown, ", ", "types and prices of ");
        text_format(unknown, "%s (taken: those of another region)", gaps->region);
    }
    if (ami_family_facts(ami_family_of(node_class))->windows)
        text_join(unknown, ", ", "prices of Windows licences (taken: prices of Linux)");
    if (has_volume_of_unknown_size(node_class))
        text_join(unknown, ", ", "sizes of snapshots (taken: the family's default)");
    if (node_class->spec.detailed_monitoring.present && node_class->spec.detailed_monitoring.value)
        text_join(unknown, ", ", "the price of detailed monitoring (not counted)");
}

void class_gaps_tell(const struct class_gaps *gaps, struct text *unknown)
{
    const struct ec2_node_class *node_class = gaps->node_class;
    assert(node_class != NULL && unknown != NULL);
    tell_zones(gaps, unknown);
    tell_prices(gaps, unknown);
    tell_images(node_class, unknown);
    tell_addresses(gaps, unknown);
    tell_user_data(node_class, unknown);
    if (node_class->spec.capacity_reservation_selector_terms.count > 0)
        text_join(unknown, ", ", "free instances of capacity reservations (none is taken)");
    if (node_class->spec.placement_group_selector != NULL)
        text_join(unknown, ", ", "the placement group (it leaves out no type)");
    if (gaps->gate_taken)
        text_join(unknown, ", ", "the feature gate NodeClassCEL (taken: on)");
}
