#pragma once

#include "base/text.h"
#include "model/schema/object.h"

#define KUBE_PATH_MAX 1024

// Resource path of a kind; for messages and transports. `out` gets "/apis/GROUP/VERSION/...".
void kube_path(enum kind_id kind, const char *namespace, const char *name, const char *subresource,
               char *out, size_t size);
// Adds "key=value", after '&' unless the text is empty. A NULL or empty value adds nothing.
void query_add(struct text *query, const char *key, const char *value);
// Adds `segment` with everything but RFC 3986's unreserved characters as %XX.
void query_escape(struct text *out, const char *segment);
