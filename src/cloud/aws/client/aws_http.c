#include "cloud/aws/client/aws_http.h"

#include <strings.h>

const char *aws_http_header_of(const struct aws_http_response *response, const char *name)
{
    for (uint32_t i = 0; i < response->headers_count; i++) {
        if (strcasecmp(response->headers[i].name, name) == 0)
            return response->headers[i].value;
    }
    return NULL;
}
