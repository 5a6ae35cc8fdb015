// What the tests of disruption commands share: a node that is to be replaced by a smaller one,
// several of them, what the controller writes and logs meanwhile, and faults of its requests.
#pragma once

#include "simulation/story.h"

// A machine takes 30 s to become a Node. Requests and log lines are watched from here on.
int moves_setup(void **state);
int moves_teardown(void **state);

// Begins with the types small, medium and large (2, 4 and 8 cpu; 0.10, 0.20 and 0.40 an hour), a
// NodePool "default" of them, and `count` large nodes. Each carries a Deployment keep-I of one pod
// of 1 cpu and pad-I of one of 6 cpu, whose pods choose the node by the label "place: 'I'" of the
// NodePool place-I.
void moves_begin(struct scenario *scenario, uint32_t count);
// The pool place-I again, with other members; its name, labels and requirements are filled in.
void moves_pool(struct scenario *scenario, uint32_t place, struct story_pool pool);
// Takes the pod pad-I away: the node can be replaced by a small one.
void moves_shrink(struct scenario *scenario, uint32_t place);
// The pods of app keep-I.
void moves_scale(struct scenario *scenario, const char *app, int64_t replicas);

// The first Node and NodeClaim of place I by name, which must be there.
json_t *moves_node(struct scenario *scenario, uint32_t place);
json_t *moves_claim(struct scenario *scenario, uint32_t place);
// A pod of the app that is not being deleted, NULL if there is none; and its node, NULL while it
// waits.
json_t *moves_pod(struct scenario *scenario, const char *app);
const char *moves_place_of(struct scenario *scenario, const char *app);
void moves_protect(struct scenario *scenario, const char *app); // its pod says do-not-disrupt
uint32_t moves_chosen(struct scenario *scenario); // Nodes that are tainted and carry our mark

// Conditions for scenario_until(), about any place.
bool moves_any_chosen(struct scenario *scenario);
bool moves_none_chosen(struct scenario *scenario);
bool moves_replacement_there(struct scenario *scenario); // as a NodeClaim
bool moves_replacement_node(struct scenario *scenario);  // as a Node
bool moves_any_deleting(struct scenario *scenario);      // a NodeClaim that was chosen

// The name of the first replacement NodeClaim by name, "" if there is none.
const char *moves_replacement(struct scenario *scenario);

// The log since the beginning: how many lines contain both parts (`other` may be NULL), and the
// last of them.
uint32_t moves_logged(const char *part, const char *other);
const char *moves_last_line(const char *part);

// Called with each request of the controller; true: it fails with the answer's status.
extern bool (*moves_on_request)(const struct kube_request *request, struct kube_response *response);
