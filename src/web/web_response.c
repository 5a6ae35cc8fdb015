#include "web/web_response.h"

#include <assert.h>
#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/util.h>
#include <time.h>

#include "base/nanoseconds.h"
#include "web/http_head.h"

const char *web_status_phrase(int status)
{
    static const struct {
        int status;
        const char *phrase;
    } phrases[] = {{200, "OK"},
                   {400, "Bad Request"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {413, "Content Too Large"},
                   {431, "Request Header Fields Too Large"},
                   {500, "Internal Server Error"},
                   {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < ARRAY_LENGTH(phrases); i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return "Unknown";
}

static void add_date(int64_t now_ns, struct evbuffer *out)
{
    time_t now = (time_t)(now_ns / SECOND);
    struct tm parts;
    char date[64];
    if (gmtime_r(&now, &parts) != NULL && evutil_date_rfc1123(date, sizeof date, &parts) > 0)
        evbuffer_add_printf(out, "Date: %s\r\n", date);
}

void web_response_write(const struct web_response *response, const struct http_head *head,
                        int64_t now_ns, struct evbuffer *out)
{
    assert(response->status >= 200);
    assert(response->content_type != NULL);
    evbuffer_add_printf(out, "HTTP/1.1 %d %s\r\n", response->status,
                        web_status_phrase(response->status));
    evbuffer_add_printf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n", response->content_type,
                        response->body.length);
    evbuffer_add_printf(out, "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n");
    if (response->status == HTTP_BADMETHOD)
        evbuffer_add_printf(out, "Allow: GET, HEAD\r\n");
    if (head->is_last)
        evbuffer_add_printf(out, "Connection: close\r\n");
    add_date(now_ns, out);
    evbuffer_add(out, "\r\n", 2);
    if (!text_equal(head->method, "HEAD"))
        evbuffer_add(out, response->body.data, response->body.length);
}
