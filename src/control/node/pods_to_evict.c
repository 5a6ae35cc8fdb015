#include "control/node/pods_to_evict.h"

#include <stdlib.h>

#include "control/command/commands.h"
#include "control/node/eviction_queue.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"

static bool is_leaving(const struct eviction_queue *evictions, const struct pod *pod, int64_t now)
{
    return pod_is_evictable(pod, now) && !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod) &&
           !eviction_queue_is_put_off(evictions, pod);
}

uint32_t pods_to_evict_on(const struct control *control, const struct eviction_queue *evictions,
                          const struct command_node *entry)
{
    uint32_t count = 0;
    int64_t now = manager_now(&control->manager);
    const struct pod_list *pods = cluster_pods(control->cluster, entry->node);
    for (uint32_t i = 0; i < pods->count; i++)
        count += is_leaving(evictions, pods->items[i], now);
    return count;
}

static void count_node(const struct control *control, const struct eviction_queue *evictions,
                       const struct command_node *entry, struct map *counts)
{
    int64_t now = manager_now(&control->manager);
    const struct pod_list *pods = cluster_pods(control->cluster, entry->node);
    for (uint32_t i = 0; i < pods->count; i++) {
        const char *workload = pod_controller_uid(pods->items[i]);
        if (workload == NULL || !is_leaving(evictions, pods->items[i], now))
            continue;
        uint32_t *count = map_ensure(counts, workload, sizeof *count);
        (*count)++;
    }
}

void pods_to_evict_count(struct control *control, const struct commands *commands,
                         const struct eviction_queue *evictions)
{
    struct map *counts = map_create();
    struct map_entry *position = NULL;
    for (const struct disruption_command *command;
         (command = commands_next(commands, &position)) != NULL;)
        if (command->was_deleted_once)
            list_for_each (entry, &command->nodes)
                count_node(control, evictions, entry, counts);
    cluster_set_leaving(control->cluster, counts);
    map_destroy(counts, free);
}
