// Shared by the tests of disruption commands: nodes that a smaller one can replace, the
// controller's writes and logs meanwhile, and faults of its requests.
#pragma once

#include "simulation/story.h"

// A machine takes 30 s to become a Node. Requests and log lines are recorded from here on.
int moves_setup(void **state);
int moves_teardown(void **state);

// Begins with the types small, medium and large (2, 4 and 8 cpu; 0.10, 0.20 and 0.40 an hour), a
// NodePool "default" of them, and `count` large nodes. Each has a Deployment keep-I of one pod of 1
// cpu and pad-I of one of 6 cpu, whose pods select the node by the label "place: 'I'" of the
// NodePool place-I.
void moves_begin(struct scenario *scenario, uint32_t count);
// Applies the pool place-I with other members; its name, labels and requirements are filled in.
void moves_pool(struct scenario *scenario, uint32_t place, struct story_pool pool);
// Removes the pod pad-I: a small node can replace the node.
void moves_shrink(struct scenario *scenario, uint32_t place);
// The pods of app keep-I.
void moves_scale(struct scenario *scenario, const char *app, int64_t replicas);

// The first Node and NodeClaim of place I by name, which must exist.
json_t *moves_node(struct scenario *scenario, uint32_t place);
json_t *moves_claim(struct scenario *scenario, uint32_t place);
// A pod of the app that is not being deleted, NULL if there is none; and its node, NULL while it is
// pending.
json_t *moves_pod(struct scenario *scenario, const char *app);
const char *moves_place_of(struct scenario *scenario, const char *app);
void moves_protect(struct scenario *scenario, const char *app); // its pod gets do-not-disrupt
uint32_t moves_chosen(struct scenario *scenario);               // tainted Nodes with the mark

// Conditions for scenario_until(), for any place.
bool moves_any_chosen(struct scenario *scenario);
bool moves_none_chosen(struct scenario *scenario);
bool moves_replacement_there(struct scenario *scenario); // as a NodeClaim
bool moves_replacement_node(struct scenario *scenario);  // as a Node
bool moves_any_deleting(struct scenario *scenario);      // a NodeClaim that was chosen

// The name of the first replacement NodeClaim by name, "" if there is none.
const char *moves_replacement(struct scenario *scenario);

// The log since the beginning: the number of lines with both parts (`other` may be NULL), and the
// last of them.
uint32_t moves_logged(const char *part, const char *other);
const char *moves_last_line(const char *part);

// Called with each request of the controller; true: it fails with the answer's status.
extern bool (*moves_on_request)(const struct kube_request *request, struct kube_response *response);
