// HTTP(S) transport over libcurl's multi interface, driven by the loop.
#pragma once

#include "kube/transport/http_options.h"
#include "kube/transport/kube_config.h"
#include "kube/transport/transport.h"

// `config` is copied. Token files are read again every minute and after a 401, credential plugins
// run again when what they gave has expired or been refused; a refused request is then sent once
// more. An answer that is plain text (/readyz, /healthz) becomes a JSON string.
// At most 64 calls are under way at a time, in the order of their start; watches and leases do not
// wait. The process ignores SIGPIPE from here on.
struct kube_transport *http_transport_create(struct loop *loop, const struct kube_config *config,
                                             const struct http_transport_options *options,
                                             struct error *error);
