// Private to the doctor: its state.
#pragma once

#include "cloud/aws/doctor/doctor_options.h"
#include "cloud/aws/interruption/queue_address.h"

#define DOCTOR_ZONES_MAX 16

struct doctor {
    struct doctor_options options;
    struct aws_call *call; // of the present check
    struct aws_http_call *http_call;
    struct timer *next;
    uint32_t index;    // of the present check
    const char *name;  // its
    uint32_t part;     // of a check of several calls
    bool has_identity; // AWS has accepted the credentials
    bool has_cluster;  // the API server has answered
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
