#include "model/validate/validate_hints.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "base/vector.h"
#include "model/schema/form.h"
#include "model/schema/tables.h"
#include "model/validate/validate_warnings_names.h"
#include "model/validate/validation.h"

#define NAMES_MAX   64 // values of one enumeration
#define TREE_DEPTH  8
#define MATCHES_MAX 3

// Fields of older versions and of other levels, with their present names.
struct old_field {
    const char *name, *hint;
};
static const struct old_field pool_fields[] = {
    {"apiVersion", "write group: with the part before the slash, without the version"},
    {"consolidation", "write spec.disruption.consolidationPolicy and consolidateAfter"},
    {"kubelet", "belongs to the EC2NodeClass, at spec.kubelet"},
    {"kubeletConfiguration", "belongs to the EC2NodeClass, at spec.kubelet"},
    {"provider", "make an EC2NodeClass and name it in spec.template.spec.nodeClassRef"},
    {"providerRef", "write spec.template.spec.nodeClassRef with group, kind and name"},
    {"ttlSecondsAfterEmpty", "write spec.disruption with consolidationPolicy: WhenEmpty and "
                             "consolidateAfter: 30s"},
    {"ttlSecondsUntilExpired", "write spec.template.spec.expireAfter, in hours: 720h"},
};
static const struct old_field ec2_fields[] = {
    {"amiSelector", "write amiSelectorTerms: [{tags: {...}}]"},
    {"ids", "write one term {id: ...} for each"},
    {"securityGroupSelector", "write securityGroupSelectorTerms: [{tags: {...}}]"},
    {"subnetSelector", "write subnetSelectorTerms: [{tags: {...}}]"},
    {"launchTemplate", "launch templates are made by the controller: write what it holds here"},
    {"instanceProfileName", "write instanceProfile"},
};

// Values that are often misspelt.
static const struct {
    const char *value, *meant;
} old_values[] = {
    {"WhenUnderutilized", "WhenEmptyOrUnderutilized"},
    {"Out", "NotIn"},
    {"Equals", "In"},
    {"NotExists", "DoesNotExist"},
    {"NotEquals", "NotIn"},
    {"!=", "NotIn"},
    {"=", "In"},
    {"==", "In"},
    {"GreaterThan", "Gt"},
    {"LessThan", "Lt"},
    {"GreaterThanOrEqual", "Gte"},
    {"LessThanOrEqual", "Lte"},
    {"Exist", "Exists"},
    {">", "Gt"},
    {"<", "Lt"},
    {">=", "Gte"},
    {"<=", "Lte"},
    {"arm", "arm64"},
    {"aarch64", "arm64"},
    {"x86", "amd64"},
    {"x86_64", "amd64"},
    {"Expired", "Drifted; expired nodes are replaced whatever the budgets"},
    {"Ubuntu", "AL2 or Custom, with user data of your own"},
};

static bool hint_nearest(const char *word, const char *const *words, size_t count,
                         struct text *out);
static bool hint_matches(const char *const *matches, size_t found, struct text *out);
static bool hint_old_field(const struct kind *kind, const char *name, struct text *out);
static bool hint_elsewhere(const struct type *type, const char *name, struct text *out);

bool hint_unknown_field(const struct validation *validation, const struct place *place,
                        const struct type *type, const char *name, struct text *out)
{
    const char *nearest[MATCHES_MAX];
    if (type->fields_count == 0) // an object is wrong there in any case
        return false;
    bool is_metadata =
        place != NULL && place->parent == NULL && strcmp(place->key, "metadata") == 0;
    if (!is_metadata && hint_old_field(validation->kind, name, out))
        return true;
    if (strcmp(name, "operator") == 0 && strcmp(type->name, "Taint") == 0) {
        text_add(out, "leave it out: tolerations have an operator, taints have none");
        return true;
    }
    size_t count = type_nearest_fields(type, name, nearest, MATCHES_MAX);
    return hint_matches(nearest, count, out) ||
           (!is_metadata && hint_elsewhere(validation->kind->type, name, out));
}

static bool hint_nearest(const char *word, const char *const *words, size_t count, struct text *out)
{
    const char *matches[MATCHES_MAX];
    return hint_matches(matches, text_nearest(word, words, count, matches, MATCHES_MAX), out);
}

static bool hint_matches(const char *const *matches, size_t found, struct text *out)
{
    for (size_t i = 0; i < found; i++)
        text_format(out, "%s%s",
                    i == 0          ? "did you mean "
                    : i + 1 < found ? ", "
                                    : " or ",
                    matches[i]);
    if (found > 0)
        text_add_char(out, '?');
    return found > 0;
}

