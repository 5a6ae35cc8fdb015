// Query strings of Kubernetes requests: key=value pairs, escaped as RFC 3986 asks.
#pragma once

#include "base/text.h"

// Adds "key=value", after '&' unless the text is empty. A NULL or empty value adds nothing.
void query_add(struct text *query, const char *key, const char *value);
// Adds `segment` with everything but RFC 3986's unreserved characters as %XX.
void query_escape(struct text *out, const char *segment);
