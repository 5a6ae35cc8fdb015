#include "base/url.h"

#include <assert.h>
#include <string.h>

static bool is_scheme(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= 'A' && text[i] <= 'Z') &&
            !(text[i] >= '0' && text[i] <= '9') && strchr("+-.", text[i]) == NULL)
            return false;
    return true;
}

void url_show(struct text *out, const char *url)
{
    assert(out != NULL);
    assert(url != NULL);
    const char *scheme_end = strstr(url, "://");
    if (scheme_end != NULL && !is_scheme(url, (size_t)(scheme_end - url)))
        scheme_end = NULL;
    const char *host = scheme_end != NULL ? scheme_end + 3 : url;
    // A password may contain the end of an authority; the last "@" counts.
    const char *at = strrchr(host, '@');
    if (at != NULL)
        host = at + 1;
    size_t length = strcspn(host, "/?#");
    if (scheme_end != NULL)
        text_add_bytes(out, url, (size_t)(scheme_end + 3 - url));
    text_add_bytes(out, host, length);
    const char *rest = host + length + strspn(host + length, "/");
    if (*rest != '\0')
        text_add(out, "/...");
}
