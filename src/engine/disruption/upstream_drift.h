// Drifted nodes of dynamic pools as upstream takes them: one, the first that can go (DIS-223).
#pragma once

struct disruption;

void upstream_drift_decide(struct disruption *disruption);
