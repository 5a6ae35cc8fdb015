#include "model/validate/validate_warnings_ec2.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/vector.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_kubelet.h"
#include "model/validate/validate_warnings_names.h"
#include "model/validate/validation.h"

#define USER_DATA_MAX  16384 // bytes, before base64
#define USER_DATA_NEAR 14745 // nine tenths of it
#define TAGS_MAX       46    // 50, minus the controller's own
#define TAG_KEY_MAX    128
#define TAG_VALUE_MAX  256

// --- selector terms ------------------------------------------------------------------------------
static void advise_aliases(struct validation *validation, const struct place *spec_place,
                           const json_t *spec)
{
    struct place list_place = {spec_place, "amiSelectorTerms", 0};
    size_t index;
    json_t *term;
    json_array_foreach (json_object_get(spec, "amiSelectorTerms"), index, term) {
        struct place place = {&list_place, NULL, index};
        struct place alias_place = {&place, "alias", 0};
        const char *alias = json_text(term, "alias"), *at = alias ? strchr(alias, '@') : NULL;
        if (at != NULL && strcmp(at, "@latest") == 0 && strncmp(alias, "windows", 7) != 0)
            validation_warn(validation, &alias_place, "W-alias-latest",
                            "name a version to decide yourself when nodes move to it",
                            "nodes drift whenever a new image appears");
        if (at != NULL && strchr(at + 1, '@') != NULL)
            validation_report(validation,
                              &(struct report){.level = FINDING_REJECTED,
                                               .rule = "API-605",
                                               .place = &alias_place},
                              "an alias has one @");
    }
}

// Upstream admits a term with conflicting fields: one field decides and the others are ignored
// (AWN-703). A list in which every term has a conflict is refused.
struct selector {
    const char *list;
    const char *decisive[3], *fields[7]; // NULL-terminated
};
static const struct selector selectors[] = {
    {"amiSelectorTerms",
     {"ssmParameter"},
     {"ssmParameter", "alias", "id", "name", "owner", "tags"}},
    {"subnetSelectorTerms", {"id"}, {"id", "tags"}},
    {"securityGroupSelectorTerms", {"id", "name"}, {"id", "name", "tags"}},
    {"capacityReservationSelectorTerms",
     {"id"},
     {"id", "instanceMatchCriteria", "ownerID", "tags"}},
};

static void advise_term(struct validation *validation, const struct place *place,
                        const struct selector *selector, const json_t *term)
{
    const char *decisive = NULL;
    for (size_t i = 0; selector->decisive[i] != NULL && decisive == NULL; i++)
        if (json_has(term, selector->decisive[i]))
            decisive = selector->decisive[i];
    for (size_t i = 0; decisive != NULL && selector->fields[i] != NULL; i++)
        if (strcmp(selector->fields[i], decisive) != 0 && json_has(term, selector->fields[i]))
            validation_warn(validation, place, "W-term-mixed",
                            "leave one out, or make it two terms", "%s is ignored beside %s",
                            selector->fields[i], decisive);
}

