// Instances that messages name and no NodeClaim has (AWI-951): one of the cluster, just launched,
// or a foreign one of the same account. EC2 is asked by their tags, for many at once; foreign ids
// are remembered.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "reconcile/manager.h"

struct foreign_instances;
struct foreign_instances *foreign_instances_create(struct manager *manager,
                                                   struct aws_client *client);
void foreign_instances_destroy(struct foreign_instances *foreign); // NULL is fine

// Ids that EC2 cannot have given are foreign.
bool foreign_instances_has(const struct foreign_instances *foreign, const char *instance_id);
// Asks for these and for those of others, after a moment; `done` once. An id that is then not
// foreign is the cluster's, or EC2 has not answered.
typedef void (*foreign_done)(void *context);
void foreign_instances_ask(struct foreign_instances *foreign, const char *const *ids,
                           uint32_t count, foreign_done done, void *context);
