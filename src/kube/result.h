// Answers of an API server, as the client's callbacks receive them.
#pragma once

#include "base/error.h"
#include "model/schema/object.h"

struct kube_result {
    struct error error; // ERROR_NONE on success
    int status;         // HTTP status, 0 if no answer
    int64_t retry_after_ns;
    struct object *object; // the object answered, if it decodes; borrowed (acquire to keep)
    const json_t *body;    // the answer itself; borrowed
};
typedef void (*kube_callback)(void *context, const struct kube_result *result);

// A page of a list (kube_list_pages()): metadata and items, borrowed. `first`: the list begins, or
// restarts because its pages have expired on the server; earlier pages are void.
typedef void (*kube_page_callback)(void *context, const json_t *page, bool first);
