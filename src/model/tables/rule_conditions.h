// Conditions of rules over the fields in a rule's arguments. Each returns whether the value
// violates the rule.
#pragma once

#include "model/tables/rules.h"

// For an object: none of the fields is present; both are; none or both of two are.
bool rule_lacks_all(const struct rule *rule, const json_t *value, const json_t *old_value);
bool rule_both(const struct rule *rule, const json_t *value, const json_t *old_value);
bool rule_none_or_both(const struct rule *rule, const json_t *value, const json_t *old_value);
// For an object of texts: a key or a value is empty.
bool rule_empty_pair(const struct rule *rule, const json_t *value, const json_t *old_value);
// For an item of a list: none of the fields is present; the first, which excludes the others, is
// present with another.
bool rule_item_lacks_all(const struct rule *rule, const json_t *item);
bool rule_item_mixes(const struct rule *rule, const json_t *item);
// For a list: it is empty; every item mixes (API-606).
bool rule_empty_list(const struct rule *rule, const json_t *value, const json_t *old_value);
bool rule_every_item_mixes(const struct rule *rule, const json_t *value, const json_t *old_value);
// For a text: it is the argument, or begins with it without its last character.
bool rule_is_argument(const struct rule *rule, const char *text);
bool rule_begins_with_argument(const struct rule *rule, const char *text);
