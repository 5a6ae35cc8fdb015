#include "cloud/aws/types/region_zones.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/types/region_prices.h"

#define PATTERN_ZONE \
    "^[a-z]+(-[a-z]+)+-[0-9]+([a-z]|-[a-z]+-[0-9]+[a-z]|-wl[0-9]+-[a-z]+-wlz-[0-9]+)$"
#define ZONES_DEFAULT 3
#define LETTERS_MAX   26

// Regions without a price list.
static const char *const unlisted[] = {"ap-east-2",      "ap-southeast-6", "cn-northwest-1",
                                       "eu-isoe-west-1", "eusc-de-east-1", "us-iso-east-1",
                                       "us-iso-west-1",  "us-isob-east-1", "us-isob-west-1",
                                       "us-isof-east-1", "us-isof-south-1"};
// Letters that are not the first ones.
static const struct {
    const char *region, *letters;
} oddities[] = {
    {"ap-northeast-1", "acd"}, {"ca-central-1", "abd"}, {"cn-north-1", "abd"}, {"us-west-1", "ac"}};

bool zone_region(const char *zone, char region[REGION_NAME_MAX])
{
    if (zone == NULL || strlen(zone) >= REGION_NAME_MAX || !pattern_matches(PATTERN_ZONE, zone))
        return false;
    size_t length = strcspn(zone, "0123456789");
    length += strspn(zone + length, "0123456789");
    memcpy(region, zone, length);
    region[length] = '\0';
    return true;
}

static bool list_has(const char *const *list, const char *name)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

const char *const *region_names(struct arena *arena)
{
    const char *const *listed = region_prices_regions(arena, false);
    size_t count = 0;
    while (listed[count] != NULL)
        count++;
    const char **names =
        arena_allocate_array(arena, count + ARRAY_LENGTH(unlisted) + 1, sizeof *names);
    memcpy(names, listed, count * sizeof *names);
    for (size_t i = 0; i < ARRAY_LENGTH(unlisted); i++)
        if (!list_has(listed, unlisted[i]))
            names[count++] = unlisted[i];
    qsort(names, count, sizeof *names, text_compare);
    return names;
}

bool region_is_known(const char *region)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    return region != NULL && list_has(region_names(arena), region);
}

// The letters of the region's zones. `all`: also those that only some accounts see.
static void find_letters(const char *region, bool all, char letters[LETTERS_MAX + 1])
{
    struct region_prices *prices = region_prices_create(region);
    uint32_t count = prices->zones_count > 0 ? prices->zones_count : ZONES_DEFAULT;
    uint32_t last = count;
    for (uint32_t i = 0; i < prices->zones_count; i++) { // "apne1-az4": the fourth letter
        const char *number = strstr(prices->zones[i], "-az");
        uint32_t ordinal = number != NULL ? (uint32_t)strtoul(number + 3, NULL, 10) : 0;
        last = ordinal > last && ordinal <= LETTERS_MAX ? ordinal : last;
    }
    region_prices_destroy(prices);
    const char *odd = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(oddities); i++)
        if (strcmp(oddities[i].region, region) == 0)
            odd = oddities[i].letters;
    if (odd != NULL && (uint32_t)(odd[strlen(odd) - 1] - 'a' + 1) > last)
        last = (uint32_t)(odd[strlen(odd) - 1] - 'a' + 1);
    uint32_t length = 0, most = all ? last : count;
    assert(most <= LETTERS_MAX);
    for (uint32_t i = 0; i < most; i++)
        letters[length++] = odd != NULL && !all && odd[i] != '\0' ? odd[i] : (char)('a' + i);
    letters[length] = '\0';
}

const char *const *region_zone_names(struct arena *arena, const char *region)
{
    char letters[LETTERS_MAX + 1];
    find_letters(region, false, letters);
    const char **names = arena_allocate_array(arena, strlen(letters) + 1, sizeof *names);
    for (size_t i = 0; letters[i] != '\0'; i++)
        names[i] = arena_format(arena, "%s%c", region, letters[i]);
    return names;
}

bool zone_is_known(const char *zone)
{
    char region[REGION_NAME_MAX], letters[LETTERS_MAX + 1];
    if (!zone_region(zone, region) || !region_is_known(region))
        return false;
    const char *rest = zone + strlen(region);
    if (rest[0] != '-') {
        find_letters(region, true, letters);
        return strchr(letters, rest[0]) != NULL;
    }
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const char *group = arena_copy_bytes(arena, zone, strlen(zone) - 1);
    return strstr(rest, "-wlz-") != NULL || list_has(region_prices_regions(arena, true), group);
}
