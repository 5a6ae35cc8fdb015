// Calls to the cloud that a reconcile has started, counted and timed (LIF-352): operations like
// those on objects (reconcile/operations.h). `about->record` is not used.
#pragma once

#include "control/runtime/control.h"
#include "reconcile/operations.h"

typedef enum operation_outcome (*operation_record_machine)(void *context, const char *key,
                                                           const struct machine_result *result);
typedef enum operation_outcome (*operation_record_machines)(
    void *context, const char *key, const struct machine_list_result *result);

// Each returns reconcile_running() for a tail call. Only the leader creates and deletes machines;
// the call of another replica fails as unavailable.
struct reconcile_result start_machine_create(struct control *control,
                                             const struct operation_about *about,
                                             const struct node_claim *claim,
                                             operation_record_machine record);
struct reconcile_result start_machine_delete(struct control *control,
                                             const struct operation_about *about,
                                             const char *provider_id,
                                             operation_record_machine record);
struct reconcile_result start_machine_get(struct control *control,
                                          const struct operation_about *about,
                                          const char *provider_id, operation_record_machine record);
struct reconcile_result start_machine_list(struct control *control,
                                           const struct operation_about *about,
                                           operation_record_machines record);