static bool hint_old_field(const struct kind *kind, const char *name, struct text *out)
{
    bool is_pool = kind->id == KIND_NODE_POOL || kind->id == KIND_NODE_CLAIM;
    const struct old_field *fields = is_pool ? pool_fields : ec2_fields;
    size_t count = is_pool                           ? ARRAY_LENGTH(pool_fields)
                   : kind->id == KIND_EC2_NODE_CLASS ? ARRAY_LENGTH(ec2_fields)
                                                     : 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0) {
            text_add(out, fields[i].hint);
            return true;
        }
    return false;
}

// Depth first: a field of that name anywhere below `type`.
static bool find_field(const struct type *type, const char *name, const struct place *place,
                       unsigned depth, struct text *out)
{
    for (uint32_t i = 0; depth > 0 && i < type->fields_count; i++) {
        const struct field *field = &type->fields[i];
        if (place == NULL && strcmp(field->name, "spec") != 0)
            continue;
        struct place child = {place, field->name, 0}, item = {&child, NULL, 0};
        if (place != NULL && strcmp(field->name, name) == 0) {
            place_text(&child, out);
            return true;
        }
        const struct place *below = field->kind == FIELD_LIST ? &item : &child;
        if (field->type != NULL && find_field(field->type, name, below, depth - 1, out))
            return true;
    }
    return false;
}

// GUI-4, GUI-10: a valid field at the wrong level.
static bool hint_elsewhere(const struct type *type, const char *name, struct text *out)
{
    struct text path = {0};
    bool found = find_field(type, name, NULL, TREE_DEPTH, &path);
    if (found)
        text_format(out, "belongs at %s", path.data);
    text_free(&path);
    return found;
}

// GUI-2, GUI-5.
const char *hint_required(const char *name)
{
    static const struct old_field fields[] = {
        {"amiSelectorTerms", "for example amiSelectorTerms: [{alias: al2023@latest}]; latest moves "
                             "nodes whenever a new image appears"},
        {"subnetSelectorTerms", "for example subnetSelectorTerms: [{tags: {karpenter.sh/discovery: "
                                "CLUSTER}}]"},
        {"securityGroupSelectorTerms", "for example securityGroupSelectorTerms: [{tags: "
                                       "{karpenter.sh/discovery: CLUSTER}}]"},
        {"nodeClassRef", "for example nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, "
                         "name: default}"},
        {"group", "the API group of the NodeClass: karpenter.k8s.aws for an EC2NodeClass"},
        {"requirements", "write requirements: [] if any machine will do"},
        {"consolidateAfter", "write consolidateAfter: 0s to consolidate at once"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++)
        if (strcmp(fields[i].name, name) == 0)
            return fields[i].hint;
    return NULL;
}

bool hint_enum(const char *value, const char *const *allowed, struct text *out)
{
    size_t count = 0;
    while (allowed[count] != NULL && count < NAMES_MAX)
        count++;
    for (size_t i = 0; i < ARRAY_LENGTH(old_values); i++)
        for (size_t k = 0; strcmp(old_values[i].value, value) == 0 && k < count; k++)
            if (text_starts_with(old_values[i].meant, allowed[k])) {
                text_format(out, "did you mean %s?", old_values[i].meant);
                return true;
            }
    return hint_nearest(value, allowed, count, out);
}

// API-611: days, and Go's units that the schemas do not accept.
static bool hint_duration(const char *value, struct text *out)
{
    char *end;
    long number = strtol(value, &end, 10);
    if (end != value && strcmp(end, "d") == 0 && number >= 0 && number < 1000000) {
        text_format(out, "days are not known: write %ldh", number * 24);
        return true;
    }
    if (strcasecmp(value, "never") == 0) {
        text_add(out, "write Never, if the field takes it, with a capital N");
        return true;
    }
    if (end != value && *end == '\0') {
        text_format(out, "add a unit: %ss, %sm or %sh", value, value, value);
        return true;
    }
    text_add(out, "whole numbers with the units h, m and s, such as 1h30m");
    return true;
}

bool hint_pattern(const struct field *field, const char *value, struct text *out)
{
    if (field->kind == FIELD_DURATION)
        return hint_duration(value, out);
    if (field->name == NULL) { // a quantity
        size_t length = strlen(value);
        bool is_bytes = length > 2 && text_ends_with(value, "B");
        if (is_bytes)
            text_format(out, "leave out the B: %.*s", (int)length - 1, value);
        return is_bytes;
    }
    if (strcmp(field->name, "nodes") == 0)
        text_add(out, "a number such as \"10\", or a percentage from \"0%\" to \"100%\"");
    else if (strcmp(field->name, "volumeSize") == 0)
        text_add(out, "a whole number with the unit Gi, G, Ti or T, such as 100Gi");
    else if (strcmp(field->name, "value") == 0 && value[0] == '\0')
        text_add(out, "leave value out for a taint without one");
    else if (strcmp(field->name, "group") == 0 && strchr(value, '/') != NULL)
        text_format(out, "write the group without the version: %.*s", (int)strcspn(value, "/"),
                    value);
    else if (strcmp(field->name, "id") == 0)
        hint_ec2_id(field->pattern, value, out);
    else if (strcmp(field->name, "ownerID") == 0)
        text_add(out, "the 12 digits of an account, in quotes");
    else if (strcmp(field->name, "priceAdjustment") == 0)
        text_add(out, "a sign is needed: +0.5, -0.5, +20% or -20%");
    else
        return false;
    return out->length > 0;
}

static bool is_text_kind(const struct field *field)
{
    return field->kind == FIELD_STRING || field->kind == FIELD_STRING_LIST ||
           field->kind == FIELD_STRING_MAP || field->kind == FIELD_DURATION;
}

// In quotes it may still lack its unit.
static void hint_number(const struct field *field, int64_t number, struct text *out)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    bool fits = field->pattern == NULL || pattern_matches(field->pattern, text);
    if (fits || !hint_pattern(field, text, out))
        text_format(out, "put it into quotes: \"%s\"", text);
}

