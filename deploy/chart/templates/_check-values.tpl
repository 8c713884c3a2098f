{{/* What a schema can't say, or not in words that tell what to do. */}}
{{- define "crdshift.checkValues" -}}
{{- if not .Values.image -}}
{{- fail "image is not set: build one with deploy/Dockerfile, push it where your nodes pull from, and name it with its tag or digest." -}}
{{- end -}}
{{- if and (eq .Values.mode "unsafe-shared-readonly") (not .Values.acceptUnsafe) -}}
{{- fail "mode unsafe-shared-readonly shows the definitions, and the objects of roles.groups, to everybody who reaches the pod. Set acceptUnsafe=true if that is what you want, or mode=token, where everybody has the permissions of their own token." -}}
{{- end -}}
{{- if and (ne .Values.mode "token") .Values.tokenHeader -}}
{{- fail "tokenHeader works only with mode=token. Unset it." -}}
{{- end -}}
{{- if and .Values.session.existingSecret .Values.session.keys -}}
{{- fail "session.existingSecret and session.keys are both set: keep one." -}}
{{- end -}}
{{- if and (not .Values.roles.create) (or .Values.roles.viewers .Values.roles.migrators) -}}
{{- fail "roles.viewers and roles.migrators are bound to the roles of this release: set roles.create=true, or bind them yourself." -}}
{{- end -}}
{{- range .Values.roles.groups -}}
{{- $group := .name -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$" $group) -}}
{{- fail (printf "roles.groups: %q is not the group of a definition. Name groups one by one, such as stable.example.com; there is no \"*\"." $group) -}}
{{- end -}}
{{- if has $group (include "crdshift.ownGroups" $ | fromYamlArray) -}}
{{- fail (printf "roles.groups: %q is a group of Kubernetes itself, which holds no custom resources." $group) -}}
{{- end -}}
{{- range .resources -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" .) -}}
{{- fail (printf "roles.groups: %q is not the plural name of a resource of %s. Name resources one by one, such as crontabs; there is no \"*\"." . $group) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Those with a dot: the group of a definition has one. Some would let the permission to patch them change who may do what. */}}
{{- define "crdshift.ownGroups" -}}
- admissionregistration.k8s.io
- apiextensions.k8s.io
- apiregistration.k8s.io
- authentication.k8s.io
- authorization.k8s.io
- certificates.k8s.io
- coordination.k8s.io
- discovery.k8s.io
- events.k8s.io
- flowcontrol.apiserver.k8s.io
- internal.apiserver.k8s.io
- networking.k8s.io
- node.k8s.io
- rbac.authorization.k8s.io
- resource.k8s.io
- scheduling.k8s.io
- storage.k8s.io
- storagemigration.k8s.io
{{- end -}}
