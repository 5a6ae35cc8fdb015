// Rules of EC2NodeClass (API-86 to 97).
#include <stdint.h>

#include "base/text.h"
#include "model/tables/rule_conditions.h"
#include "model/tables/rules.h"
#include "model/tables/rules_json.h"

static bool is_malformed_alias(const struct rule *rule, const char *alias);
static bool is_unknown_family(const struct rule *rule, const char *alias);
static bool is_pinned_windows(const struct rule *rule, const char *alias);
static bool alias_beside_terms(const struct rule *rule, const json_t *value,
                               const json_t *old_value);
static bool family_unlike_alias(const struct rule *rule, const json_t *value,
                                const json_t *old_value);
static bool lacks_family(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool has_two_roots(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool rate_without_snapshot(const struct rule *rule, const json_t *value,
                                  const json_t *old_value);
static bool lacks_primary(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool has_twin_interfaces(const struct rule *rule, const json_t *value,
                                const json_t *old_value);

static const char *const empty[] = {"", NULL};

const struct rule rules_selector_tags[] = {
    {.id = "API-86",
     .message = "empty tag keys or values aren't supported",
     .expression = "self.all(key, key != '' && self[key] != '')",
     .violated = rule_empty_pair,
     .hint = "use \"*\" to match any value"},
};

const struct rule rules_role[] = {
    {.id = "API-86",
     .message = "role cannot be empty",
     .expression = "self != ''",
     .text_violated = rule_is_argument,
     .arguments = empty},
};
const struct rule rules_instance_profile[] = {
    {.id = "API-86",
     .message = "instanceProfile cannot be empty",
     .expression = "self != ''",
     .text_violated = rule_is_argument,
     .arguments = empty},
};

// --- AMI selector terms --------------------------------------------------------------------------
static const char *const alias_families[] = {
    "al2", "al2023", "bottlerocket", "windows2019", "windows2022", "windows2025", NULL};
static const char *const windows_families[] = {"windows2019", "windows2022", "windows2025", NULL};
const struct rule rules_alias[] = {
    {.id = "API-87",
     .message = "'alias' is improperly formatted, must match the format 'family@version'",
     .expression = "self.matches('^[a-zA-Z0-9]+@.+$')",
     .text_violated = is_malformed_alias,
     .hint = "for example al2023@latest, or al2023@v20240807 to pin it"},
    {.id = "API-87",
     .message = "family is not supported, must be one of the following: 'al2', 'al2023', "
                "'bottlerocket', 'windows2019', 'windows2022', 'windows2025'",
     .expression = "self.find('^[^@]*') in @LIST@",
     .text_violated = is_unknown_family,
     .arguments = alias_families,
     .hint = "in lower case, such as al2023@latest; images without an alias are found by id, name, "
             "tags or ssmParameter"},
    {.id = "API-87",
     .message = "windows families may only specify version 'latest'",
     .expression = "!(self.find('^[^@]*') in @LIST@) || self.matches('^[^@]*@latest(@|$)')",
     .text_violated = is_pinned_windows,
     .arguments = windows_families,
     .hint = "for example windows2022@latest; to pin an image, name its id and the amiFamily"},
};

static const char *const ami_fields[] = {"tags", "id", "name", "alias", "ssmParameter", NULL};
static const char *const ami_id_excludes[] = {"id", "alias", "tags", "name", "owner", NULL};
static const char *const ami_alias_excludes[] = {"alias", "id", "tags", "name", "owner", NULL};
const struct rule rules_ami_terms[] = {
    {.id = "API-88",
     .message = "expected at least one, got none, ['tags', 'id', 'name', 'alias', 'ssmParameter']",
     .expression = "self.all(x, has(x.tags) || has(x.id) || has(x.name) || has(x.alias) || "
                   "has(x.ssmParameter))",
     .item_violated = rule_item_lacks_all,
     .arguments = ami_fields},
    {.id = "API-88",
     .message = "'id' is mutually exclusive, cannot be set with a combination of other fields in "
                "amiSelectorTerms",
     .expression = "!self.exists(x, has(x.id) && (has(x.alias) || has(x.tags) || has(x.name) || "
                   "has(x.owner)))",
     .item_violated = rule_item_mixes,
     .arguments = ami_id_excludes,
     .hint = "an id names one image: give the other fields a term of their own, or leave them out"},
    {.id = "API-88",
     .message = "'alias' is mutually exclusive, cannot be set with a combination of other fields "
                "in amiSelectorTerms",
     .expression = "!self.exists(x, has(x.alias) && (has(x.id) || has(x.tags) || has(x.name) || "
                   "has(x.owner)))",
     .item_violated = rule_item_mixes,
     .arguments = ami_alias_excludes,
     .hint = "an alias says it all: leave the other fields out"},
    {.id = "API-88",
     .message = "'alias' is mutually exclusive, cannot be set with a combination of other "
                "amiSelectorTerms",
     .expression = "size(self) == 1 || !self.exists(x, has(x.alias))",
     .violated = alias_beside_terms,
     .hint = "leave out the alias or all other terms"},
};

// --- the other selectors -------------------------------------------------------------------------
static const char *const subnet_fields[] = {"tags", "id", NULL};
static const char *const id_excludes_tags[] = {"id", "tags", NULL};
const struct rule rules_subnet_terms[] = {
    {.id = "API-89",
     .message = "subnetSelectorTerms cannot be empty",
     .expression = "size(self) != 0",
     .violated = rule_empty_list},
    {.id = "API-89",
     .message = "expected at least one, got none, ['tags', 'id']",
     .expression = "self.all(x, has(x.tags) || has(x.id))",
     .item_violated = rule_item_lacks_all,
     .arguments = subnet_fields},
    {.id = "API-89",
     .message = "'id' is mutually exclusive, cannot be set with a combination of other fields in a "
                "subnet selector term",
     .expression = "!self.all(x, has(x.id) && has(x.tags))",
     .violated = rule_every_item_mixes,
     .arguments = id_excludes_tags},
};

static const char *const group_fields[] = {"tags", "id", "name", NULL};
static const char *const group_id_excludes[] = {"id", "tags", "name", NULL};
static const char *const group_name_excludes[] = {"name", "tags", "id", NULL};
const struct rule rules_security_group_terms[] = {
    {.id = "API-89",
     .message = "securityGroupSelectorTerms cannot be empty",
     .expression = "size(self) != 0",
     .violated = rule_empty_list},
    {.id = "API-89",
     .message = "expected at least one, got none, ['tags', 'id', 'name']",
     .expression = "self.all(x, has(x.tags) || has(x.id) || has(x.name))",
     .item_violated = rule_item_lacks_all,
     .arguments = group_fields},
    {.id = "API-89",
     .message = "'id' is mutually exclusive, cannot be set with a combination of other fields in a "
                "security group selector term",
     .expression = "!self.all(x, has(x.id) && (has(x.tags) || has(x.name)))",
     .violated = rule_every_item_mixes,
     .arguments = group_id_excludes},
    {.id = "API-89",
     .message = "'name' is mutually exclusive, cannot be set with a combination of other fields in "
                "a security group selector term",
     .expression = "!self.all(x, has(x.name) && (has(x.tags) || has(x.id)))",
     .violated = rule_every_item_mixes,
     .arguments = group_name_excludes},
};

static const char *const reservation_fields[] = {"tags", "id", "instanceMatchCriteria", NULL};
static const char *const reservation_id_excludes[] = {"id", "tags", "ownerID",
                                                      "instanceMatchCriteria", NULL};
const struct rule rules_capacity_reservation_terms[] = {
    {.id = "API-89",
     .message = "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']",
     .expression = "self.all(x, has(x.tags) || has(x.id) || has(x.instanceMatchCriteria))",
     .item_violated = rule_item_lacks_all,
     .arguments = reservation_fields},
    {.id = "API-89",
     .message = "'id' is mutually exclusive, cannot be set along with other fields in a capacity "
                "reservation selector term",
     .expression = "!self.all(x, has(x.id) && (has(x.tags) || has(x.ownerID) || "
                   "has(x.instanceMatchCriteria)))",
     .violated = rule_every_item_mixes,
     .arguments = reservation_id_excludes,
     .hint = "an id needs no other field; leave an empty list out"},
};

// --- spec ----------------------------------------------------------------------------------------
static const char *const identities[] = {"role", "instanceProfile", NULL};

// The AMI family and its alias.
#define FAMILY_RULE(family, article, prefix)                                                   \
    {                                                                                          \
        .id = "API-90",                                                                        \
        .message = "if set, amiFamily must be '" family "' or 'Custom' when using " article    \
                   " " family " alias",                                                        \
        .expression = "!has(self.amiFamily) || self.amiFamily in ['" family "', 'Custom'] || " \
                      "!self.amiSelectorTerms.exists(x, has(x.alias) && "                      \
                      "x.alias.find('^[^@]*') == '" prefix "')",                               \
        .violated = family_unlike_alias, .arguments = (const char *const[])                    \
        {                                                                                      \
            family, prefix, NULL                                                               \
        }                                                                                      \
    }

const struct rule rules_ec2_spec[] = {
    {.id = "API-90",
     .message = "must specify exactly one of ['role', 'instanceProfile']",
     .expression = "has(self.role) != has(self.instanceProfile)",
     .violated = rule_none_or_both,
     .arguments = identities,
     .hint =
         "role names the IAM role of the nodes; instanceProfile one that exists, with its role"},
    FAMILY_RULE("AL2", "an", "al2"),
    FAMILY_RULE("AL2023", "an", "al2023"),
    FAMILY_RULE("Bottlerocket", "a", "bottlerocket"),
    FAMILY_RULE("Windows2019", "a", "windows2019"),
    FAMILY_RULE("Windows2022", "a", "windows2022"),
    FAMILY_RULE("Windows2025", "a", "windows2025"),
    {.id = "API-90",
     .message = "must specify amiFamily if amiSelectorTerms does not contain an alias",
     .expression = "has(self.amiFamily) || self.amiSelectorTerms.exists(x, has(x.alias))",
     .violated = lacks_family,
     .hint = "the family tells how user data is written; use Custom to write all of it yourself"},
};

const struct rule rules_block_device_mappings[] = {
    {.id = "API-91",
     .message = "must have only one blockDeviceMappings with rootVolume",
     .expression = "self.filter(x, has(x.rootVolume) && x.rootVolume).size() <= 1",
     .violated = has_two_roots},
};

static const char *const volume_sources[] = {"snapshotID", "volumeSize", NULL};
const struct rule rules_ebs[] = {
    {.id = "API-92",
     .message = "snapshotID or volumeSize must be defined",
     .expression = "has(self.snapshotID) || has(self.volumeSize)",
     .violated = rule_lacks_all,
     .arguments = volume_sources},
    {.id = "API-92",
     .message = "snapshotID must be set when volumeInitializationRate is set",
     .expression = "!has(self.volumeInitializationRate) || (has(self.snapshotID) && "
                   "self.snapshotID != '')",
     .violated = rate_without_snapshot},
};

static const char *const timeouts[] = {"tcpEstablishedTimeout", "udpStreamTimeout", "udpTimeout",
                                       NULL};
const struct rule rules_connection_tracking[] = {
    {.id = "API-94",
     .message =
         "at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set",
     .expression = "has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || "
                   "has(self.udpTimeout)",
     .violated = rule_lacks_all,
     .arguments = timeouts},
};

const struct rule rules_network_interfaces[] = {
    {.id = "API-95",
     .message = "networkInterfaces must include a primary interface with interfaceType='interface'",
     .expression = "size(self) == 0 || self.exists(x, x.networkCardIndex == 0 && "
                   "x.deviceIndex == 0 && x.interfaceType == 'interface')",
     .violated = lacks_primary,
     .hint = "add {networkCardIndex: 0, deviceIndex: 0, interfaceType: interface}"},
    {.id = "API-95",
     .message = "networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, "
                "and can have at most one efa device per network card",
     .expression = "self.all(x, self.exists_one(y, x.networkCardIndex == y.networkCardIndex && "
                   "(x.deviceIndex == y.deviceIndex || (x.interfaceType == 'efa-only' && "
                   "y.interfaceType == 'efa-only'))))",
     .violated = has_twin_interfaces},
};

static const char *const group_selectors[] = {"name", "id", NULL};
const struct rule rules_placement_group[] = {
    {.id = "API-96",
     .message = "expected at least one, got none, ['name', 'id']",
     .expression = "has(self.name) || has(self.id)",
     .violated = rule_lacks_all,
     .arguments = group_selectors},
    {.id = "API-96",
     .message = "'name' and 'id' are mutually exclusive",
     .expression = "!has(self.name) || !has(self.id)",
     .violated = rule_both,
     .arguments = group_selectors},
};

#define RESERVED_TAG(key, test, function)                                         \
    {                                                                             \
        .id = "API-97", .message = "tag contains a restricted tag matching " key, \
        .expression = "self.all(key, " test ")", .text_violated = function,       \
        .arguments = (const char *const[])                                        \
        {                                                                         \
            key, NULL                                                             \
        }                                                                         \
    }
const struct rule rules_tags[] = {
    {.id = "API-97",
     .message = "empty tag keys aren't supported",
     .expression = "self.all(key, key != '')",
     .text_violated = rule_is_argument,
     .arguments = empty},
    RESERVED_TAG("eks:eks-cluster-name", "key != 'eks:eks-cluster-name'", rule_is_argument),
    RESERVED_TAG("kubernetes.io/cluster/", "!key.startsWith('kubernetes.io/cluster')",
                 rule_begins_with_argument),
    RESERVED_TAG("karpenter.sh/nodepool", "key != 'karpenter.sh/nodepool'", rule_is_argument),
    RESERVED_TAG("karpenter.sh/nodeclaim", "key != 'karpenter.sh/nodeclaim'", rule_is_argument),
    RESERVED_TAG("karpenter.k8s.aws/ec2nodeclass", "key != 'karpenter.k8s.aws/ec2nodeclass'",
                 rule_is_argument),
};

// --- the conditions in C -------------------------------------------------------------------------
static bool alias_has_family(const char *alias, const char *family);

static bool is_malformed_alias(const struct rule *rule, const char *alias)
{
    (void)rule;
    size_t family_length = strspn(alias, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789");
    const char *version = alias + family_length + 1;
    return family_length == 0 || alias[family_length] != '@' || version[0] == '\0' ||
           strchr(version, '\n') != NULL;
}

static bool is_unknown_family(const struct rule *rule, const char *alias)
{
    for (size_t i = 0; rule->arguments[i] != NULL; i++)
        if (alias_has_family(alias, rule->arguments[i]))
            return false;
    return true;
}

static bool is_pinned_windows(const struct rule *rule, const char *alias)
{
    if (is_unknown_family(rule, alias))
        return false;
    const char *version = strchr(alias, '@');
    return version == NULL || strcspn(version + 1, "@") != strlen("latest") ||
           !text_starts_with(version + 1, "latest");
}

// The family is the text before the first "@", or all of it.
static bool alias_has_family(const char *alias, const char *family)
{
    size_t length = strcspn(alias, "@");
    return strlen(family) == length && strncmp(alias, family, length) == 0;
}

static bool alias_beside_terms(const struct rule *rule, const json_t *value,
                               const json_t *old_value)
{
    (void)rule, (void)old_value;
    size_t index;
    json_t *item;
    json_array_foreach (value, index, item)
        if (json_has(item, "alias") && json_array_size(value) != 1)
            return true;
    return false;
}

static bool family_unlike_alias(const struct rule *rule, const json_t *value,
                                const json_t *old_value)
{
    (void)old_value;
    const char *family = json_text(value, "amiFamily");
    if (family == NULL || strcmp(family, rule->arguments[0]) == 0 || strcmp(family, "Custom") == 0)
        return false;
    size_t index;
    json_t *term;
    json_array_foreach (json_object_get(value, "amiSelectorTerms"), index, term) {
        const char *alias = json_text(term, "alias");
        if (alias != NULL && alias_has_family(alias, rule->arguments[1]))
            return true;
    }
    return false;
}

static bool lacks_family(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule, (void)old_value;
    const json_t *terms = json_object_get(value, "amiSelectorTerms");
    if (json_has(value, "amiFamily") || !json_is_array(terms))
        return false;
    size_t index;
    json_t *term;
    json_array_foreach (terms, index, term)
        if (json_has(term, "alias"))
            return false;
    return true;
}

static bool has_two_roots(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule, (void)old_value;
    size_t index, roots = 0;
    json_t *mapping;
    json_array_foreach (value, index, mapping)
        roots += json_is_true(json_object_get(mapping, "rootVolume"));
    return roots > 1;
}

static bool rate_without_snapshot(const struct rule *rule, const json_t *value,
                                  const json_t *old_value)
{
    (void)rule, (void)old_value;
    return json_has(value, "volumeInitializationRate") &&
           (!json_has(value, "snapshotID") || json_text_is(value, "snapshotID", ""));
}

static bool lacks_primary(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule, (void)old_value;
    size_t index;
    json_t *interface;
    json_array_foreach (value, index, interface) {
        const json_t *card = json_object_get(interface, "networkCardIndex");
        const json_t *device = json_object_get(interface, "deviceIndex");
        if (json_is_integer(card) && json_integer_value(card) == 0 && json_is_integer(device) &&
            json_integer_value(device) == 0 &&
            json_text_is(interface, "interfaceType", "interface"))
            return false;
    }
    return json_array_size(value) != 0;
}

static bool are_twins(const json_t *a, const json_t *b)
{
    const json_t *card = json_object_get(a, "networkCardIndex");
    const json_t *device = json_object_get(a, "deviceIndex");
    if (card == NULL || !json_equal(card, json_object_get(b, "networkCardIndex")))
        return false;
    return (device != NULL && json_equal(device, json_object_get(b, "deviceIndex"))) ||
           (json_text_is(a, "interfaceType", "efa-only") &&
            json_text_is(b, "interfaceType", "efa-only"));
}

static bool has_twin_interfaces(const struct rule *rule, const json_t *value,
                                const json_t *old_value)
{
    (void)rule, (void)old_value;
    size_t count = json_array_size(value);
    if (count > 1000) // far above the list's limit, which is reported elsewhere
        return false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (are_twins(json_array_get(value, i), json_array_get(value, k)))
                return true;
    return false;
}
