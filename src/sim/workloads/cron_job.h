// CronJobs: a Job at each time of the schedule, in UTC; finished ones beyond the history limits go.
// Source: the Kubernetes API, batch/v1 CronJob.
#pragma once

// A work_function of the queue `cron_jobs`.
void cron_job_sync(void *context, const char *key);
