// A scripted HTTP port, an environment and a home folder for tests of credentials.
#pragma once

#include "support/cmocka_all.h"

#include "base/loop_real.h"
#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_codec.h"
#include "cloud/aws/credentials/aws_region.h"
#include "cloud/aws/credentials/credential_chain.h"
#include "cloud/aws/credentials/credential_plan.h"

#define ROUTES_MAX 8
#define CALLS_MAX  16

struct route {
    const char *method, *url;
    int status; // 0: no answer
    const char *body;
};
struct fixture {
    struct aws_http http;
    struct loop *loop;
    const char *environment[24];     // NAME=VALUE
    struct route routes[ROUTES_MAX]; // the last one that fits answers
    // Answers what no route does; may be NULL.
    void (*serve)(struct fixture *fixture, const struct aws_http_request *request,
                  struct route *route);
    uint32_t served;
    struct aws_http_call *calls[CALLS_MAX];
    uint32_t requests;
    bool is_proxied;   // a request for credentials may have gone by a proxy
    char header[4096]; // of the last request: all of them
    char body[4096];
    char folder[64];
    struct aws_credentials_source *chain;
    int done;
    char key[64], token[64], error[1500];
    int64_t expires;
};

#define KEYS                                                                       \
    "{\"Code\":\"Success\",\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"secret\"," \
    "\"Token\":\"t\",\"Expiration\":\"%s\"}"
#define IMDS "http://169.254.169.254/latest/"
#define STS  "https://sts.us-west-2.amazonaws.com/"

const char *environment(void *context, const char *name); // of the fixture
int set_up(void **state);                                 // on virtual time, 2026-01-01
int set_up_real(void **state);
int tear_down(void **state);
char *write_file(struct fixture *fixture, const char *name, const char *text); // in ~/.aws
void open_chain(struct fixture *fixture);
void note(void *context, const struct aws_credentials_result *result);
void get(struct fixture *fixture);
void check(struct fixture *fixture, const char *key, const char *token);
void check_error(struct fixture *fixture, const char *part);
const char *sts_reply(enum aws_action action, const char *key, const char *expires);
void script_instance(struct fixture *fixture, const char *keys);

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
#define REAL(function) cmocka_unit_test_setup_teardown(function, set_up_real, tear_down)
