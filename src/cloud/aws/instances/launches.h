// Launches of NodeClaims (AWI-250): one at a time for each claim, joined into fleets with those
// that ask for the same (AWI-361 to 366).
//
// A claim is launched once in a life of the process: a second request joins the first, or gets its
// answer. Each fleet carries a token of its claims and their attempt (AWI-927). Where EC2's answer
// is lost, the claims fail for now, and the next request for one of them sends the same fleet with
// the same token again: EC2 answers with the fleet of the first time.
#pragma once

#include "cloud/aws/instances/machines_environment.h"

struct launches;
struct launches *launches_create(const struct aws_machines_environment *environment); // borrowed
// No callback comes after this. The launch templates must not call back any more, either.
void launches_destroy(struct launches *launches);
void launches_start(struct launches *launches, const struct node_claim *claim,
                    machine_callback callback, void *context);
uint64_t launches_made(const struct launches *launches); // instances so far
