#include "cloud/aws/doctor/doctor.h"

#include <assert.h>
#include <stdlib.h>

#include "cloud/aws/doctor/doctor_account.h"
#include "cloud/aws/doctor/doctor_cluster.h"
#include "cloud/aws/doctor/doctor_permissions.h"
#include "cloud/aws/doctor/doctor_queue.h"
#include "cloud/aws/doctor/doctor_quotas.h"
#include "cloud/aws/doctor/doctor_report.h"

// One check, or several of a kind in a row.
static const struct check {
    const char *name;
    bool (*start)(struct doctor *doctor);
    bool needs_identity; // skipped if the credentials are not accepted
} checks[] = {
    {"clock", doctor_check_clock, false},
    {"credentials", doctor_check_credentials, false},
    {"subnets", doctor_check_subnets, true},
    {"security groups", doctor_check_security_groups, true},
    {"permission", doctor_check_permissions, true},
    {"interruption queue", doctor_check_queue, true},
    {"EKS cluster", doctor_check_cluster, true},
    {"API server", doctor_check_api_server, false},
    {"CRD", doctor_check_crds, false},
    {"quota", doctor_check_quotas, true},
};

static void run_checks(void *context)
{
    struct doctor *doctor = context;
    while (doctor->index < ARRAY_LENGTH(checks)) {
        const struct check *check = &checks[doctor->index];
        doctor->name = check->name;
        if (check->needs_identity && !doctor->has_identity)
            doctor_report(doctor, DOCTOR_SKIPPED, NULL, "AWS has not accepted the credentials",
                          NULL);
        else if (check->start(doctor))
            return;
        doctor->index++;
        doctor->part = 0;
    }
    doctor->options.done(doctor->options.context);
}

struct doctor *doctor_start(const struct doctor_options *options)
{
    assert(options->line != NULL);
    assert(options->done != NULL);
    struct doctor *doctor = memory_allocate(sizeof *doctor);
    doctor->options = *options;
    doctor->next = timer_create_on(options->loop, run_checks, doctor);
    timer_start(doctor->next, 0);
    return doctor;
}

void doctor_destroy(struct doctor *doctor)
{
    if (doctor == NULL)
        return;
    if (doctor->call != NULL)
        aws_call_cancel(doctor->call);
    if (doctor->http_call != NULL)
        doctor->options.http->operations->cancel(doctor->options.http, doctor->http_call);
    if (doctor->options.kube != NULL)
        kube_cancel(doctor->options.kube, doctor);
    timer_destroy(doctor->next);
    free(doctor->account);
    free(doctor->image);
    free(doctor->subnet);
    free(doctor->group);
    free(doctor->instance);
    free(doctor->queue.url);
    free(doctor->queue.message);
    free(doctor->queue.handle);
    free(doctor);
}
