// The per-identifier arrays of a pass, which passes over one problem reuse (DIS-703).
#pragma once

#include "engine/pass/pass_state.h"

// Gives the pass an idle workspace of its problem, or a new one, without the nodes that its input
// excludes.
void pass_workspace_take(struct pass *pass);
// Cleans up what the pass used and makes the workspace idle.
void pass_workspace_return(struct pass *pass);
void pass_workspaces_free(struct problem *problem);
