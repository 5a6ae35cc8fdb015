// The rules that keep nodes (plan_verdict.rule), in words.
#pragma once

#include <stddef.h>

// A few words about what the rule "DIS-85" or "DIS-32 #4" holds against; the rule itself if it has
// none here.
const char *verdict_rule_words(const char *rule);
