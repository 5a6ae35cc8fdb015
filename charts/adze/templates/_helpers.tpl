{{/* --- names and labels --- */}}

{{- define "adze.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "adze.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "adze.selectorLabels" -}}
app.kubernetes.io/name: {{ include "adze.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "adze.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "adze.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* metadata of an object: name, namespace (empty: none), labels, annotations (a map, or nothing) */}}
{{- define "adze.metadata" -}}
name: {{ .name }}
{{- with .namespace }}
namespace: {{ . }}
{{- end }}
labels:
  {{- include "adze.labels" .context | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .context.Values.additionalAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "adze.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "adze.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* --- the image --- */}}

{{/* Karpenter's own image, as values files carry it, is left aside (see adze.findings). */}}
{{- define "adze.image" -}}
{{- $image := dict -}}
{{- if kindIs "map" .Values.controller.image }}{{ $image = .Values.controller.image }}{{ end -}}
{{- $ours := and $image.repository (not (contains "karpenter" $image.repository)) -}}
{{- $repository := ternary $image.repository "adze" (not (not $ours)) -}}
{{- $tag := ternary ($image.tag | default "") "" (not (not $ours)) | toString | default .Chart.AppVersion -}}
{{- $digest := ternary ($image.digest | default "") "" (not (not $ours)) -}}
{{ $repository }}:{{ $tag }}{{ with $digest }}@{{ . }}{{ end }}
{{- end -}}

{{/* --- settings --- */}}

{{/* The value of a setting as text, "" if it is not given. */}}
{{- define "adze.setting" -}}
{{- $text := include "adze.value" (dict "context" .context "path" (printf "settings.%s" .name)) -}}
{{- if contains "{{" $text }}{{ $text = tpl $text .context }}{{ end -}}
{{- $text -}}
{{- end -}}

{{- define "adze.clusterName" -}}
{{- include "adze.variable" (dict "context" . "name" "CLUSTER_NAME" "own" (include "adze.setting" (dict "context" . "name" "clusterName"))) -}}
{{- end -}}

{{- define "adze.gates" -}}
{{- $gates := .Values.settings.featureGates | default dict -}}
{{- $list := list -}}
{{- range list "reservedCapacity" "spotToSpotConsolidation" "nodeRepair" "nodeOverlay" "staticCapacity" "capacityBuffer" -}}
{{- $list = append $list (printf "%s=%v" (. | title | replace " " "") (get $gates . | default false)) -}}
{{- end -}}
{{- join "," $list -}}
{{- end -}}

{{/* What the container will see of a variable: `controller.env` wins over the chart's own. */}}
{{- define "adze.variable" -}}
{{- $value := .own -}}
{{- range .context.Values.controller.env -}}
{{- if and (eq (toString .name) $.name) (hasKey . "value") }}{{ $value = toString .value }}{{ end -}}
{{- end -}}
{{- $value -}}
{{- end -}}

{{- define "adze.leaseName" -}}
{{- $own := include "adze.setting" (dict "context" . "name" "leaderElectionName") | default "karpenter-leader-election" -}}
{{- include "adze.variable" (dict "context" . "name" "LEADER_ELECTION_NAME" "own" $own) -}}
{{- end -}}

{{- define "adze.leaseNamespace" -}}
{{- $own := include "adze.setting" (dict "context" . "name" "leaderElectionNamespace") | default .Release.Namespace -}}
{{- include "adze.variable" (dict "context" . "name" "LEADER_ELECTION_NAMESPACE" "own" $own) -}}
{{- end -}}

{{/* The features that permissions depend on (files/permissions.yaml), as YAML. */}}
{{- define "adze.features" -}}
{{- $gates := include "adze.variable" (dict "context" . "name" "FEATURE_GATES" "own" (include "adze.gates" .)) -}}
{{- $compatibility := include "adze.variable" (dict "context" . "name" "COMPATIBILITY" "own" (include "adze.setting" (dict "context" . "name" "compatibility"))) -}}
{{- $nomination := include "adze.variable" (dict "context" . "name" "POD_NOMINATION" "own" (include "adze.setting" (dict "context" . "name" "podNomination"))) -}}
{{- $ignores := include "adze.variable" (dict "context" . "name" "IGNORE_DRA_REQUESTS" "own" (include "adze.setting" (dict "context" . "name" "ignoreDRARequests"))) -}}
{{- $alone := include "adze.variable" (dict "context" . "name" "DISABLE_LEADER_ELECTION" "own" (include "adze.setting" (dict "context" . "name" "disableLeaderElection"))) -}}
{{- $use := include "adze.variable" (dict "context" . "name" "EXPECTED_CPU_USE" "own" (include "adze.setting" (dict "context" . "name" "expectedCpuUse"))) -}}
{{- $adze := ne $compatibility "upstream" -}}
aws: {{ eq .Values.provider "aws" }}
kwok: {{ eq .Values.provider "kwok" }}
nodeOverlay: {{ contains "NodeOverlay=true" $gates }}
capacityBuffer: {{ contains "CapacityBuffer=true" $gates }}
dra: {{ eq $ignores "false" }}
adze: {{ $adze }}
nomination: {{ and $adze (ne $nomination "Off") }}
cpuUse: {{ and $adze (eq $use "") }}
leaderElection: {{ ne $alone "true" }}
{{- end -}}

{{/* The rules of a role, as a YAML list; "" if there are none. */}}
{{- define "adze.rules" -}}
{{- $features := include "adze.features" .context | fromYaml -}}
{{- $rules := list -}}
{{- range (.context.Files.Get "files/permissions.yaml" | fromYaml).rules -}}
{{- $wanted := eq .role $.role -}}
{{- range .when }}{{ if not (get $features .) }}{{ $wanted = false }}{{ end }}{{ end -}}
{{- if $wanted }}{{ $rules = append $rules (omit . "role" "when") }}{{ end -}}
{{- end -}}
{{- with $rules -}}
{{- toYaml . | replace "- LEASE" (printf "- %s" (include "adze.leaseName" $.context)) -}}
{{- end -}}
{{- end -}}

{{/* --- the pod --- */}}

{{/* Terms without labelSelector mean the controller's own pods. */}}
{{- define "adze.affinity" -}}
{{- $selector := dict "matchLabels" (include "adze.selectorLabels" . | fromYaml) -}}
{{- $affinity := deepCopy (.Values.affinity | default dict) -}}
{{- range $kind := list "podAffinity" "podAntiAffinity" -}}
{{- with get $affinity $kind -}}
{{- range .requiredDuringSchedulingIgnoredDuringExecution -}}
{{- if not (hasKey . "labelSelector") }}{{ $_ := set . "labelSelector" $selector }}{{ end -}}
{{- end -}}
{{- range .preferredDuringSchedulingIgnoredDuringExecution -}}
{{- if and .podAffinityTerm (not (hasKey .podAffinityTerm "labelSelector")) }}{{ $_ := set .podAffinityTerm "labelSelector" $selector }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $affinity }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{- define "adze.spread" -}}
{{- $selector := dict "matchLabels" (include "adze.selectorLabels" . | fromYaml) -}}
{{- $constraints := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $constraint := deepCopy . -}}
{{- if not (hasKey $constraint "labelSelector") }}{{ $_ := set $constraint "labelSelector" $selector }}{{ end -}}
{{- $constraints = append $constraints $constraint -}}
{{- end -}}
{{- with $constraints }}{{ toYaml . }}{{ end -}}
{{- end -}}
