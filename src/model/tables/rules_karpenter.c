// Rules of NodePool, NodeClaim, NodeOverlay and CapacityBuffer, except those of keys and
// requirements.
#include "model/tables/rules.h"
#include "model/tables/rules_json.h"

static bool is_empty(const struct rule *rule, const char *text);
static bool changes_text(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool has_one_of_pair(const struct rule *rule, const json_t *item);
static bool changes_mode(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool limits_more_than_nodes(const struct rule *rule, const json_t *value,
                                   const json_t *old_value);
static bool has_both(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool changes(const struct rule *rule, const json_t *value, const json_t *old_value);
static bool is_argument(const struct rule *rule, const char *text);
static bool template_without_size(const struct rule *rule, const json_t *value,
                                  const json_t *old_value);

#define NOT_EMPTY(name)                                                                      \
    {                                                                                        \
        {                                                                                    \
            .id = "API-42", .message = name " may not be empty", .expression = "self != ''", \
            .text_violated = is_empty                                                        \
        }                                                                                    \
    }
const struct rule rules_group_not_empty[] = NOT_EMPTY("group");
const struct rule rules_kind_not_empty[] = NOT_EMPTY("kind");
const struct rule rules_name_not_empty[] = NOT_EMPTY("name");

static const char *const group[] = {"group", NULL};
static const char *const kind[] = {"kind", NULL};
const struct rule rules_node_class_ref[] = {
    {.id = "API-43",
     .message = "nodeClassRef.group is immutable",
     .expression = "self.group == oldSelf.group",
     .transition = true,
     .violated = changes_text,
     .arguments = group,
     .hint = "make a new NodePool for another kind of NodeClass"},
    {.id = "API-43",
     .message = "nodeClassRef.kind is immutable",
     .expression = "self.kind == oldSelf.kind",
     .transition = true,
     .violated = changes_text,
     .arguments = kind,
     .hint = "make a new NodePool for another kind of NodeClass"},
};

static const char *const schedule_and_duration[] = {"schedule", "duration", NULL};
const struct rule rules_budgets[] = {
    {.id = "API-46",
     .message = "'schedule' must be set with 'duration'",
     .expression = "self.all(x, has(x.schedule) == has(x.duration))",
     .item_violated = has_one_of_pair,
     .arguments = schedule_and_duration,
     .hint = "a schedule says when the budget begins to hold, the duration for how long"},
};

static const char *const replicas_and_weight[] = {"replicas", "weight", NULL};
const struct rule rules_node_pool_spec[] = {
    {.id = "API-48",
     .message = "Cannot transition NodePool between static (replicas set) and dynamic (replicas "
                "unset) provisioning modes",
     .expression = "has(self.replicas) == has(oldSelf.replicas)",
     .transition = true,
     .violated = changes_mode,
     .hint = "make a new NodePool for the other mode"},
    {.id = "API-48",
     .message = "only 'limits.nodes' is supported on static NodePools",
     .expression = "!has(self.replicas) || !has(self.limits) || size(self.limits) == 0 || "
                   "(size(self.limits) == 1 && 'nodes' in self.limits)",
     .violated = limits_more_than_nodes,
     .hint = "leave only nodes in limits, or take replicas away"},
    {.id = "API-48",
     .message = "'weight' is not supported on static NodePools",
     .expression = "!has(self.replicas) || !has(self.weight)",
     .violated = has_both,
     .arguments = replicas_and_weight,
     .hint = "take weight away: a static NodePool is not chosen by pods"},
};

const struct rule rules_node_claim_spec[] = {
    {.id = "API-59",
     .message = "spec is immutable",
     .expression = "self == oldSelf",
     .transition = true,
     .violated = changes,
     .hint = "delete the NodeClaim; its NodePool makes a new one"},
};

static const char *const basic_resources[] = {"cpu", "memory", "ephemeral-storage", "pods", NULL};
const struct rule rules_overlay_capacity[] = {
    {.id = "API-69",
     .message = "invalid resource restricted",
     .expression = "self.all(name, !(name in @LIST@))",
     .text_violated = is_argument,
     .arguments = basic_resources,
     .hint = "an overlay adds resources that the instance type does not know of, such as "
             "example.com/device"},
};
static const char *const prices[] = {"price", "priceAdjustment", NULL};
const struct rule rules_overlay_spec[] = {
    {.id = "API-69",
     .message = "cannot set both 'price' and 'priceAdjustment'",
     .expression = "!has(self.price) || !has(self.priceAdjustment)",
     .violated = has_both,
     .arguments = prices},
};

static const char *const references[] = {"podTemplateRef", "scalableRef", NULL};
const struct rule rules_capacity_buffer_spec[] = {
    {.id = "API-78",
     .message = "If podTemplateRef is set, replicas or limits must also be set",
     .expression = "!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)",
     .violated = template_without_size},
    {.id = "API-78",
     .message = "You must define either PodTemplateRef or ScalableRef, but not both",
     .expression = "!has(self.podTemplateRef) || !has(self.scalableRef)",
     .violated = has_both,
     .arguments = references},
};

static bool is_empty(const struct rule *rule, const char *text)
{
    (void)rule;
    return text[0] == '\0';
}

// A missing new text is an error of another rule.
static bool changes_text(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    const char *text = json_text(value, rule->arguments[0]);
    const char *old_text = json_text(old_value, rule->arguments[0]);
    return text != NULL && (old_text == NULL || strcmp(text, old_text) != 0);
}

static bool has_one_of_pair(const struct rule *rule, const json_t *item)
{
    return json_has(item, rule->arguments[0]) != json_has(item, rule->arguments[1]);
}

static bool changes_mode(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule;
    return json_has(value, "replicas") != json_has(old_value, "replicas");
}

static bool limits_more_than_nodes(const struct rule *rule, const json_t *value,
                                   const json_t *old_value)
{
    (void)rule, (void)old_value;
    const json_t *limits = json_object_get(value, "limits");
    if (!json_has(value, "replicas") || json_object_size(limits) == 0)
        return false;
    return json_object_size(limits) != 1 || json_object_get(limits, "nodes") == NULL;
}

static bool has_both(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)old_value;
    return json_has(value, rule->arguments[0]) && json_has(value, rule->arguments[1]);
}

static bool changes(const struct rule *rule, const json_t *value, const json_t *old_value)
{
    (void)rule;
    return !json_equal(value, old_value);
}

static bool is_argument(const struct rule *rule, const char *text)
{
    for (size_t i = 0; rule->arguments[i] != NULL; i++)
        if (strcmp(text, rule->arguments[i]) == 0)
            return true;
    return false;
}

static bool template_without_size(const struct rule *rule, const json_t *value,
                                  const json_t *old_value)
{
    (void)rule, (void)old_value;
    return json_has(value, "podTemplateRef") && !json_has(value, "replicas") &&
           !json_has(value, "limits");
}
