// The doctor's environment and its lines.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "kube/client.h"
#include "model/reading/settings.h"

enum doctor_verdict { DOCTOR_PASSED, DOCTOR_WARNING, DOCTOR_FAILED, DOCTOR_SKIPPED };
struct doctor_line { // borrowed
    enum doctor_verdict verdict;
    const char *check;  // "credentials", "permission ec2:DescribeSubnets"
    const char *text;   // what was found
    const char *remedy; // NULL: none is needed
};
struct doctor_options { // borrowed
    struct loop *loop;
    struct aws_client *client;
    struct aws_http *http;              // for the clock
    struct aws_environment environment; // the client's; endpoints
    struct kube_client *kube;           // NULL: no cluster can be reached; its checks are skipped
    const char *kube_problem;           // why `kube` is NULL; may be NULL
    const struct settings *settings;
    void (*line)(void *context, const struct doctor_line *line);
    void (*done)(void *context); // after the last line
    void *context;
};
