#include "cloud/aws/types/shortage_cause.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"

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

bool shortage_quota_advise(const char *reason, const char *instance_type, const char *capacity_type,
                           const char *region, struct text *out)
{
    static const struct {
        const char *quota, *families;
    } names[] = {
        {"standard", "Standard (A, C, D, H, I, M, R, T, Z)"},
        {"g", "G and VT"},
        {"u", "High Memory"},
        {"dl", "DL"},
        {"hpc", "HPC"},
        {"inf", "Inf"},
        {"trn", "Trn"},
        {"f", "F"},
        {"p", "P"},
        {"x", "X"},
    };
    assert(instance_type != NULL && capacity_type != NULL);
    if (shortage_cause_of(reason).scope != SHORTAGE_QUOTA)
        return false;
    const char *quota = shortage_quota_of(instance_type), *families = instance_type;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (text_equal(names[i].quota, quota))
            families = names[i].families;
    bool spot = text_equal(capacity_type, "spot");
    text_format(out,
                "the account's quota \"%s %s %s\" in %s is used up (%s): ask for more at Service "
                "Quotas, or allow other instance families or capacity types",
                spot ? "All" : "Running On-Demand", families,
                spot ? "Spot Instance Requests" : "instances",
                text_is_empty(region) ? "this region" : region, reason);
    return true;
}
