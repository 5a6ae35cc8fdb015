#include "cloud/aws/types/shortage_cause.h"

#include <stddef.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "base/text.h"

struct shortage_cause shortage_cause_of(const char *reason)
{
    static const struct {
        const char *prefix;
        struct shortage_cause cause;
    } causes[] = {
        {"VcpuLimitExceeded", {SHORTAGE_QUOTA, 5 * MINUTE}},
        {"MaxSpotInstanceCountExceeded", {SHORTAGE_QUOTA, 5 * MINUTE}},
        {"Unsupported", {SHORTAGE_TYPE_ZONE, 24 * HOUR}},
        {"MaxFleetCountExceeded", {SHORTAGE_ALL, 30 * SECOND}},
        {"InsufficientFreeAddressesInSubnet", {SHORTAGE_NOTHING, 0}},
        {"UnauthorizedOperation", {SHORTAGE_NOTHING, 0}},
        {"AuthFailure", {SHORTAGE_NOTHING, 0}},
        {"AccessDenied", {SHORTAGE_NOTHING, 0}},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(causes); i++)
        if (text_starts_with(reason, causes[i].prefix))
            return causes[i].cause;
    return (struct shortage_cause){SHORTAGE_POOL, MINUTE};
}

// AWS counts vCPUs by the first letters of the family.
const char *shortage_quota_of(const char *instance_type)
{
    static const char *const own[] = {"dl", "hpc", "inf", "mac", "trn", "u",
                                      "vt", "f",   "g",   "p",   "x"};
    size_t letters = strspn(instance_type, "abcdefghijklmnopqrstuvwxyz");
    if (letters == 2 &&
        (memcmp(instance_type, "gr", 2) == 0 || memcmp(instance_type, "vt", 2) == 0))
        return "g"; // one quota for G and VT
    for (size_t i = 0; i < ARRAY_LENGTH(own); i++)
        if (strlen(own[i]) == letters && memcmp(own[i], instance_type, letters) == 0)
            return own[i];
    return "standard";
}
