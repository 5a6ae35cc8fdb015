// Instance types of a region as a NodeClass sees them (AWI-1 to 177): the infos and zones that EC2
// tells, resolved with the NodeClass's images, kubelet, disks and subnets, with offerings.
//
// Resolved types are cached by what they depend on; a change of prices, of unavailable offerings or
// of reservations renews the offerings alone.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/types/ec2_types_options.h"
#include "cloud/aws/types/instance_infos.h"
#include "cloud/aws/types/type_fit.h"
#include "model/schema/ec2_node_class.h"

struct ec2_types;
struct ec2_types *ec2_types_create(const struct ec2_types_options *options);
void ec2_types_destroy(struct ec2_types *types);

// AWI-1 to 6: asks EC2 for types and zones. A failed half keeps its former answer.
typedef void (*ec2_types_done)(void *context, const struct error *error);
void ec2_types_refresh(struct ec2_types *types, struct aws_client *client, ec2_types_done done,
                       void *context);
// Without a cluster (plans): the built-in infos, offered in these zones.
void ec2_types_use(struct ec2_types *types, struct instance_infos *infos, // taken over
                   const char *const *zones);                             // NULL-terminated
// The same from whole replies of EC2 (recorded ones).
void ec2_types_use_replies(struct ec2_types *types, const json_t *instance_types,
                           const json_t *offerings);
bool ec2_types_loaded(const struct ec2_types *types);
const struct instance_infos *ec2_types_infos(const struct ec2_types *types); // NULL: not loaded

// AWI-10: the catalogue of a NodeClass; a reference that the caller releases. NULL with the error:
// "no instance types found", "no subnets found", ... AWI-901: a type with a bad kubelet expression
// is left out (COMPATIBILITY=upstream: fails the list).
const struct instance_type_catalog *ec2_types_for(struct ec2_types *types,
                                                  const struct ec2_node_class *node_class,
                                                  struct error *error);
// AWI-20 to 23, 906: memory (and other capacity) that a registered Node of the type reports with
// this image. Returns whether catalogues change.
bool ec2_types_learn(struct ec2_types *types, const char *instance_type, const char *image_id,
                     int64_t memory_bytes);
// AWI-906: all that was learned, to be kept across restarts: a JSON object, owned by the caller.
json_t *ec2_types_learned_encode(const struct ec2_types *types);
// Adds what an earlier life has kept; returns how many entries could not be used.
uint32_t ec2_types_learned_decode(struct ec2_types *types, const json_t *value);
