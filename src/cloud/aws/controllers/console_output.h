// Instances that run and do not become Nodes: an event on the NodeClaim says so before the
// registration timeout, with the last lines of the instance's console where EC2 gives them
// (ec2:GetConsoleOutput). Not with COMPATIBILITY=upstream.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct console_output;
struct console_output *console_output_create(struct manager *manager,
                                             const struct aws_controllers_environment *environment);
void console_output_destroy(struct console_output *console); // NULL is fine
