// The arrays of a pass by identifier, which passes over one problem hand on to each other
// (DIS-703).
#pragma once

#include "engine/pass/pass_state.h"

// Gives the pass an idle workspace of its problem, or a new one, with the nodes that its input
// leaves.
void pass_workspace_take(struct pass *pass);
// Cleans up what the pass used and hands the workspace on.
void pass_workspace_return(struct pass *pass);
void pass_workspaces_free(struct problem *problem);
