#include "cloud/aws/controllers/described_instance.h"

#include <assert.h>

#include "base/text.h"

struct reconcile_result start_describe_instance(const struct operation_about *about,
                                                struct aws_client *client, const char *instance_id,
                                                aws_record record, void *context)
{
    assert(instance_id != NULL);
    struct aws_request request = {
        .action = EC2_DESCRIBE_INSTANCES,
        .parameters = json_pack("{s:[s], s:[{s:s, s:[s,s,s,s,s]}]}", "InstanceIds", instance_id,
                                "Filters", "Name", "instance-state-name", "Values", "pending",
                                "running", "stopping", "stopped", "shutting-down")};
    return start_aws_call(about, client, &request, record, context);
}

const json_t *described_instance(const json_t *reply)
{
    const json_t *reservation = json_array_get(json_object_get(reply, "Reservations"), 0);
    const json_t *instance = json_array_get(json_object_get(reservation, "Instances"), 0);
    return json_is_object(instance) ? instance : NULL;
}

const char *described_tag(const json_t *instance, const char *key)
{
    const json_t *tag;
    size_t index;
    json_array_foreach (json_object_get(instance, "Tags"), index, tag)
        if (text_equal(json_string_value(json_object_get(tag, "Key")), key))
            return text_or_empty(json_string_value(json_object_get(tag, "Value")));
    return NULL;
}