static void advise_terms(struct validation *validation, const struct place *spec_place,
                         const json_t *spec)
{
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

// --- volumes -------------------------------------------------------------------------------------
// EC2's ranges by volume type; 0: not given for the type.
struct range {
    int64_t least, most;
};
static const struct volume_type {
    const char *name;
    struct range gib, iops, throughput; // most 0: not configurable
} volume_types[] = {
    {"gp2", {1, 16384}, {0}, {0}},          {"gp3", {1, 65536}, {3000, 80000}, {125, 2000}},
    {"io1", {4, 16384}, {100, 64000}, {0}}, {"io2", {4, 65536}, {100, 256000}, {0}},
    {"st1", {125, 16384}, {0}, {0}},        {"sc1", {125, 16384}, {0}, {0}},
    {"standard", {1, 1024}, {0}, {0}},
};

static int64_t size_in_gib(const char *text)
{
    char *unit;
    int64_t number = strtoll(text, &unit, 10);
    if (strcmp(unit, "Ti") == 0)
        return number * 1024;
    if (strcmp(unit, "T") == 0)
        return number * 1000000000000 / 1073741824;
    return strcmp(unit, "G") == 0 ? number * 1000000000 / 1073741824 : number;
}

static void advise_number(struct validation *validation, const struct place *place,
                          const json_t *value, const char *type, const struct range *range)
{
    if (!json_is_integer(value))
        return;
    int64_t number = json_integer_value(value);
    if (range->most == 0)
        validation_warn(validation, place, "W-volume", "leave it out", "%s takes no %s", type,
                        place->key);
    else if (number < range->least || number > range->most)
        validation_warn(validation, place, "W-volume", NULL,
                        "%s allows %" PRId64 " to %" PRId64 " %s", type, range->least, range->most,
                        place->key);
}

static void advise_size(struct validation *validation, const struct place *place, const char *size,
                        const struct volume_type *type)
{
    int64_t gib = size_in_gib(size);
    if (gib < type->gib.least || gib > type->gib.most)
        validation_warn(validation, place, "W-volume", NULL,
                        "%s allows %" PRId64 " to %" PRId64 " GiB", type->name, type->gib.least,
                        type->gib.most);
}

static void advise_ebs(struct validation *validation, const struct place *place, const json_t *ebs)
{
    struct place size_place = {place, "volumeSize", 0}, iops_place = {place, "iops", 0};
    struct place throughput_place = {place, "throughput", 0};
    const char *given = json_text(ebs, "volumeType"), *size = json_text(ebs, "volumeSize");
    const char *name = given != NULL ? given : "gp3";
    for (size_t i = 0; i < ARRAY_LENGTH(volume_types); i++) {
        const struct volume_type *type = &volume_types[i];
        if (strcmp(type->name, name) != 0)
            continue;
        advise_number(validation, &iops_place, json_object_get(ebs, "iops"), name, &type->iops);
        advise_number(validation, &throughput_place, json_object_get(ebs, "throughput"), name,
                      &type->throughput);
        if (size != NULL)
            advise_size(validation, &size_place, size, type);
        bool needs_iops = name[0] == 'i';
        if (needs_iops && !json_has(ebs, "iops"))
            validation_warn(validation, place, "W-volume", "add iops", "%s needs iops", name);
    }
}

static void advise_volumes(struct validation *validation, const struct place *spec_place,
                           const json_t *spec)
{
    struct place list_place = {spec_place, "blockDeviceMappings", 0};
    size_t index;
    json_t *mapping;
    json_array_foreach (json_object_get(spec, "blockDeviceMappings"), index, mapping) {
        struct place place = {&list_place, NULL, index};
        struct place ebs_place = {&place, "ebs", 0};
        if (!json_has(mapping, "deviceName"))
            validation_warn(validation, &place, "W-volume", "for example /dev/xvda",
                            "deviceName is missing: EC2 refuses the launch");
        if (json_has(mapping, "ebs"))
            advise_ebs(validation, &ebs_place, json_object_get(mapping, "ebs"));
        else
            validation_warn(validation, &place, "W-volume", "add ebs: {volumeSize: 20Gi}",
                            "ebs is missing: there is no volume to attach");
    }
}

// --- user data -----------------------------------------------------------------------------------
static int base64_value(char c)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c == '\0' ? NULL : strchr(alphabet, c);
    return found == NULL ? -1 : (int)(found - alphabet);
}

// Whether the text is base64 of apparent user data (GUI-14).
static bool is_base64(const char *text)
{
    char plain[64];
    size_t length = 0, letters = 0;
    uint32_t bits = 0;
    for (const char *c = text; *c != '\0'; c++) {
        int value = base64_value(*c);
        if (*c == '\n' || *c == '\r' || *c == '=')
            continue;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        if (++letters % 4 == 0)
            for (int shift = 16; shift >= 0 && length < sizeof plain - 1; shift -= 8)
                plain[length++] = (char)(bits >> shift);
    }
    plain[length] = '\0';
    static const char *const beginnings[] = {
        "#!", "#cloud", "MIME-", "Content-", "<powershell", "[settings", "apiVersion", "--", NULL};
    for (size_t i = 0; letters >= 8 && beginnings[i] != NULL; i++)
        if (text_starts_with(plain, beginnings[i]))
            return true;
    return false;
}

static const char *family_of(const json_t *spec)
{
    static const char *const families[] = {"AL2",         "AL2023",      "Bottlerocket",
                                           "Windows2019", "Windows2022", "Windows2025"};
    const char *family = json_text(spec, "amiFamily");
    size_t index;
    json_t *term;
    json_array_foreach (json_object_get(spec, "amiSelectorTerms"), index, term) {
        const char *alias = json_text(term, "alias");
        for (size_t i = 0; family == NULL && alias != NULL && i < ARRAY_LENGTH(families); i++)
            if (strncasecmp(alias, families[i], strlen(families[i])) == 0 &&
                alias[strlen(families[i])] == '@')
                family = families[i];
    }
    return family != NULL ? family : "Custom";
}

