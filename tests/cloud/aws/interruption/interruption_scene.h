// The scene of the tests of interruptions: a provider's world in which the queue, the status checks
// and the Spot requests answer with nothing until a test says something.
#pragma once

#include "cloud/aws/provider_world.h"

#include "base/text.h"
#include "cloud/aws/interruption/interruption.h"

struct scene {
    struct provider_world *world;
    struct interruption_environment environment;
    struct interruption *interruption;
    struct text logged;
};

// queue: its name, or "". cloud: told of drift, or NULL.
void scene_open(struct scene *scene, const char *queue, bool upstream, struct cloud *cloud);
void scene_close(struct scene *scene);
void scene_lead(struct scene *scene); // for 5 s
// Healthy NodeClaims: status checks act on a fifth of the NodeClaims at most.
void scene_add_bystanders(struct scene *scene);
bool scene_is_deleting(const struct scene *scene, const char *claim); // or gone

// The next message of the queue.
void scene_send(struct scene *scene, const char *body);
// An event of EC2; more: further members of its detail, each after a comma.
void scene_send_event(struct scene *scene, const char *detail_type, const char *instance,
                      const char *more);
