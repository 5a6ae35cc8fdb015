// HorizontalPodAutoscalers, as without a metrics server: they see their target and say that there
// is no usage to scale by. Source: kube-controller-manager's horizontal pod autoscaler.
#pragma once

// A work_function of the queue `autoscalers`.
void autoscaler_sync(void *context, const char *key);
