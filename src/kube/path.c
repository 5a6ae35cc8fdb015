#include "kube/path.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/tables/kinds.h"

static bool is_unreserved(char c);

void kube_path(enum kind_id kind, const char *namespace, const char *name, const char *subresource,
               char *out, size_t size)
{
    const struct kind *facts = kind_get(kind);
    assert(facts != NULL);
    assert(size > 0);
    struct text path = {0};
    if (facts->group[0] == '\0')
        text_format(&path, "/api/%s", facts->version);
    else
        text_format(&path, "/apis/%s/%s", facts->group, facts->version);
    if (facts->namespaced && namespace != NULL && namespace[0] != '\0') {
        text_add(&path, "/namespaces/");
        query_escape(&path, namespace);
    }
    text_format(&path, "/%s", facts->plural);
    if (name != NULL && name[0] != '\0') {
        text_add_char(&path, '/');
        query_escape(&path, name);
    }
    if (subresource != NULL)
        text_format(&path, "/%s", subresource);
    snprintf(out, size, "%s", path.data);
    text_free(&path);
}

void query_add(struct text *query, const char *key, const char *value)
{
    assert(key[0] != '\0');
    if (value == NULL || value[0] == '\0')
        return;
    if (query->length != 0)
        text_add_char(query, '&');
    text_add(query, key);
    text_add_char(query, '=');
    query_escape(query, value);
}

void query_escape(struct text *out, const char *segment)
{
    assert(segment != NULL);
    for (const char *at = segment; *at != '\0'; at++) {
        if (is_unreserved(*at))
            text_add_char(out, *at);
        else
            text_format(out, "%%%02X", (unsigned char)*at);
    }
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}
