// Limits of the HTTP transport, shared by its calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct http_transport_options {
    const char *user_agent;                         // "karpenter/<version>" (LIF-336)
    int64_t connect_timeout_ns, request_timeout_ns; // 0: 10 s, 60 s (not for watches)
    size_t line_bytes_max, response_bytes_max; // of a watch event, of an answer; 0: 16 MiB, 512 MiB
};
