#include "cloud/aws/cluster_fact_forms.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "base/text.h"

bool fact_is_url(const char *text)
{
    const char *rest = strstr(text, "://");
    if (rest == NULL || rest == text || rest[3] == '\0' || strchr("/?#:", rest[3]) != NULL)
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            return false;
    return true;
}

bool fact_is_cidr(const char *text)
{
    char address[64];
    unsigned char bytes[16];
    int64_t length;
    const char *slash = strchr(text, '/');
    if (slash == NULL || (size_t)(slash - text) >= sizeof address ||
        !text_parse_int64(slash + 1, &length) || length < 0)
        return false;
    memcpy(address, text, (size_t)(slash - text));
    address[slash - text] = '\0';
    return (inet_pton(AF_INET, address, bytes) == 1 && length <= 32) ||
           (inet_pton(AF_INET6, address, bytes) == 1 && length <= 128);
}

bool fact_is_plain_url(const char *text)
{
    return text != NULL && fact_is_url(text) && strpbrk(text, "'\"`$\\<>|;{}") == NULL;
}

bool fact_is_address(const char *text)
{
    unsigned char bytes[16];
    return text != NULL &&
           (inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1);
}
