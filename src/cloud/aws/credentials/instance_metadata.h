// EC2's instance metadata service, version 2 (AWN-521): a session has a token, and reads paths with
// it.
#pragma once

#include "base/loop.h"
#include "cloud/aws/client/aws_endpoints.h"
#include "cloud/aws/client/aws_http.h"

struct instance_metadata;
// NULL: AWS_EC2_METADATA_DISABLED, or a faulty AWS_EC2_METADATA_SERVICE_ENDPOINT.
struct instance_metadata *instance_metadata_create(struct loop *loop, struct aws_http *http,
                                                   const struct aws_environment *environment,
                                                   struct error *error);
void instance_metadata_destroy(struct instance_metadata *metadata); // ends a read; NULL is fine
// Reads "/latest/meta-data/..."; one read at a time. `done` gets the body (borrowed), or NULL with
// an error; never before this function has returned. It may start the next read, or destroy.
typedef void (*instance_metadata_done)(void *context, const char *body, size_t length,
                                       const struct error *error);
void instance_metadata_read(struct instance_metadata *metadata, const char *path,
                            instance_metadata_done done, void *context);
