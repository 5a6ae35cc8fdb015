// Shared by simulation tests.
#pragma once

#include "model/reading/settings.h"
#include "sim/simulation.h"
#include "support/cmocka_all.h"

struct scenario {
    struct loop *loop;
    struct settings settings; // of the controller: the defaults
    struct simulation_options options;
    struct simulation *simulation;
    uint32_t expected; // pods of scenario_expect_running()
};

// A world on virtual time with kwok's generic catalog; the tests may change `settings` and
// `options` before begin.
struct scenario *scenario_create(uint64_t seed);
// Creates the simulation, starts the controller, applies a NodePool "default" (WhenEmpty,
// consolidateAfter 0s, budget 100%, expireAfter Never, of at most 8 cpu a node) and a Deployment
// "inflate" of 0 replicas of 1 cpu.
void scenario_begin(struct scenario *scenario);
// Before begin: gives scheduler and workload controllers the pace of a live control plane, by the
// scenario's seed (world_options_live_pace()).
void scenario_live_pace(struct scenario *scenario);
void scenario_destroy(struct scenario *scenario);
int scenario_teardown(void **state); // the same, as cmocka calls it

void scenario_apply(struct scenario *scenario, const char *manifest);
void scenario_scale(struct scenario *scenario, int64_t replicas);

typedef bool (*scenario_condition)(struct scenario *scenario);
// Runs virtual time until the condition holds; fails the test after `seconds`. Checks the
// invariants every 100 ms. Returns the seconds that passed.
double scenario_until(struct scenario *scenario, double seconds, const char *what,
                      scenario_condition condition);
void scenario_run(struct scenario *scenario, double seconds);

bool scenario_empty(struct scenario *scenario); // no pod, NodeClaim, Node or machine
bool scenario_settled(struct scenario *scenario);
// Waits up to two minutes for a settled world with that many running pods.
void scenario_expect_running(struct scenario *scenario, uint32_t pods);

// Kills the controller at one of its steps - before the step's effect, or after it with the answer
// lost - and restarts it at once.
struct assassin {
    bool (*concerns)(const struct kube_request *request); // which requests are steps; NULL: writes
    bool calls;                                           // the provider's calls are steps, too
    uint32_t kill_at;                                     // number of the step, from 1
    bool after_effect;
    bool armed, pulled; // counts steps while armed; pulled: it has killed
    uint32_t steps;
    struct scenario *scenario; // set by scenario_hire()
};
// Before scenario_begin(). The caller owns the assassin until scenario_destroy().
void scenario_hire(struct scenario *scenario, struct assassin *assassin);
// Runs lives of a world, each with a kill one step later (a few later with sanitizers), until one
// never reaches its step (assassin.pulled is false) or `most` have passed. Returns the last step.
uint32_t scenario_lives(bool (*life)(uint32_t kill_at, bool after_effect), bool after_effect,
                        uint32_t most);
