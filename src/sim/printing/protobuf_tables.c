#include "sim/printing/protobuf_tables.h"

#include "base/memory.h"

// clang-format off
static const struct protobuf_message messages[] = {
    {"ObjectMeta",
     "1 s name, 2 s generateName, 3 s namespace, 4 s selfLink, 5 s uid, 6 s "
     "resourceVersion, 7 i generation, 8 t creationTimestamp, 9 t deletionTimestamp, 10 i! "
     "deletionGracePeriodSeconds, 11 S labels, 12 S annotations, 13 *OwnerReference "
     "ownerReferences, 14 *s finalizers, 17 *? managedFields"},
    {"OwnerReference",
     "5 s apiVersion, 1 s kind, 3 s name, 4 s uid, 6 b! controller, 7 b! "
     "blockOwnerDeletion"},
    {"LabelSelector",
     "1 S matchLabels, 2 *LabelSelectorRequirement matchExpressions"},
    {"LabelSelectorRequirement",
     "1 s key, 2 s operator, 3 *s values"},
    {"DeleteOptions",
     "1 i! gracePeriodSeconds, 2 Preconditions preconditions, 3 b! orphanDependents, 4 s "
     "propagationPolicy, 5 *s dryRun, 6 b! "
     "ignoreStoreReadErrorWithClusterBreakingPotential"},
    {"Preconditions",
     "1 s uid, 2 s resourceVersion"},
    {"ConfigMap",
     "1 ObjectMeta metadata, 4 b! immutable, 2 S data, 3 Y binaryData"},
    {"Secret",
     "1 ObjectMeta metadata, 5 b! immutable, 2 Y data, 4 S stringData, 3 s type"},
    {"Namespace",
     "1 ObjectMeta metadata, 2 NamespaceSpec spec, 3 NamespaceStatus status"},
    {"NamespaceSpec",
     "1 *s finalizers"},
    {"NamespaceStatus",
     "1 s phase, 2 *? conditions"},
    {"ServiceAccount",
     "1 ObjectMeta metadata, 2 *ObjectReference secrets, 3 *LocalObjectReference "
     "imagePullSecrets, 4 b! automountServiceAccountToken"},
    {"ObjectReference",
     "1 s kind, 2 s namespace, 3 s name, 4 s uid, 5 s apiVersion, 6 s resourceVersion, 7 s "
     "fieldPath"},
    {"LocalObjectReference",
     "1 s name"},
    {"Service",
     "1 ObjectMeta metadata, 2 ServiceSpec spec, 3 ServiceStatus status"},
    {"ServiceSpec",
     "1 *ServicePort ports, 2 S selector, 3 s clusterIP, 18 *s clusterIPs, 4 s type, 5 *s "
     "externalIPs, 7 s sessionAffinity, 8 s loadBalancerIP, 9 *s loadBalancerSourceRanges, "
     "10 s externalName, 11 s externalTrafficPolicy, 12 i healthCheckNodePort, 13 b "
     "publishNotReadyAddresses, 14 ? sessionAffinityConfig, 19 *s ipFamilies, 17 s "
     "ipFamilyPolicy, 20 b! allocateLoadBalancerNodePorts, 21 s loadBalancerClass, 22 s "
     "internalTrafficPolicy, 23 s trafficDistribution"},
    {"ServicePort",
     "1 s name, 2 s protocol, 6 s appProtocol, 3 i! port, 4 I targetPort, 5 i nodePort"},
    {"ServiceStatus",
     "1 LoadBalancerStatus loadBalancer, 2 *? conditions"},
    {"LoadBalancerStatus",
     "1 *? ingress"},
    {"PodTemplateSpec",
     "1 ObjectMeta metadata, 2 PodSpec spec"},
    {"PodSpec",
     "1 *? volumes, 20 *Container initContainers, 2 *Container containers, 34 *? "
     "ephemeralContainers, 3 s restartPolicy, 4 i! terminationGracePeriodSeconds, 5 i! "
     "activeDeadlineSeconds, 6 s dnsPolicy, 7 S nodeSelector, 8 s serviceAccountName, 9 s "
     "serviceAccount, 21 b! automountServiceAccountToken, 10 s nodeName, 11 b hostNetwork, "
     "12 b hostPID, 13 b hostIPC, 27 b! shareProcessNamespace, 14 ? securityContext, 15 "
     "*LocalObjectReference imagePullSecrets, 16 s hostname, 17 s subdomain, 18 ? "
     "affinity, 19 s schedulerName, 22 *? tolerations, 23 *? hostAliases, 24 s "
     "priorityClassName, 25 i! priority, 26 ? dnsConfig, 28 *? readinessGates, 29 s "
     "runtimeClassName, 30 b! enableServiceLinks, 31 s preemptionPolicy, 32 R overhead, 33 "
     "*? topologySpreadConstraints, 35 b! setHostnameAsFQDN, 36 ? os, 37 b! hostUsers, 38 "
     "*? schedulingGates, 39 *? resourceClaims, 40 ResourceRequirements resources, 41 s "
     "hostnameOverride, 43 ? schedulingGroup"},
    {"Container",
     "1 s name, 2 s image, 3 *s command, 4 *s args, 5 s workingDir, 6 *ContainerPort "
     "ports, 19 *? envFrom, 7 *EnvVar env, 8 ResourceRequirements resources, 23 *? "
     "resizePolicy, 24 s restartPolicy, 25 *? restartPolicyRules, 9 *? volumeMounts, 21 *? "
     "volumeDevices, 10 ? livenessProbe, 11 ? readinessProbe, 22 ? startupProbe, 12 ? "
     "lifecycle, 13 s terminationMessagePath, 20 s terminationMessagePolicy, 14 s "
     "imagePullPolicy, 15 ? securityContext, 16 b stdin, 17 b stdinOnce, 18 b tty"},
    {"ContainerPort",
     "1 s name, 2 i hostPort, 3 i! containerPort, 4 s protocol, 5 s hostIP"},
    {"EnvVar",
     "1 s name, 2 s value, 3 ? valueFrom"},
    {"ResourceRequirements",
     "1 R limits, 2 R requests, 3 *? claims"},
    {"ResourceQuota",
     "1 ObjectMeta metadata, 2 ResourceQuotaSpec spec, 3 ResourceQuotaStatus status"},
    {"ResourceQuotaSpec",
     "1 R hard, 2 *s scopes, 3 ? scopeSelector"},
    {"ResourceQuotaStatus",
     "1 R hard, 2 R used"},
    {"TypedLocalObjectReference",
     "1 s apiGroup, 2 s kind, 3 s name"},
    {"Deployment",
     "1 ObjectMeta metadata, 2 DeploymentSpec spec, 3 DeploymentStatus status"},
    {"DeploymentSpec",
     "1 i! replicas, 2 LabelSelector selector, 3 PodTemplateSpec template, 4 "
     "DeploymentStrategy strategy, 5 i minReadySeconds, 6 i! revisionHistoryLimit, 7 b "
     "paused, 9 i! progressDeadlineSeconds"},
    {"DeploymentStrategy",
     "1 s type, 2 RollingUpdateDeployment rollingUpdate"},
    {"RollingUpdateDeployment",
     "1 I maxUnavailable, 2 I maxSurge"},
    {"DeploymentStatus",
     "1 i observedGeneration, 2 i replicas, 3 i updatedReplicas, 7 i readyReplicas, 4 i "
     "availableReplicas, 5 i unavailableReplicas, 9 i! terminatingReplicas, 6 *? "
     "conditions, 8 i! collisionCount"},
    {"Job",
     "1 ObjectMeta metadata, 2 JobSpec spec, 3 JobStatus status"},
    {"JobSpec",
     "1 i! parallelism, 2 i! completions, 3 i! activeDeadlineSeconds, 11 ? "
     "podFailurePolicy, 16 ? successPolicy, 7 i! backoffLimit, 12 i! backoffLimitPerIndex, "
     "13 i! maxFailedIndexes, 4 LabelSelector selector, 5 b! manualSelector, 6 "
     "PodTemplateSpec template, 8 i! ttlSecondsAfterFinished, 9 s completionMode, 10 b! "
     "suspend, 14 s podReplacementPolicy, 15 s managedBy"},
    {"JobStatus",
     "1 *? conditions, 2 t startTime, 3 t completionTime, 4 i active, 5 i succeeded, 6 i "
     "failed, 11 i! terminating, 7 s completedIndexes, 10 s failedIndexes, 8 ? "
     "uncountedTerminatedPods, 9 i! ready"},
    {"HorizontalPodAutoscaler",
     "1 ObjectMeta metadata, 2 HorizontalPodAutoscalerSpec spec, 3 "
     "HorizontalPodAutoscalerStatus status"},
    {"HorizontalPodAutoscalerSpec",
     "1 CrossVersionObjectReference scaleTargetRef, 2 i! minReplicas, 3 i maxReplicas, 4 "
     "*MetricSpec metrics"},
    {"HorizontalPodAutoscaler@autoscaling/v1",
     "1 ObjectMeta metadata, 2 HorizontalPodAutoscalerSpec@autoscaling/v1 spec, 3 "
     "HorizontalPodAutoscalerStatus status"},
    {"HorizontalPodAutoscalerSpec@autoscaling/v1",
     "1 CrossVersionObjectReference scaleTargetRef, 2 i! minReplicas, 3 i maxReplicas, 4 i! "
     "targetCPUUtilizationPercentage"},
    {"CrossVersionObjectReference",
     "1 s kind, 2 s name, 3 s apiVersion"},
    {"MetricSpec",
     "1 s type, 4 ResourceMetricSource resource"},
    {"ResourceMetricSource",
     "1 s name, 2 MetricTarget target"},
    {"MetricTarget",
     "1 s type, 2 q value, 3 q averageValue, 4 i! averageUtilization"},
    {"HorizontalPodAutoscalerStatus",
     "3 i currentReplicas, 4 i desiredReplicas"},
    {"CronJob",
     "1 ObjectMeta metadata, 2 CronJobSpec spec, 3 CronJobStatus status"},
    {"CronJobSpec",
     "1 s schedule, 8 s timeZone, 2 i! startingDeadlineSeconds, 3 s concurrencyPolicy, 4 "
     "b! suspend, 5 JobTemplateSpec jobTemplate, 6 i! successfulJobsHistoryLimit, 7 i! "
     "failedJobsHistoryLimit"},
    {"CronJobStatus",
     "1 *ObjectReference active, 4 t lastScheduleTime, 5 t lastSuccessfulTime"},
    {"JobTemplateSpec",
     "1 ObjectMeta metadata, 2 JobSpec spec"},
    {"PodDisruptionBudget",
     "1 ObjectMeta metadata, 2 PodDisruptionBudgetSpec spec, 3 PodDisruptionBudgetStatus "
     "status"},
    {"PodDisruptionBudgetSpec",
     "1 I minAvailable, 2 LabelSelector selector, 3 I maxUnavailable, 4 s "
     "unhealthyPodEvictionPolicy"},
    {"PodDisruptionBudgetStatus",
     "1 i observedGeneration, 2 ? disruptedPods, 3 i! disruptionsAllowed, 4 i! "
     "currentHealthy, 5 i! desiredHealthy, 6 i! expectedPods, 7 *? conditions"},
    {"Eviction",
     "1 ObjectMeta metadata, 2 DeleteOptions deleteOptions"},
    {"PriorityClass",
     "1 ObjectMeta metadata, 2 i! value, 3 b globalDefault, 4 s description, 5 s "
     "preemptionPolicy"},
    {"Role",
     "1 ObjectMeta metadata, 2 *PolicyRule rules"},
    {"RoleBinding",
     "1 ObjectMeta metadata, 2 *Subject subjects, 3 RoleRef roleRef"},
    {"ClusterRole",
     "1 ObjectMeta metadata, 2 *PolicyRule rules, 3 AggregationRule aggregationRule"},
    {"ClusterRoleBinding",
     "1 ObjectMeta metadata, 2 *Subject subjects, 3 RoleRef roleRef"},
    {"PolicyRule",
     "1 *s verbs, 2 *s apiGroups, 3 *s resources, 4 *s resourceNames, 5 *s nonResourceURLs"},
    {"RoleRef",
     "1 s apiGroup, 2 s kind, 3 s name"},
    {"Subject",
     "1 s kind, 2 s apiGroup, 3 s name, 4 s namespace"},
    {"AggregationRule",
     "1 *LabelSelector clusterRoleSelectors"},
    {"Ingress",
     "1 ObjectMeta metadata, 2 IngressSpec spec, 3 IngressStatus status"},
    {"IngressSpec",
     "4 s ingressClassName, 1 IngressBackend defaultBackend, 2 *IngressTLS tls, 3 "
     "*IngressRule rules"},
    {"IngressTLS",
     "1 *s hosts, 2 s secretName"},
    {"IngressRule",
     "1 s host, 2 IngressRuleValue ingressRuleValue"},
    {"IngressRuleValue",
     "1 HTTPIngressRuleValue http"},
    {"HTTPIngressRuleValue",
     "1 *HTTPIngressPath paths"},
    {"HTTPIngressPath",
     "1 s path, 3 s pathType, 2 IngressBackend backend"},
    {"IngressBackend",
     "4 IngressServiceBackend service, 3 TypedLocalObjectReference resource"},
    {"IngressServiceBackend",
     "1 s name, 2 ServiceBackendPort port"},
    {"ServiceBackendPort",
     "1 s name, 2 i number"},
    {"IngressStatus",
     "1 IngressLoadBalancerStatus loadBalancer"},
    {"IngressLoadBalancerStatus",
     "1 *? ingress"},
    {"TokenRequest",
     "1 ObjectMeta metadata, 2 TokenRequestSpec spec, 3 TokenRequestStatus status"},
    {"TokenRequestSpec",
     "1 *s audiences, 4 i! expirationSeconds, 3 BoundObjectReference boundObjectRef"},
    {"TokenRequestStatus",
     "1 s token, 2 t expirationTimestamp"},
    {"BoundObjectReference",
     "1 s kind, 2 s apiVersion, 3 s name, 4 s uID"},
    {"SelfSubjectReview",
     "1 ObjectMeta metadata, 2 SelfSubjectReviewStatus status"},
    {"SelfSubjectReviewStatus",
     "1 UserInfo userInfo"},
    {"UserInfo",
     "1 s username, 2 s uid, 3 *s groups, 4 ? extra"},
    {"SelfSubjectAccessReview",
     "1 ObjectMeta metadata, 2 SelfSubjectAccessReviewSpec spec, 3 "
     "SubjectAccessReviewStatus status"},
    {"SelfSubjectAccessReviewSpec",
     "1 ResourceAttributes resourceAttributes, 2 NonResourceAttributes "
     "nonResourceAttributes"},
    {"ResourceAttributes",
     "1 s namespace, 2 s verb, 3 s group, 4 s version, 5 s resource, 6 s subresource, 7 s "
     "name, 8 ? fieldSelector, 9 ? labelSelector"},
    {"NonResourceAttributes",
     "1 s path, 2 s verb"},
    {"SubjectAccessReviewStatus",
     "1 b! allowed, 4 b denied, 2 s reason, 3 s evaluationError"},
    {"SelfSubjectRulesReview",
     "1 ObjectMeta metadata, 2 SelfSubjectRulesReviewSpec spec, 3 SubjectRulesReviewStatus "
     "status"},
    {"SelfSubjectRulesReviewSpec",
     "1 s namespace"},
    {"SubjectRulesReviewStatus",
     "1 *? resourceRules, 2 *? nonResourceRules, 3 b! incomplete, 4 s evaluationError"},
};
// clang-format on

const struct protobuf_message *protobuf_messages(size_t *count)
{
    *count = ARRAY_LENGTH(messages);
    return messages;
}
