{{- define "crdshift.readDefinitions" -}}
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [get, list, watch]
{{- end -}}

{{- define "crdshift.readObjects" -}}
{{- range .Values.roles.groups }}
- apiGroups: [{{ .name | quote }}]
  resources:
    {{- range .resources }}
    - {{ . | quote }}
    {{- end }}
  verbs: [get, list]
{{- end }}
{{- end -}}

{{- define "crdshift.readMigrations" -}}
# What other engines do: the cluster's own and OpenShift's.
- apiGroups: [storagemigration.k8s.io, migration.k8s.io]
  resources: [storageversionmigrations]
  verbs: [get, list]
{{- end -}}

{{/* Binds a ClusterRole for the whole cluster, and the one for Events in the namespace where Events about definitions are. */}}
{{- define "crdshift.bindRole" -}}
{{- with .subjects }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $.role }}
  labels:
    {{- include "crdshift.labels" $.root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $.role }}
subjects:
  {{- include "crdshift.subjects" . | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $.role }}-events
  namespace: default
  labels:
    {{- include "crdshift.labels" $.root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $.role }}-events
subjects:
  {{- include "crdshift.subjects" . | trim | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "crdshift.subjects" -}}
{{- range . }}
- kind: {{ .kind }}
  name: {{ .name | quote }}
  {{- if eq .kind "ServiceAccount" }}
  namespace: {{ required "A subject of kind ServiceAccount needs its namespace." .namespace | quote }}
  {{- else }}
  apiGroup: rbac.authorization.k8s.io
  {{- end }}
{{- end }}
{{- end -}}
