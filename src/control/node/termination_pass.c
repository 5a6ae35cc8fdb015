#include "control/node/termination_pass.h"

#include <stdlib.h>

void node_record_destroy(void *value)
{
    struct node_record *record = value;
    free(record->uid);
    free(record);
}

void node_record_forget(struct termination_shared *shared, const char *name)
{
    struct node_record *record = map_remove(shared->records, name);
    if (record != NULL)
        node_record_destroy(record);
}

struct node_record *node_record_for(struct termination_shared *shared, const struct node *node)
{
    struct node_record *record = map_get(shared->records, node->meta.name);
    if (record != NULL && text_equal(record->uid, node->meta.uid))
        return record;
    node_record_forget(shared, node->meta.name);
    record = memory_allocate(sizeof *record);
    record->uid = memory_copy_string(node->meta.uid);
    map_set(shared->records, node->meta.name, record);
    return record;
}

struct operation_about termination_about(const struct termination_pass *pass, const char *doing)
{
    return (struct operation_about){.manager = &pass->control->manager,
                                    .item = pass->item,
                                    .doing = doing,
                                    .context = pass->shared};
}

void termination_set_condition(struct termination_pass *pass, enum condition_type type,
                               const char *status, enum condition_reason reason)
{
    if (pass->claim != NULL)
        conditions_set(&pass->conditions, type, status, reason, condition_reason_name(reason));
}

void termination_set_condition_true(struct termination_pass *pass, enum condition_type type)
{
    if (pass->claim != NULL)
        conditions_set_true(&pass->conditions, type);
}
