#include "cloud/aws/interruption/interruption.h"

#include <stdlib.h>

#include "cloud/aws/interruption/node_announcements.h"
#include "cloud/aws/interruption/queue_receiver.h"
#include "cloud/aws/interruption/spot_poll.h"
#include "cloud/aws/interruption/status_poll.h"

struct interruption {
    struct interruption_environment environment;
    struct interruption_metrics metrics;
    struct interruption_handler handler;
    struct instance_index *index;
    struct planned_ends *ends;
    struct queue_messages *messages; // NULL: there is no queue
    struct queue_receiver *receiver;
    struct status_poll *status_poll;
    struct node_announcements *announcements;
    struct spot_poll *spot_poll; // NULL: there is a queue
};

static void open_queues(struct interruption *interruption)
{
    const struct settings *settings = interruption->handler.manager->settings;
    struct queue_address addresses[QUEUES_MAX];
    unsigned count;
    struct error error = {0};
    if (!queue_addresses_parse(settings->interruption_queue, settings->compatibility_upstream,
                               addresses, &count, &error)) {
        log_error("failed to create valid sqs provider", "s:controller", "interruption", "s:error",
                  error.message);
        count = 0;
    }
    if (count > 0) {
        interruption->messages = queue_messages_create(&interruption->handler, addresses, count);
        interruption->receiver =
            queue_receiver_create(&interruption->handler, interruption->messages, addresses, count);
    } else if (!settings->compatibility_upstream) {
        interruption->spot_poll = spot_poll_create(&interruption->handler); // AWI-959
    }
}

struct interruption *interruption_create(struct manager *manager,
                                         const struct interruption_environment *environment)
{
    struct interruption *interruption = memory_allocate(sizeof *interruption);
    interruption->environment = *environment;
    interruption_metrics_register(&interruption->metrics, manager->registry);
    interruption->index = instance_index_create(manager);
    interruption->ends =
        planned_ends_create(manager, interruption->index, interruption->environment.cloud);
    interruption->handler = (struct interruption_handler){.manager = manager,
                                                          .environment = &interruption->environment,
                                                          .index = interruption->index,
                                                          .ends = interruption->ends,
                                                          .metrics = &interruption->metrics};
    open_queues(interruption);
    interruption->status_poll = status_poll_create(&interruption->handler);
    interruption->announcements = node_announcements_create(&interruption->handler);
    return interruption;
}

void interruption_destroy(struct interruption *interruption)
{
    if (interruption == NULL)
        return;
    node_announcements_destroy(interruption->announcements);
    status_poll_destroy(interruption->status_poll);
    spot_poll_destroy(interruption->spot_poll);
    queue_receiver_destroy(interruption->receiver);
    queue_messages_destroy(interruption->messages);
    planned_ends_destroy(interruption->ends);
    instance_index_destroy(interruption->index);
    free(interruption);
}

const char *interruption_drift_reason(const struct interruption *interruption,
                                      const struct node_claim *claim)
{
    return planned_ends_reason(interruption->ends, claim);
}
