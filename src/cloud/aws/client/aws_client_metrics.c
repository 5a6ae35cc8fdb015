#include "cloud/aws/client/aws_client_metrics.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

static const double retry_buckets[] = {0, 1, 2, 3, 4, 5};

static struct metric *add(struct metrics *metrics, const char *name, const char *help,
                          enum metric_type type, const double *buckets, uint32_t count)
{
    return metrics_register(metrics,
                            &(struct metric_options){.name = name,
                                                     .help = help,
                                                     .type = type,
                                                     .labels = {"service", "action", "status_code"},
                                                     .buckets = buckets,
                                                     .buckets_count = count});
}

void aws_client_metrics_register(struct aws_client_metrics *own, struct metrics *metrics)
{
    const double *durations = metric_duration_buckets;
    uint32_t count = metric_duration_buckets_count;
    own->requests =
        add(metrics, "aws_sdk_go_request_total", "Calls to AWS.", METRIC_COUNTER, NULL, 0);
    own->retries = add(metrics, "aws_sdk_go_request_retry_count", "Retries of a call to AWS.",
                       METRIC_HISTOGRAM, retry_buckets, ARRAY_LENGTH(retry_buckets));
    own->seconds =
        add(metrics, "aws_sdk_go_request_duration_seconds",
            "Time of a call to AWS, retries included.", METRIC_HISTOGRAM, durations, count);
    own->attempts = add(metrics, "aws_sdk_go_request_attempt_total", "Attempts of calls to AWS.",
                        METRIC_COUNTER, NULL, 0);
    own->attempt_seconds =
        add(metrics, "aws_sdk_go_request_attempt_duration_seconds",
            "Time of an attempt of a call to AWS.", METRIC_HISTOGRAM, durations, count);
}

void aws_client_metrics_attempt(const struct aws_client_metrics *own,
                                const struct aws_action_info *action, int status,
                                int64_t duration_ns)
{
    if (own->attempts == NULL)
        return;
    const char *service = aws_service_info(action->service)->sdk_id;
    char code[16];
    snprintf(code, sizeof code, "%d", status);
    metric_add(own->attempts, 1, service, action->name, code);
    metric_observe(own->attempt_seconds, ns_to_seconds(duration_ns), service, action->name, code);
}

void aws_client_metrics_call(const struct aws_client_metrics *own,
                             const struct aws_action_info *action, int status, uint32_t retries,
                             int64_t duration_ns)
{
    if (own->requests == NULL)
        return;
    const char *service = aws_service_info(action->service)->sdk_id;
    char code[16];
    snprintf(code, sizeof code, "%d", status);
    metric_add(own->requests, 1, service, action->name, code);
    metric_observe(own->retries, retries, service, action->name, code);
    metric_observe(own->seconds, ns_to_seconds(duration_ns), service, action->name, code);
}
