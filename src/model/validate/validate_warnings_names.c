#include "model/validate/validate_warnings_names.h"

#include <assert.h>
#include <string.h>

#include "base/pattern.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/karpenter.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"

#define LABEL_ZONE_ID "topology.k8s.aws/zone-id"

// --- zones and regions ---------------------------------------------------------------------------
#define REGION                                                                          \
    "[a-z]{2,4}(-[a-z]+)?-(central|north|south|east|west|northeast|northwest|southeast" \
    "|southwest)-[0-9]+"
#define PATTERN_REGION  "^" REGION "$"
#define PATTERN_ZONE    "^" REGION "([a-z]|-[a-z]+-[0-9]+[a-z])$"
#define PATTERN_ZONE_ID "^[a-z]{2,5}[0-9]+(-[a-z]+[0-9]+)?-az[0-9]+$"

// The length of the region that a zone's name begins with.
static int region_length(const char *zone)
{
    size_t length = strcspn(zone, "0123456789");
    return (int)(length + strspn(zone + length, "0123456789"));
}

static void warn_of_zone(struct validation *validation, const struct place *place,
                         const char *value)
{
    struct text hint = {0};
    if (pattern_matches(PATTERN_REGION, value)) {
        text_format(&hint, "name its zones, such as %sa, or use the key " LABEL_REGION, value);
        validation_warn(validation, place, "W-zone", hint.data, "%s is a region, not a zone",
                        value);
    } else if (pattern_matches(PATTERN_ZONE_ID, value)) {
        validation_warn(validation, place, "W-zone",
                        "use the key " LABEL_ZONE_ID ", or the zone's name, such as us-west-2a",
                        "%s is the id of a zone, not its name", value);
    }
    text_free(&hint);
}

static void warn_of_region(struct validation *validation, const struct place *place,
                           const char *value)
{
    struct text hint = {0};
    if (!pattern_matches(PATTERN_ZONE, value))
        return;
    text_format(&hint, "write %.*s, or use the key " LABEL_ZONE, region_length(value), value);
    validation_warn(validation, place, "W-zone", hint.data, "%s is a zone, not a region", value);
    text_free(&hint);
}

void warn_zone(struct validation *validation, const struct place *place, const char *key,
               const char *value)
{
    if (validation->options->core)
        return;
    if (strcmp(key, LABEL_ZONE) == 0)
        warn_of_zone(validation, place, value);
    else if (strcmp(key, LABEL_REGION) == 0)
        warn_of_region(validation, place, value);
    else if (strcmp(key, LABEL_ZONE_ID) == 0 &&
             (pattern_matches(PATTERN_ZONE, value) || pattern_matches(PATTERN_REGION, value)))
        validation_warn(validation, place, "W-zone",
                        "an id is like usw2-az1; names go with the key " LABEL_ZONE,
                        "%s is no id of a zone", value);
}

// --- role and instance profile -------------------------------------------------------------------

static void check_identity(struct validation *validation, const struct place *spec_place,
                           const json_t *spec, const char *key)
{
    struct place place = {spec_place, key, 0};
    const char *text = json_text(spec, key);
    if (text == NULL || !text_starts_with(text, "arn:"))
        return;
    struct text hint = {0};
    const char *slash = strrchr(text, '/');
    bool is_profile = strstr(text, ":instance-profile/") != NULL;
    if (slash != NULL && slash[1] != '\0')
        text_format(&hint, "write %s: %s", is_profile ? "instanceProfile" : "role", slash + 1);
    validation_report(
        validation,
        &(struct report){
            .level = FINDING_REJECTED, .rule = "AWN-1", .place = &place, .hint = hint.data},
        "this is an ARN; the name alone is wanted");
    text_free(&hint);
}

// --- aliases -------------------------------------------------------------------------------------

// Versions that no image of the family has: the parameter would not be found.
static void advise_version(struct validation *validation, const struct place *place,
                           const char *alias)
{
    bool is_rocket = text_starts_with(alias, "bottlerocket@");
    bool is_dated = text_starts_with(alias, "al2@") || text_starts_with(alias, "al2023@");
    const char *version = strchr(alias, '@') + 1;
    const char *form = is_rocket ? "^(latest|v*[0-9]+\\.[0-9]+\\.[0-9]+)$" : "^(latest|v[0-9]{8})$";
    if ((is_rocket || is_dated) && strchr(version, '@') == NULL && !pattern_matches(form, version))
        validation_warn(validation, place, "W-alias-version",
                        is_rocket ? "for example bottlerocket@v1.50.0"
                                  : "versions are dates, for example v20260715",
                        "no image of this family has a version like \"%s\"", version);
}

