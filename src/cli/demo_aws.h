// The demo's second play: examples/web.yaml on a simulated AWS account, on virtual time.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Prints what happens; returns the exit code.
int demo_aws_play(uint64_t seed, bool quiet);
