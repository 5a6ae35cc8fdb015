// Runs soak worlds on AWS (aws_soak.h).
//
//   aws_soak [--seeds FROM-TO] [--seconds N]             many in one process; fails if one does
//   aws_soak --seed N [--leave-out 3,4,...] [--verbose]  one of them
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulation/aws_soak.h"

#define SEEDS_DEFAULT 12

struct run {
    struct aws_soak_options options;
    bool left_out[AWS_SOAK_ACTIONS_MAX];
    unsigned long long from, to, seconds;
};

static void read_left_out(struct run *run, char *list)
{
    for (char *rest = NULL, *word = strtok_r(list, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        unsigned long index = strtoul(word, NULL, 10);
        if (index < AWS_SOAK_ACTIONS_MAX)
            run->left_out[index] = true;
    }
}

static bool read_option(struct run *run, const char *name, char *value)
{
    if (strcmp(name, "--leave-out") == 0)
        read_left_out(run, value);
    else if (strcmp(name, "--seed") == 0)
        run->from = run->to = strtoull(value, NULL, 10);
    else if (strcmp(name, "--seconds") == 0)
        run->seconds = strtoull(value, NULL, 10);
    else if (strcmp(name, "--seeds") == 0)
        return sscanf(value, "%llu-%llu", &run->from, &run->to) == 2;
    else
        return false;
    return true;
}

static bool run_seed(struct run *run, unsigned long long seed, struct aws_soak_result *sum)
{
    struct aws_soak_result result;
    run->options.seed = seed;
    aws_soak_run(&run->options, &result);
    sum->simulated_hours += result.simulated_hours;
    sum->calls += result.calls;
    sum->fleets += result.fleets;
    sum->launches += result.launches;
    sum->claims += result.claims;
    sum->orphans += result.orphans;
    sum->requests += result.requests;
    if (result.failed)
        printf("seed %llu FAILED after %.2f simulated hours and %u actions: %s\n", seed,
               result.simulated_hours, result.actions, result.why);
    fflush(stdout);
    return !result.failed;
}

int main(int count, char **arguments)
{
    struct run run = {.from = 1};
    struct aws_soak_result sum = {0};
    unsigned long long failed = 0, seed;
    time_t begun = time(NULL);
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--verbose") == 0)
            run.options.verbose = true;
        else if (i + 1 < count && read_option(&run, arguments[i], arguments[i + 1]))
            i++;
        else {
            fprintf(stderr,
                    "usage: %s [--seeds FROM-TO] [--seconds N] [--seed N] [--leave-out 3,4,...] "
                    "[--verbose]\n",
                    arguments[0]);
            return 2;
        }
    }
    run.options.left_out = run.left_out;
    if (run.to == 0)
        run.to = run.seconds > 0 ? ULLONG_MAX - 1 : SEEDS_DEFAULT;
    for (seed = run.from; seed <= run.to; seed++) {
        if (run.seconds > 0 && time(NULL) - begun >= (time_t)run.seconds)
            break;
        failed += !run_seed(&run, seed, &sum);
    }
    printf("seeds %llu to %llu, %.1f simulated hours in %lld s: %llu calls of AWS, %llu of "
           "CreateFleet, %llu launches, %llu NodeClaims, %llu machines without NodeClaim for a "
           "while, %llu requests of the API server; %llu failed\n",
           run.from, seed - 1, sum.simulated_hours, (long long)(time(NULL) - begun),
           (unsigned long long)sum.calls, (unsigned long long)sum.fleets,
           (unsigned long long)sum.launches, (unsigned long long)sum.claims,
           (unsigned long long)sum.orphans, (unsigned long long)sum.requests, failed);
    return failed > 0 || sum.launches == 0 ? 1 : 0;
}
