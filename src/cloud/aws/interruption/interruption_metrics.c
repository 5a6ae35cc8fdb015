#include "cloud/aws/interruption/interruption_metrics.h"

#include "cloud/aws/interruption/interruption_kinds.h"
#include "cloud/aws/interruption/interruption_message.h"

// From 0 on, so that the first message counts in increase().
static void begin(const struct interruption_metrics *metrics)
{
    for (int kind = 0; kind < INTERRUPTION_KIND_COUNT; kind++)
        metric_add(metrics->received, 0, interruption_row((enum interruption_kind)kind)->name);
    for (int fault = INTERRUPTION_PARSED + 1; fault < INTERRUPTION_FAULT_COUNT; fault++)
        metric_add(metrics->unparsable, 0, interruption_fault_name((enum interruption_fault)fault));
    metric_add(metrics->deleted, 0);
}

void interruption_metrics_register(struct interruption_metrics *out, struct metrics *metrics)
{
    out->received = metrics_register(
        metrics, &(struct metric_options){.name = "karpenter_interruption_received_messages_total",
                                          .help = "Messages of the interruption queue, by kind.",
                                          .type = METRIC_COUNTER,
                                          .labels = {"message_type"}});
    out->deleted = metrics_register(
        metrics, &(struct metric_options){.name = "karpenter_interruption_deleted_messages_total",
                                          .help = "Messages deleted from the interruption queue.",
                                          .type = METRIC_COUNTER});
    out->duration = metrics_register(
        metrics, &(struct metric_options){
                     .name = "karpenter_interruption_message_queue_duration_seconds",
                     .help = "Time from the event of a message until the message was handled.",
                     .type = METRIC_HISTOGRAM,
                     .buckets = metric_duration_buckets,
                     .buckets_count = metric_duration_buckets_count});
    out->unhealthy = metrics_register(
        metrics,
        &(struct metric_options){.name = "karpenter_interruption_instance_status_unhealthy_total",
                                 .help = "Instances with a failing status check or an event.",
                                 .type = METRIC_COUNTER,
                                 .labels = {"category"}});
    out->unparsable = metrics_register(
        metrics, &(struct metric_options){
                     .name = "adze_interruption_unparsable_messages_total",
                     .help = "Messages of the interruption queue that could not be read.",
                     .type = METRIC_COUNTER,
                     .labels = {"reason"}});
    begin(out);
}
