// The real transport to AWS: libcurl on the loop, with kept connections.
//
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY are libcurl's own; AWS_CA_BUNDLE names a file of
// certificates to trust instead of the system's. Redirects are not followed.
#pragma once

#include "base/loop.h"
#include "cloud/aws/client/aws_http.h"

// Real loops only. `ca_bundle` NULL: the system's; copied. Destroy through its operations.
struct aws_http *aws_http_curl_create(struct loop *loop, const char *ca_bundle,
                                      struct error *error);
