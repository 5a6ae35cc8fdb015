// Private to the doctor: its state, and the checks.
#pragma once

#include "cloud/aws/doctor/doctor.h"
#include "cloud/aws/interruption/queue_address.h"

#define DOCTOR_ZONES_MAX 16

struct doctor {
    struct doctor_options options;
    struct aws_call *call; // of the present check
    struct aws_http_call *http_call;
    struct timer *next;
    uint32_t index;    // of the present check
    uint32_t part;     // of a check of several calls
    bool has_identity; // AWS has accepted the credentials
    // Found on the way, for later checks; NULL or "": not found.
    char *account, *image, *subnet, *group, *instance;
    struct queue_address queues[QUEUES_MAX];
    unsigned queues_count;
    struct { // the queue under test
        char *url, *message, *handle;
        uint32_t receives;
    } queue;
    double vcpus[2]; // in use: on demand, spot; < 0: unknown
};

// Each begins the call of the present part and returns true, or returns false at its end.
bool doctor_check_credentials(struct doctor *doctor);
bool doctor_check_clock(struct doctor *doctor);
bool doctor_check_subnets(struct doctor *doctor);
bool doctor_check_security_groups(struct doctor *doctor);
bool doctor_check_permissions(struct doctor *doctor);
bool doctor_check_queue(struct doctor *doctor);
bool doctor_check_cluster(struct doctor *doctor);
bool doctor_check_api_server(struct doctor *doctor);
bool doctor_check_crds(struct doctor *doctor);
bool doctor_check_quotas(struct doctor *doctor);

void doctor_next_part(struct doctor *doctor); // from the answer of a part
bool doctor_call(struct doctor *doctor, enum aws_action action, json_t *parameters, aws_done done);
bool doctor_call_in(struct doctor *doctor, const char *region, enum aws_action action,
                    json_t *parameters, aws_done done);
