{{/* The image, by its digest where there is one. */}}
{{- define "causeway.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end -}}
{{- end -}}

{{/* Watched namespaces as a JSON list for fromJsonArray; empty: all. */}}
{{- define "causeway.namespaces" -}}
{{- if .Values.watchNamespaces -}}
{{ .Values.watchNamespaces | uniq | sortAlpha | toJson }}
{{- else if .Values.rbac.clusterWide -}}
[]
{{- else -}}
{{ list .Release.Namespace | toJson }}
{{- end -}}
{{- end -}}

{{/* The same as --watch-namespaces takes it. */}}
{{- define "causeway.watchNamespaces" -}}
{{ include "causeway.namespaces" . | fromJsonArray | join "," | default "*" }}
{{- end -}}

{{/* Name of an object without a namespace, so that two installations on one cluster have their own. */}}
{{- define "causeway.clusterScopedName" -}}
{{ printf "causeway-%s" .Release.Namespace }}
{{- end -}}

{{/* Labels of every object. Takes (dict "root" $ "component" NAME). */}}
{{- define "causeway.labels" -}}
{{ include "causeway.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: causeway
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name (.root.Chart.Version | replace "+" "_") }}
{{- end -}}

{{- define "causeway.selectorLabels" -}}
app.kubernetes.io/name: causeway-{{ .component }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{/* What the restricted Pod Security level asks of a pod, and more. */}}
{{- define "causeway.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "causeway.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Fields of a pod's spec that say where it runs. Takes (dict "root" $ "component" NAME "values" VALUES). */}}
{{- define "causeway.scheduling" -}}
{{- with .values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "causeway.selectorLabels" . | nindent 8 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Probes of a container whose port `admin` is @causeway/telemetry's. */}}
{{- define "causeway.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: admin }
  periodSeconds: 1
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: admin }
  periodSeconds: 10
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: admin }
  periodSeconds: 2
  failureThreshold: 2
{{- end -}}
