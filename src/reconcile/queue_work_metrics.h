// How long what is in work has been so (LIF-358): workqueue_unfinished_work_seconds and
// workqueue_longest_running_processor_seconds of every queue, computed when the registry is
// written.
#pragma once

#include "reconcile/manager.h"

void queue_work_metrics_collect(struct manager *manager, bool on); // LIF-358
