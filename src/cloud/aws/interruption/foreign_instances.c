#include "cloud/aws/interruption/foreign_instances.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "model/schema/karpenter.h"

#define ASK_DELAY_NS    (100 * MILLISECOND)
#define ASK_IDS_MAX     200   // values of a filter of EC2
#define FOREIGN_MAX     20000 // remembered; the oldest are forgotten
#define INSTANCE_ID_MAX 32

struct waiter {
    foreign_done done;
    void *context;
};
struct foreign_instances {
    struct manager *manager;
    struct aws_client *client;
    struct map *foreign;             // ids
    struct map *wanted, *asked;      // ids
    VECTOR(struct waiter) waiting;   // for `wanted`
    VECTOR(struct waiter) answering; // for `asked`
    struct timer *timer;
    struct aws_call *call; // or NULL
};

static void ask(void *context);

struct foreign_instances *foreign_instances_create(struct manager *manager,
                                                   struct aws_client *client)
{
    struct foreign_instances *foreign = memory_allocate(sizeof *foreign);
    foreign->manager = manager;
    foreign->client = client;
    foreign->foreign = map_create();
    foreign->wanted = map_create();
    foreign->asked = map_create();
    foreign->timer = timer_create_on(manager->loop, ask, foreign);
    return foreign;
}

void foreign_instances_destroy(struct foreign_instances *foreign)
{
    if (foreign == NULL)
        return;
    if (foreign->call != NULL)
        aws_call_cancel(foreign->call);
    timer_destroy(foreign->timer);
    map_destroy(foreign->foreign, NULL);
    map_destroy(foreign->wanted, NULL);
    map_destroy(foreign->asked, NULL);
    vector_free(&foreign->waiting);
    vector_free(&foreign->answering);
    free(foreign);
}

// "i-" and hexadecimal digits.
static bool is_instance_id(const char *id)
{
    size_t length = strlen(id);
    return length > 2 && length < INSTANCE_ID_MAX && text_starts_with(id, "i-") &&
           strspn(id + 2, "0123456789abcdef") == length - 2;
}

bool foreign_instances_has(const struct foreign_instances *foreign, const char *instance_id)
{
    return !is_instance_id(instance_id) || map_get(foreign->foreign, instance_id) != NULL;
}

void foreign_instances_ask(struct foreign_instances *foreign, const char *const *ids,
                           uint32_t count, foreign_done done, void *context)
{
    assert(done != NULL);
    for (uint32_t i = 0; i < count; i++)
        if (!foreign_instances_has(foreign, ids[i]))
            map_set(foreign->wanted, ids[i], foreign);
    vector_push(&foreign->waiting, (struct waiter){done, context});
    if (!timer_is_running(foreign->timer) && foreign->call == NULL)
        timer_start(foreign->timer, ASK_DELAY_NS);
}

static void remember(struct foreign_instances *foreign, const char *id)
{
    map_set(foreign->foreign, id, foreign);
    while (map_count(foreign->foreign) > FOREIGN_MAX)
        map_remove(foreign->foreign, map_key(map_first(foreign->foreign)));
}

// The answer has those of the cluster: the others asked for are foreign.
static void note_ours(struct foreign_instances *foreign, const json_t *reply)
{
    const json_t *reservation, *instance;
    size_t i, j;
    json_array_foreach (json_object_get(reply, "Reservations"), i, reservation)
        json_array_foreach (json_object_get(reservation, "Instances"), j, instance) {
            const char *id = json_string_value(json_object_get(instance, "InstanceId"));
            if (id != NULL)
                map_remove(foreign->asked, id);
        }
    for (struct map_entry *at = map_first(foreign->asked); at != NULL; at = map_next(at))
        remember(foreign, map_key(at));
}

static void answer(struct foreign_instances *foreign)
{
    __typeof__(foreign->answering) waiters = foreign->answering;
    memset(&foreign->answering, 0, sizeof foreign->answering);
    vector_for_each (waiter, &waiters)
        waiter->done(waiter->context);
    vector_free(&waiters);
    if (foreign->waiting.count > 0 && !timer_is_running(foreign->timer))
        timer_start(foreign->timer, ASK_DELAY_NS);
}

static void asked(void *context, const struct aws_result *result)
{
    struct foreign_instances *foreign = context;
    foreign->call = NULL;
    if (result->error.kind == ERROR_NONE)
        note_ours(foreign, result->reply);
    else
        log_debug("instances of messages are not known", "s:controller", "interruption", "s:error",
                  result->error.message);
    map_destroy(foreign->asked, NULL);
    foreign->asked = map_create();
    answer(foreign);
}

static json_t *filter(const char *name, json_t *values)
{
    return json_pack("{s:s, s:o}", "Name", name, "Values", values);
}

static void ask(void *context)
{
    struct foreign_instances *foreign = context;
    assert(foreign->call == NULL);
    json_t *ids = json_array();
    for (struct map_entry *at = map_first(foreign->wanted), *next;
         at != NULL && json_array_size(ids) < ASK_IDS_MAX; at = next) {
        next = map_next(at);
        json_array_append_new(ids, json_string(map_key(at)));
        map_set(foreign->asked, map_key(at), foreign);
        map_remove(foreign->wanted, map_key(at));
    }
    vector_for_each (waiter, &foreign->waiting)
        vector_push(&foreign->answering, *waiter);
    vector_free(&foreign->waiting);
    if (json_array_size(ids) == 0) { // all foreign by an answer that came meanwhile
        json_decref(ids);
        answer(foreign);
        return;
    }
    json_t *filters = json_array();
    json_array_append_new(filters, filter("instance-id", ids));
    json_array_append_new(filters, filter("tag-key", json_pack("[s]", LABEL_NODE_POOL)));
    json_array_append_new(filters,
                          filter("tag:eks:eks-cluster-name",
                                 json_pack("[s]", foreign->manager->settings->cluster_name)));
    struct aws_request request = {.action = EC2_DESCRIBE_INSTANCES,
                                  .parameters = json_pack("{s:o}", "Filters", filters),
                                  .all_pages = true,
                                  .done = asked,
                                  .context = foreign};
    foreign->call = aws_client_start(foreign->client, &request);
}
