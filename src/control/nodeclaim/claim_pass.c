#include "control/nodeclaim/claim_pass.h"

#include <stdlib.h>

void claim_record_destroy(void *value)
{
    struct claim_record *record = value;
    arena_destroy(record->machine_arena);
    free(record->launch_reason);
    free(record->uid);
    free(record);
}

void claim_record_forget(struct lifecycle_shared *shared, const char *name)
{
    struct claim_record *record = map_remove(shared->records, name);
    if (record != NULL)
        claim_record_destroy(record);
}

struct claim_record *claim_record_for(struct lifecycle_shared *shared,
                                      const struct node_claim *claim)
{
    struct claim_record *record = map_get(shared->records, claim->meta.name);
    if (record != NULL && text_equal(record->uid, claim->meta.uid))
        return record;
    claim_record_forget(shared, claim->meta.name);
    record = memory_allocate(sizeof *record);
    record->uid = memory_copy_string(claim->meta.uid);
    map_set(shared->records, claim->meta.name, record);
    return record;
}

void pass_requeue(struct claim_pass *pass, int64_t after_ns)
{
    if (after_ns < pass->requeue_ns)
        pass->requeue_ns = after_ns;
}
