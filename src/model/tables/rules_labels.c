// Keys that users may not set: the controllers' domains, a node's NodePool and its host name.
#include <string.h>

#include "base/text.h"
#include "model/tables/rules.h"
#include "model/tables/well_known.h"

static bool in_foreign_domain(const struct rule *rule, const char *key);
static bool is_key(const struct rule *rule, const char *key);

// Keys allowed by a rule; for a domain, its allowed keys.
static const char *const core_keys[] = {"karpenter.sh/capacity-type", "karpenter.sh/nodepool",
                                        NULL};
static const char *const node_pool_key[] = {"karpenter.sh/nodepool", NULL};
static const char *const hostname_key[] = {"kubernetes.io/hostname", NULL};

#define CORE_MESSAGE      "label domain \"karpenter.sh\" is restricted"
#define AWS_MESSAGE       "label domain \"karpenter.k8s.aws\" is restricted"
#define NODE_POOL_MESSAGE "label \"karpenter.sh/nodepool\" is restricted"
#define HOSTNAME_MESSAGE  "label \"kubernetes.io/hostname\" is restricted"

#define DOMAIN_OF(key, domain) "!" key ".find('^[^/]*').endsWith('" domain "')"

#define CORE_KEY_RULE(rule_id)                                                \
    {                                                                         \
        .id = rule_id, .message = CORE_MESSAGE,                               \
        .expression = "self in @LIST@ || " DOMAIN_OF("self", "karpenter.sh"), \
        .text_violated = in_foreign_domain, .arguments = core_keys            \
    }
#define HOSTNAME_KEY_RULE(rule_id)                                                 \
    {                                                                              \
        .id = rule_id, .message = HOSTNAME_MESSAGE,                                \
        .expression = "self != 'kubernetes.io/hostname'", .text_violated = is_key, \
        .arguments = hostname_key                                                  \
    }
#define AWS_KEY_RULE(rule_id, keys)                                                \
    {                                                                              \
        .id = rule_id, .message = AWS_MESSAGE,                                     \
        .expression = "self in @LIST@ || " DOMAIN_OF("self", "karpenter.k8s.aws"), \
        .aws_only = true, .text_violated = in_foreign_domain, .arguments = keys    \
    }

const struct rule rules_template_labels[] = {
    {.id = "API-40",
     .message = CORE_MESSAGE,
     .expression = "self.all(key, key in @LIST@ || " DOMAIN_OF("key", "karpenter.sh") ")",
     .text_violated = in_foreign_domain,
     .arguments = core_keys},
    {.id = "API-40",
     .message = NODE_POOL_MESSAGE,
     .expression = "self.all(key, key != 'karpenter.sh/nodepool')",
     .text_violated = is_key,
     .arguments = node_pool_key},
    {.id = "API-40",
     .message = HOSTNAME_MESSAGE,
     .expression = "self.all(key, key != 'kubernetes.io/hostname')",
     .text_violated = is_key,
     .arguments = hostname_key},
    {.id = "API-40",
     .message = AWS_MESSAGE,
     .expression = "self.all(key, key in @LIST@ || " DOMAIN_OF("key", "karpenter.k8s.aws") ")",
     .aws_only = true,
     .text_violated = in_foreign_domain,
     .arguments = aws_admitted_keys},
};

const struct rule rules_node_pool_key[] = {
    CORE_KEY_RULE("API-45"),
    {.id = "API-45",
     .message = NODE_POOL_MESSAGE,
     .expression = "self != 'karpenter.sh/nodepool'",
     .text_violated = is_key,
     .arguments = node_pool_key},
    HOSTNAME_KEY_RULE("API-45"),
    AWS_KEY_RULE("API-45", aws_admitted_keys),
};

const struct rule rules_node_claim_key[] = {
    CORE_KEY_RULE("API-58"),
    HOSTNAME_KEY_RULE("API-58"),
    AWS_KEY_RULE("API-58", aws_admitted_keys),
};

const struct rule rules_node_overlay_key[] = {
    CORE_KEY_RULE("API-68"),
    HOSTNAME_KEY_RULE("API-68"),
    AWS_KEY_RULE("API-68", aws_admitted_overlay_keys),
};

// API-18: the domain is the text before the first slash, or the whole key. It matches by suffix.
// The reserved domain is that of the allowed keys.
static bool in_foreign_domain(const struct rule *rule, const char *key)
{
    if (text_list_has(rule->arguments, key))
        return false;
    size_t domain_length = strcspn(rule->arguments[0], "/");
    size_t length = strcspn(key, "/");
    return length >= domain_length &&
           strncmp(key + length - domain_length, rule->arguments[0], domain_length) == 0;
}

static bool is_key(const struct rule *rule, const char *key)
{
    return strcmp(key, rule->arguments[0]) == 0;
}