static void advise_user_data(struct validation *validation, const struct place *spec_place,
                             const json_t *spec)
{
    struct place place = {spec_place, "userData", 0};
    const char *text = json_text(spec, "userData"), *family = family_of(spec);
    if (text == NULL)
        return;
    size_t bytes = strlen(text);
    if (bytes > USER_DATA_MAX)
        validation_warn(validation, &place, "W-userdata-size", "fetch the rest at boot",
                        "%zu bytes; EC2 takes %d, with what the family adds", bytes, USER_DATA_MAX);
    else if (bytes > USER_DATA_NEAR)
        validation_warn(validation, &place, "W-userdata-size", "fetch the rest at boot",
                        "%zu bytes; with what the family adds it may go beyond %d", bytes,
                        USER_DATA_MAX);
    bool is_toml = pattern_matches("(?m)^\\s*\\[settings[.\\]]", text);
    bool is_mime =
        text_starts_with(text, "MIME-Version:") || text_starts_with(text, "Content-Type:");
    bool is_script = text_starts_with(text, "#!");
    bool bottlerocket = strcmp(family, "Bottlerocket") == 0;
    if (is_base64(text))
        validation_report(validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = "GUI-14",
                                           .place = &place,
                                           .hint = "write the text itself"},
                          "user data is plain text here, not base64");
    else if (bottlerocket && (is_mime || is_script))
        validation_report(validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = "GUI-14",
                                           .place = &place,
                                           .hint = "write TOML with [settings...] tables"},
                          "Bottlerocket does not read %s", is_mime ? "MIME" : "shell scripts");
    else if (!bottlerocket && strcmp(family, "Custom") != 0 && is_toml)
        validation_report(validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = "GUI-14",
                                           .place = &place,
                                           .hint = strncmp(family, "Windows", 7) == 0
                                                       ? "write a PowerShell script"
                                                       : "write a shell script or MIME parts"},
                          "%s does not read TOML", family);
}

// --- tags ----------------------------------------------------------------------------------------
static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void advise_tags(struct validation *validation, const struct place *spec_place,
                        const json_t *spec)
{
    struct place tags_place = {spec_place, "tags", 0};
    const json_t *tags = json_object_get(spec, "tags");
    if (json_object_size(tags) > TAGS_MAX)
        validation_warn(validation, &tags_place, "W-tag-limits", NULL,
                        "%zu tags; EC2 takes 50, four of which are the controller's",
                        json_object_size(tags));
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)tags, key, value) {
        struct place place = {&tags_place, key, 0};
        if (count_characters(key) > TAG_KEY_MAX)
            validation_warn(validation, &place, "W-tag-limits", NULL,
                            "the key is longer than %d characters", TAG_KEY_MAX);
        if (json_is_string(value) && count_characters(json_string_value(value)) > TAG_VALUE_MAX)
            validation_warn(validation, &place, "W-tag-limits", NULL,
                            "the value is longer than %d characters", TAG_VALUE_MAX);
        if (strncasecmp(key, "aws:", 4) == 0)
            validation_warn(validation, &place, "W-tag-limits", "use another prefix",
                            "keys beginning aws: are kept for AWS");
        if (strcmp(key, "karpenter.sh/managed-by") == 0)
            validation_warn(validation, &place, "W-old-name",
                            "eks:eks-cluster-name is set by the controller", "%s is an old name",
                            key);
    }
}

void warn_ec2_node_class(struct validation *validation, const json_t *object)
{
    struct place spec_place = {NULL, "spec", 0};
    const json_t *spec = json_object_get(object, "spec");
    if (spec == NULL) {
        validation_warn(validation, &spec_place, "W-empty-nodeclass",
                        "say what machines are made from", "without a spec it never becomes ready");
        return;
    }
    warn_ec2_names(validation, &spec_place, spec);
    advise_aliases(validation, &spec_place, spec);
    advise_terms(validation, &spec_place, spec);
    advise_volumes(validation, &spec_place, spec);
    advise_user_data(validation, &spec_place, spec);
    advise_tags(validation, &spec_place, spec);
    if (json_is_object(json_object_get(spec, "kubelet")))
        advise_kubelet(validation, json_object_get(spec, "kubelet"), family_of(spec));
}
