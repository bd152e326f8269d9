{{- define "terdut-bridge.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "terdut-bridge.selector" -}}
app.kubernetes.io/name: terdut-bridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "terdut-bridge.labels" -}}
{{ include "terdut-bridge.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "terdut-bridge.subject" -}}
- kind: ServiceAccount
  name: {{ include "terdut-bridge.name" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
