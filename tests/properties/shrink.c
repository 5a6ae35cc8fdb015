#include "properties/shrink.h"

#include <stdio.h>
#include <string.h>

#include "properties/guard.h"

#define TRIALS_MAX 3000

#define SIGN_LENGTH 50

struct shrinking {
    json_t *world; // the smallest so far
    char sign[SIGN_LENGTH + 1];
    uint64_t seed;
    property_check check;
    uint32_t trials;
};

// The start of the reason, without numbers: a smaller world must fail for the same reason.
static void sign_of(const struct text *why, char out[SIGN_LENGTH + 1])
{
    size_t length = 0;
    for (size_t i = 0; i < why->length && why->data[i] != '\n' && length < SIGN_LENGTH; i++)
        if (why->data[i] < '0' || why->data[i] > '9')
            out[length++] = why->data[i];
    out[length] = '\0';
}

static bool still_fails(struct shrinking *shrinking)
{
    struct text why = {0};
    char sign[SIGN_LENGTH + 1];
    shrinking->trials++;
    bool fails = !guarded_check(shrinking->check, shrinking->world, shrinking->seed, &why);
    sign_of(&why, sign);
    text_free(&why);
    return fails && strcmp(sign, shrinking->sign) == 0;
}

// Optional members of objects in the API.
static bool is_optional(const char *key)
{
    static const char *const keys[] = {
        "affinity",
        "nodeAffinity",
        "podAffinity",
        "podAntiAffinity",
        "topologySpreadConstraints",
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
        "nodeSelector",
        "tolerations",
        "volumes",
        "ports",
        "priority",
        "taints",
        "startupTaints",
        "limits",
        "weight",
        "minValues",
        "minDomains",
        "matchLabelKeys",
        "nodeAffinityPolicy",
        "nodeTaintsPolicy",
        "namespaceSelector",
        "namespaces",
        "unschedulable",
        "overhead",
        "allowedTopologies",
        "example.com/gpu",
        "example.com/rack",
        "memory",
        "ephemeral-storage",
        "rev",
        "team",
        "cpu",
        "conditions",
        "uid",
        "PREFERENCE_POLICY",
        "MIN_VALUES_POLICY",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

// Arrays that may become empty; others keep one item.
static bool may_be_empty(const char *key)
{
    return is_optional(key) || strcmp(key, "requirements") == 0;
}

// An array's items are removed in runs of half its length, a quarter, …, one.
static bool shrink_array(struct shrinking *shrinking, json_t *array, const char *key)
{
    bool progress = false;
    size_t least = may_be_empty(key) ? 0 : 1;
    for (size_t run = json_array_size(array) / 2 + 1; run > 0; run /= 2)
        for (size_t at = json_array_size(array); at-- > 0;) {
            if (at + run > json_array_size(array) || json_array_size(array) - run < least ||
                shrinking->trials >= TRIALS_MAX)
                continue;
            json_t *saved = json_copy(array);
            for (size_t i = 0; i < run; i++)
                json_array_remove(array, at);
            if (still_fails(shrinking)) {
                progress = true;
            } else {
                json_array_clear(array);
                json_array_extend(array, saved);
            }
            json_decref(saved);
        }
    return progress;
}

static bool shrink_value(struct shrinking *shrinking, json_t *value, const char *key);

static bool shrink_object(struct shrinking *shrinking, json_t *object)
{
    bool progress = false;
    const char *key;
    json_t *member;
    void *next;
    json_object_foreach_safe(object, next, key, member)
    {
        if (shrinking->trials >= TRIALS_MAX)
            break;
        if (is_optional(key)) {
            json_t *kept = json_incref(member);
            char name[200];
            snprintf(name, sizeof name, "%s", key);
            json_object_del(object, name);
            bool fails = still_fails(shrinking);
            if (!fails)
                json_object_set(object, name, kept);
            json_decref(kept);
            progress = progress || fails;
        }
    }
    json_object_foreach (object, key, member)
        progress = shrink_value(shrinking, member, key) || progress;
    return progress;
}

static bool shrink_value(struct shrinking *shrinking, json_t *value, const char *key)
{
    if (shrinking->trials >= TRIALS_MAX)
        return false;
    bool progress = false;
    if (json_is_array(value)) {
        progress = shrink_array(shrinking, value, key);
        for (size_t i = 0; i < json_array_size(value); i++)
            progress = shrink_value(shrinking, json_array_get(value, i), "") || progress;
    } else if (json_is_object(value)) {
        progress = shrink_object(shrinking, value);
    }
    return progress;
}

json_t *world_shrink(const json_t *world, uint64_t seed, property_check check)
{
    struct shrinking shrinking = {.world = json_deep_copy(world), .seed = seed, .check = check};
    struct text why = {0};
    if (!guarded_check(check, world, seed, &why) && why.length == 0)
        text_add(&why, "?");
    sign_of(&why, shrinking.sign);
    text_free(&why);
    while (shrinking.trials < TRIALS_MAX && shrink_value(&shrinking, shrinking.world, ""))
        continue;
    return shrinking.world;
}
