{{- define "crdshift.name" -}}
{{- if contains "crdshift" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-crdshift" (.Release.Name | trunc 40 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "crdshift.selectorLabels" -}}
app.kubernetes.io/name: crdshift
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "crdshift.labels" -}}
{{ include "crdshift.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "crdshift.sessionSecret" -}}
{{- .Values.session.existingSecret | default (printf "%s-session" (include "crdshift.name" .)) -}}
{{- end -}}
