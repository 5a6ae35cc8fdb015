// HTTP(S) transport over libcurl's multi interface, driven by the loop.
#pragma once

#include "kube/transport/http_options.h"
#include "kube/transport/kube_config.h"
#include "kube/transport/transport.h"

// `config` is copied. Token files are read again every minute and after a 401. Credential plugins
// run again when their credential has expired or was refused; a refused request is then sent once
// more. A plain text answer (/readyz, /healthz) becomes a JSON string.
// At most 96 calls are under way at a time, in the order of their start; patches of Nodes go first,
// and of the others there are at most 64. Watches and leases do not wait. The process ignores
// SIGPIPE from here on.
struct kube_transport *http_transport_create(struct loop *loop, const struct kube_config *config,
                                             const struct http_transport_options *options,
                                             struct error *error);
