#include "cloud/aws/nodeclass/launch_failure.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define SPOT_ROLE "AuthFailure.ServiceLinkedRoleCreationNotPermitted"

static const char *const capacity_codes[] = {
    "InsufficientInstanceCapacity",
    "MaxSpotInstanceCountExceeded",
    "VcpuLimitExceeded",
    "UnfulfillableCapacity",
    "Unsupported",
    "InsufficientFreeAddressesInSubnet",
    "MaxFleetCountExceeded",
    "ReservationCapacityExceeded",
};

bool fault_is_capacity(const char *code)
{
    for (size_t i = 0; code != NULL && i < ARRAY_LENGTH(capacity_codes); i++)
        if (strcmp(code, capacity_codes[i]) == 0)
            return true;
    return false;
}

bool fault_is_spot_role(const char *code)
{
    return text_equal(code, SPOT_ROLE);
}

// A row matches a text that has `part` and, if given, `also`. The part UNAUTHORIZED stands for any
// of the codes of a refused permission.
struct row {
    const char *part, *also;
    struct launch_failure failure;
};
static const char UNAUTHORIZED[] = "";

static const struct row rows[] = {
    {SPOT_ROLE,
     NULL,
     {"SpotSLRCreationFailed",
      "adze lacks the permission to create the service-linked role for Spot "
      "(iam:CreateServiceLinkedRole); create it once with: aws iam create-service-linked-role "
      "--aws-service-name spot.amazonaws.com"}},
    {UNAUTHORIZED,
     "with an explicit deny in a permissions boundary",
     {"Unauthorized", "the action is denied by a permissions boundary of adze's role"}},
    {UNAUTHORIZED,
     "with an explicit deny in a service control policy",
     {"Unauthorized", "the action is denied by a service control policy of the organization"}},
    {UNAUTHORIZED,
     "Not authorized for images",
     {"AMIAuthorizationFailure", "the account is not authorized to use the AMI"}},
    {UNAUTHORIZED,
     NULL,
     {"Unauthorized", "no identity-based policy of adze's role allows the action"}},
    {"InvalidParameter",
     "belong to different networks",
     {"SecurityGroupSubnetVPCMismatch", "security groups and subnets are in different VPCs"}},
    {"iamInstanceProfile.name is invalid",
     NULL,
     {"InstanceProfileNameInvalid",
      "the instance profile in the status of the EC2NodeClass does not exist"}},
    {"InvalidLaunchTemplateId.NotFound",
     NULL,
     {"LaunchTemplateNotFound", "the launch template is gone; it is created again"}},
    {"User data is limited to",
     NULL,
     {"UserDataSizeLimitExceeded",
      "the rendered user data is larger than EC2 allows (16 KiB); shorten spec.userData"}},
    {"InvalidAMIID.Malformed", NULL, {"InvalidAMIID", "the id of the AMI is malformed"}},
    {"InvalidAMIID.NotFound",
     NULL,
     {"AMINotFound", "the AMI does not exist, or the account may not use it"}},
    {"RequestLimitExceeded", NULL, {"RequestLimitExceeded", "AWS throttles the request"}},
    {"InternalError", NULL, {"InternalError", "AWS had an internal error"}},
    {"not eligible for Free Tier",
     NULL,
     {"FreeTierIneligible", "the instance type is not eligible for the Free Tier of the account"}},
    {"MaxFleetCountExceeded",
     NULL,
     {"FleetQuotaExceeded", "the account's quota of fleet requests is reached"}},
    {"PendingVerification",
     NULL,
     {"AccountPendingVerification", "AWS is still verifying the account or its use of the region"}},
    {"MaxSpotInstanceCountExceeded",
     NULL,
     {"SpotQuotaExceeded", "the account's quota of spot instances is reached"}},
    {"VcpuLimitExceeded",
     NULL,
     {"VCPULimitExceeded", "the account's quota of vCPUs for these instance types is reached"}},
    {"InsufficientFreeAddressesInSubnet",
     NULL,
     {"InsufficientFreeAddressesInSubnet", "the subnet has too few free addresses"}},
};

static bool has_part(const char *text, const char *part)
{
    if (part != UNAUTHORIZED)
        return strstr(text, part) != NULL;
    return strstr(text, "UnauthorizedOperation") != NULL || strstr(text, "AccessDenied") != NULL ||
           strstr(text, "AuthFailure") != NULL;
}

struct launch_failure launch_failure_of(const char *text)
{
    static const struct launch_failure other = {"LaunchFailed", "AWS refused the launch"};
    for (size_t i = 0; text != NULL && i < ARRAY_LENGTH(rows); i++)
        if (has_part(text, rows[i].part) &&
            (rows[i].also == NULL || strstr(text, rows[i].also) != NULL))
            return rows[i].failure;
    return other;
}
