// Duration of the work under way in every queue (LIF-358): workqueue_unfinished_work_seconds and
// workqueue_longest_running_processor_seconds, computed when the registry is written.
#pragma once

#include "reconcile/manager.h"

void queue_work_metrics_collect(struct manager *manager, bool on); // LIF-358
