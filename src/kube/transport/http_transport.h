// HTTP(S) transport over libcurl's multi interface, driven by the loop.
#pragma once

#include "kube/transport/http_options.h"
#include "kube/transport/kube_config.h"
#include "kube/transport/transport.h"

// `config` is copied. Token files are read again every minute and after a 401. Credential plugins
// run again when their credential has expired or was refused; a refused request is then sent once
// more. A plain text answer (/readyz, /healthz) becomes a JSON string.
// So many calls are under way at a time as one connection has room for (http_turns.h). The process
// ignores SIGPIPE from here on.
struct kube_transport *http_transport_create(struct loop *loop, const struct kube_config *config,
                                             const struct http_transport_options *options,
                                             struct error *error);