static void advise_versions(struct validation *validation, const struct place *spec_place,
                            const json_t *spec)
{
    struct place list_place = {spec_place, "amiSelectorTerms", 0};
    size_t index;
    json_t *term;
    json_array_foreach (json_object_get(spec, "amiSelectorTerms"), index, term) {
        struct place place = {&list_place, NULL, index}, alias_place = {&place, "alias", 0};
        const char *alias = json_text(term, "alias");
        if (alias != NULL && strchr(alias, '@') != NULL)
            advise_version(validation, &alias_place, alias);
    }
}

// --- selector terms ------------------------------------------------------------------------------
// `by_name`: terms have a field for the name; else the tag Name finds it.
static const struct selector {
    const char *list, *prefix;
    bool by_name;
} selectors[] = {
    {"amiSelectorTerms", "ami-", true},
    {"capacityReservationSelectorTerms", "cr-", false},
    {"securityGroupSelectorTerms", "sg-", true},
    {"subnetSelectorTerms", "subnet-", false},
};

// EC2's ids have 8 or 17 digits after the prefix.
static bool is_id(const char *prefix, const char *value)
{
    if (!text_starts_with(value, prefix))
        return false;
    const char *digits = value + strlen(prefix);
    size_t length = strlen(digits);
    return length >= 8 && length <= 17 && strspn(digits, "0123456789abcdef") == length;
}

static void add_hint(const char *prefix, bool by_name, const char *value, struct text *out)
{
    const char *slash = strrchr(value, '/');
    if (slash != NULL && is_id(prefix, slash + 1))
        text_format(out, "write id: %s", slash + 1);
    else if (by_name)
        text_format(out, "an id begins with %s; a name goes to name: %s", prefix, value);
    else
        text_format(out, "an id begins with %s; by name write tags: {Name: %s}", prefix, value);
}

void hint_ec2_id(const char *pattern, const char *value, struct text *out)
{
    pattern += *pattern == '^';
    for (size_t i = 0; i < ARRAY_LENGTH(selectors); i++)
        if (text_starts_with(pattern, selectors[i].prefix))
            add_hint(selectors[i].prefix, selectors[i].by_name, value, out);
}

static void warn_id_as_name(struct validation *validation, const struct place *place,
                            const char *prefix, const char *value)
{
    struct text hint = {0};
    if (value == NULL || !is_id(prefix, value))
        return;
    text_format(&hint, "write id: %s", value);
    validation_warn(validation, place, "W-name-form", hint.data, "%s is an id, not a name", value);
    text_free(&hint);
}

static void advise_term(struct validation *validation, const struct place *place,
                        const struct selector *selector, const json_t *term)
{
    struct place id_place = {place, "id", 0}, name_place = {place, "name", 0};
    struct place tags_place = {place, "tags", 0}, tag_place = {&tags_place, "Name", 0};
    const char *id = json_text(term, "id");
    struct text hint = {0};
    // Upstream's patterns accept a prefix anywhere; EC2 does not.
    if (id != NULL && strstr(id, selector->prefix) != NULL &&
        !text_starts_with(id, selector->prefix)) {
        add_hint(selector->prefix, selector->by_name, id, &hint);
        validation_warn(validation, &id_place, "W-name-form", hint.data, "%s is no id", id);
    }
    warn_id_as_name(validation, &name_place, selector->prefix, json_text(term, "name"));
    warn_id_as_name(validation, &tag_place, selector->prefix,
                    json_text(json_object_get(term, "tags"), "Name"));
    text_free(&hint);
}

void warn_ec2_names(struct validation *validation, const struct place *spec_place,
                    const json_t *spec)
{
    assert(spec_place != NULL);
    check_identity(validation, spec_place, spec, "role");
    check_identity(validation, spec_place, spec, "instanceProfile");
    advise_versions(validation, spec_place, spec);
    for (size_t i = 0; i < ARRAY_LENGTH(selectors); i++) {
        struct place list_place = {spec_place, selectors[i].list, 0};
        size_t index;
        json_t *term;
        json_array_foreach (json_object_get(spec, selectors[i].list), index, term) {
            struct place place = {&list_place, NULL, index};
            advise_term(validation, &place, &selectors[i], term);
        }
    }
}
