#include "web/web_request.h"

#include <assert.h>
#include <event2/http.h>
#include <string.h>
#include <sys/queue.h>

#include "base/text.h"
#include "web/http_head.h"

// libevent does not accept parameters without a value ("?verbose") or empty ones ("a=1&&b=2").
static void normalize_query(struct text *out, const char *query)
{
    for (const char *at = query; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "&");
        if (length > 0 && at[0] != '=') {
            if (out->length > 0)
                text_add_char(out, '&');
            text_add_bytes(out, at, length);
            if (memchr(at, '=', length) == NULL)
                text_add_char(out, '=');
        }
        at += length + (at[length] == '&' ? 1 : 0);
    }
}

bool web_request_read_query(struct web_request *request, const char *query)
{
    struct text encoded = {0};
    normalize_query(&encoded, query);
    int code = evhttp_parse_query_str(encoded.data != NULL ? encoded.data : "", &request->query);
    text_free(&encoded);
    return code == 0;
}

void web_request_clear(struct web_request *request)
{
    evhttp_clear_headers(&request->query);
}

const char *web_request_path(const struct web_request *request)
{
    return request->path;
}

const char *web_request_query(const struct web_request *request, const char *name, unsigned index)
{
    assert(name != NULL);
    const struct evkeyval *pair;
    TAILQ_FOREACH(pair, &request->query, next)
    if (strcmp(pair->key, name) == 0 && index-- == 0)
        return pair->value;
    return NULL;
}

const char *web_request_header(const struct web_request *request, const char *name)
{
    return http_head_find(request->head, name);
}
