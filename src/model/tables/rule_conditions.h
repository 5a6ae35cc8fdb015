// Conditions of rules over the fields that a rule names as its arguments. Each answers whether the
// value offends.
#pragma once

#include "model/tables/rules.h"

// Of an object: none of the fields is there; both; none of two, or both.
bool rule_lacks_all(const struct rule *rule, const json_t *value, const json_t *old_value);
bool rule_both(const struct rule *rule, const json_t *value, const json_t *old_value);
bool rule_none_or_both(const struct rule *rule, const json_t *value, const json_t *old_value);
// Of an object of texts: a key or a value is empty.
bool rule_empty_pair(const struct rule *rule, const json_t *value, const json_t *old_value);
// Of an item of a list: none of the fields is there; the first, which excludes the others, is
// there with another.
bool rule_item_lacks_all(const struct rule *rule, const json_t *item);
bool rule_item_mixes(const struct rule *rule, const json_t *item);
// Of a list: there is no item; every one mixes (API-606).
bool rule_empty_list(const struct rule *rule, const json_t *value, const json_t *old_value);
bool rule_every_item_mixes(const struct rule *rule, const json_t *value, const json_t *old_value);
// Of a text: it is the argument, or begins with it but for its last character.
bool rule_is_argument(const struct rule *rule, const char *text);
bool rule_begins_with_argument(const struct rule *rule, const char *text);
