{{/* What a values file holds that this chart takes otherwise than it is written. */}}

{{/* The value at a dotted path, as {value: ...}; "" if there is none. */}}
{{- define "adze.at" -}}
{{- $value := .context.Values -}}
{{- $found := true -}}
{{- range splitList "." .path -}}
{{- if and $found (kindIs "map" $value) (hasKey $value .) -}}
{{- $value = get $value . -}}
{{- else -}}
{{- $found = false -}}
{{- end -}}
{{- end -}}
{{- if $found }}{{ dict "value" $value | toYaml }}{{ end -}}
{{- end -}}

{{/* Values under an older name that stand for one of today's: [{path, to, value}]. */}}
{{- define "adze.moved" -}}
{{- $moved := list -}}
{{- range (.Files.Get "files/old-values.yaml" | fromYaml).values -}}
{{- if .to -}}
{{- $value := (include "adze.at" (dict "context" $ "path" .path) | fromYaml).value -}}
{{- $own := (include "adze.at" (dict "context" $ "path" .to) | fromYaml).value -}}
{{- $isDefault := or (kindIs "invalid" $own) (eq (toString $own) "") (eq (toString $own) (toString .default)) -}}
{{- if and $isDefault (not (kindIs "invalid" $value)) (ne (toString $value) "") (ne (toString $value) (toString .default)) -}}
{{- $moved = append $moved (dict "path" .path "to" .to "value" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "moved" $moved | toYaml -}}
{{- end -}}

{{/* The value at `path`, or what stands for it under an older name, as text; lists with commas. */}}
{{- define "adze.value" -}}
{{- $value := (include "adze.at" (dict "context" .context "path" .path) | fromYaml).value -}}
{{- range (include "adze.moved" .context | fromYaml).moved -}}
{{- if eq .to $.path }}{{ $value = .value }}{{ end -}}
{{- end -}}
{{- if kindIs "slice" $value }}{{ join "," $value }}{{ else if not (kindIs "invalid" $value) }}{{ toString $value }}{{ end -}}
{{- end -}}

{{/* Levenshtein's distance of two ASCII words. */}}
{{- define "adze.distance" -}}
{{- $a := .a -}}
{{- $b := .b -}}
{{- $above := untilStep 0 (int (add1 (len $b))) 1 -}}
{{- range $i := until (len $a) -}}
{{- $row := list (add1 $i) -}}
{{- range $j := until (len $b) -}}
{{- $cost := ternary 0 1 (eq (substr $i (int (add1 $i)) $a) (substr $j (int (add1 $j)) $b)) -}}
{{- $row = append $row (min (add1 (index $above (int (add1 $j)))) (add1 (index $row $j)) (add (index $above $j) $cost)) -}}
{{- end -}}
{{- $above = $row -}}
{{- end -}}
{{- last $above -}}
{{- end -}}

{{/* The known name that an unknown one probably means; "" if none is near. */}}
{{- define "adze.nearest" -}}
{{- $name := .name -}}
{{- $best := "" -}}
{{- $least := add1 (max 1 (div (len $name) 4)) -}}
{{- range .known -}}
{{- if eq (lower $name | replace "-" "" | replace "_" "" | trimSuffix "s") (lower . | trimSuffix "s") -}}
{{- $best = . -}}
{{- $least = 0 -}}
{{- else if lt (max (sub (len $name) (len .)) (sub (len .) (len $name))) $least -}}
{{- $distance := include "adze.distance" (dict "a" $name "b" .) | int64 -}}
{{- if lt $distance $least -}}
{{- $best = . -}}
{{- $least = $distance -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $best -}}
{{- end -}}

{{/* The names below a closed map that are none of its own: appended to `unused`, or to `refused` if one is near. */}}
{{- define "adze.unknown" -}}
{{- $unused := list -}}
{{- $refused := list -}}
{{- $path := .path -}}
{{- $known := .known -}}
{{- $old := .old -}}
{{- range $key, $value := .map -}}
{{- $full := ternary $key (printf "%s.%s" $path $key) (eq $path ".") -}}
{{- $isOld := has $full $old -}}
{{- range $old }}{{ if hasPrefix (printf "%s." $full) . }}{{ $isOld = true }}{{ end }}{{ end -}}
{{- if not (or (has $key $known) $isOld (eq $full "global") (kindIs "invalid" $value)) -}}
{{- $nearest := include "adze.nearest" (dict "name" $key "known" $known) -}}
{{- if $nearest -}}
{{- $refused = append $refused (printf "%s is no value of this chart; did you mean %s?" $full (ternary $nearest (printf "%s.%s" $path $nearest) (eq $path "."))) -}}
{{- else -}}
{{- $unused = append $unused (dict "path" $full "text" "no value of this chart") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "unused" $unused "refused" $refused | toYaml -}}
{{- end -}}

{{/* {unused: [{path, text}], refused: [text]} */}}
{{- define "adze.findings" -}}
{{- $unused := list -}}
{{- $refused := list -}}
{{- $oldPaths := list -}}
{{- $moved := list -}}
{{- range (include "adze.moved" . | fromYaml).moved }}{{ $moved = append $moved .path }}{{ end -}}
{{- range (.Files.Get "files/old-values.yaml" | fromYaml).values -}}
{{- $oldPaths = append $oldPaths .path -}}
{{- $value := (include "adze.at" (dict "context" $ "path" .path) | fromYaml).value -}}
{{- $says := and (not (empty $value)) (or (not (hasKey . "unless")) (ne (toString $value) (toString .unless))) -}}
{{- if and (hasKey . "unless") (eq (toString $value) "false") (ne (toString .unless) "false") }}{{ $says = true }}{{ end -}}
{{- if and $says .refuse -}}
{{- if or .always (not $.Values.settings.clusterName) -}}
{{- $refused = append $refused (printf "%s has no equal here: %s" .path .refuse) -}}
{{- else -}}
{{- $unused = append $unused (dict "path" .path "text" .refuse) -}}
{{- end -}}
{{- else if and $says .text -}}
{{- $unused = append $unused (dict "path" .path "text" .text) -}}
{{- else if and $says .to (not (has .path $moved)) (ne (toString $value) (toString .default)) -}}
{{- $unused = append $unused (dict "path" .path "text" (printf "%s is given" .to)) -}}
{{- end -}}
{{- end -}}
{{- $known := (.Files.Get "files/known-values.yaml" | fromYaml).known -}}
{{- range $path, $names := merge (dict "settings.aws" (list) "aws" (list) "controller.aws" (list)) $known -}}
{{- $map := $.Values -}}
{{- if ne $path "." }}{{ $map = (include "adze.at" (dict "context" $ "path" $path) | fromYaml).value }}{{ end -}}
{{- if kindIs "map" $map -}}
{{- $unknown := include "adze.unknown" (dict "path" $path "map" $map "known" $names "old" $oldPaths) | fromYaml -}}
{{- $unused = concat $unused ($unknown.unused | default list) -}}
{{- $refused = concat $refused ($unknown.refused | default list) -}}
{{- end -}}
{{- end -}}
{{- $image := .Values.controller.image -}}
{{- if kindIs "string" $image -}}
{{- $unused = append $unused (dict "path" "controller.image" "text" "its parts are controller.image.repository, tag and digest") -}}
{{- else -}}
{{- range list "repository" "tag" "digest" -}}
{{- if and (get $image .) (or (not $image.repository) (contains "karpenter" $image.repository)) -}}
{{- $unused = append $unused (dict "path" (printf "controller.image.%s" .) "text" (ternary "Karpenter's image; name the repository of adze's" "it counts with a repository of adze's only" (not (not $image.repository)))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (contains "karpenter.sh/provisioner-name" (toJson .Values.affinity)) (not (contains "karpenter.sh/nodepool" (toJson .Values.affinity))) -}}
{{- $unused = append $unused (dict "path" "affinity" "text" "nodes no longer have the label karpenter.sh/provisioner-name, but karpenter.sh/nodepool: the controller may come to run on a node of its own") -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}
{{- $unused = append $unused (dict "path" "serviceMonitor.enabled" "text" "the cluster does not know monitoring.coreos.com/v1") -}}
{{- end -}}
{{- if and .Values.prometheusRule.enabled (not (.Capabilities.APIVersions.Has "monitoring.coreos.com/v1")) -}}
{{- $unused = append $unused (dict "path" "prometheusRule.enabled" "text" "the cluster does not know monitoring.coreos.com/v1") -}}
{{- end -}}
{{- if and (eq .Values.provider "aws") (not (include "adze.clusterName" .)) (not .Values.controller.envFrom) -}}
{{- $refused = append $refused "Chart cannot be installed without a valid settings.clusterName!" -}}
{{- end -}}
{{- dict "unused" $unused "refused" $refused | toYaml -}}
{{- end -}}