// "a, b" as ["a", "b"].
static void hint_list(const char *value, struct text *out)
{
    text_add(out, "write [");
    for (const char *at = value; *at != '\0' && out->length < 200;) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ",");
        text_format(out, "%s\"%.*s\"", at == value ? "" : ", ", (int)(length < 100 ? length : 100),
                    at);
        at += length;
        at += strspn(at, ", ");
    }
    text_add_char(out, ']');
}

// YAML's reading of a word without quotes; a map instead of a list of one.
bool hint_type(const struct field *field, const struct place *place, const json_t *value,
               struct text *out)
{
    if (is_text_kind(field) && json_is_integer(value)) {
        hint_number(field, json_integer_value(value), out);
        return true;
    }
    if (field->kind == FIELD_RESOURCE_MAP && json_is_real(value)) {
        text_add(out, "it is no whole number, or too large: write it in quotes, as \"1500m\"");
        return true;
    }
    bool is_map = field->kind == FIELD_STRING_MAP || field->kind == FIELD_RESOURCE_MAP ||
                  field->kind == FIELD_OBJECT || field->kind == FIELD_POINTER;
    if (is_map && json_is_array(value)) {
        const char *first = json_string_value(json_array_get(value, 0));
        size_t key = first != NULL ? strcspn(first, "=:") : 0;
        if (key > 0 && first[key] != '\0')
            text_format(out, "write {%.*s: %.60s}", (int)key, first,
                        first + key + 1 + strspn(first + key + 1, " "));
        else
            text_add(out, "leave out the dashes: no list is meant");
        return true;
    }
    if (is_text_kind(field) && (json_is_boolean(value) || json_is_real(value))) {
        text_add(out, "put the value into quotes: YAML reads yes, no, on, off and 1e3 as other "
                      "than text");
        return true;
    }
    if (field->kind == FIELD_LIST && json_is_object(value)) {
        text_add(out, "put a dash before the first key: a list is meant, even of one");
        return true;
    }
    if (field->kind == FIELD_STRING_LIST && json_is_string(value)) {
        hint_list(json_string_value(value), out);
        return true;
    }
    if (field->kind == FIELD_RESOURCE_MAP && place->key != NULL &&
        strcmp(place->key, "resources") == 0) { // GUI-10
        text_add(out, "write its entries one level higher");
        return true;
    }
    bool is_number = field->kind == FIELD_INT || field->kind == FIELD_INT32 ||
                     field->kind == FIELD_OPTIONAL_INT || field->kind == FIELD_OPTIONAL_INT32;
    int64_t number;
    if (is_number && json_is_string(value) && text_parse_int64(json_string_value(value), &number)) {
        text_format(out, "write it without quotes: %s", json_string_value(value));
        return true;
    }
    return false;
}
