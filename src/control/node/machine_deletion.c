#include "control/node/machine_deletion.h"

#include <assert.h>

#include "base/nanoseconds.h"

#define DELETE_AGAIN_NS   (5 * SECOND)
#define FINALIZE_AGAIN_NS MINUTE // a watch may lag behind by that much in a wave of nodes

bool machine_deletion_is_due(struct machine_deletion *deletion, int64_t now_ns)
{
    if (deletion->is_gone || (deletion->is_accepted && now_ns < deletion->next_call_ns))
        return false;
    deletion->next_call_ns = ns_add(now_ns, DELETE_AGAIN_NS);
    return true;
}

enum operation_outcome machine_deletion_note(struct machine_deletion *deletion,
                                             const struct machine_result *result)
{
    assert(deletion != NULL && result != NULL);
    if (result->error.kind == ERROR_NOT_FOUND)
        deletion->is_gone = true;
    else if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    deletion->is_accepted = true;
    return OPERATION_NOTED;
}

struct reconcile_result finalizer_remove(const struct operation_about *removal,
                                         const struct object *object)
{
    assert(removal->record != NULL && object_has_finalizer(object, FINALIZER_TERMINATION));
    json_t *body = json_locked(object);
    json_object_set_new(json_object_get(body, "metadata"), "finalizers",
                        json_finalizers(object, false));
    return start_patch(removal, object, NULL, body);
}

bool finalizer_is_off(const struct kube_result *result)
{
    return result->error.kind == ERROR_NONE || result->error.kind == ERROR_NOT_FOUND;
}

int64_t machine_deletion_watch_ns(const struct machine_deletion *deletion, int64_t now_ns)
{
    return deletion->finalized_ns == 0
               ? 0
               : ns_subtract(ns_add(deletion->finalized_ns, FINALIZE_AGAIN_NS), now_ns);
}
