// The demo's second play: examples/web.yaml on a simulated AWS account, on virtual time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct aws_account_options;
struct settings;

// An account with that cluster, and the settings of its controller. The name is borrowed by both.
void demo_aws_options(struct aws_account_options *account, struct settings *settings,
                      const char *cluster);
// Prints what happens; returns the exit code.
int demo_aws_play(uint64_t seed, bool quiet);
