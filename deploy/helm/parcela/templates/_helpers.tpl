{{- define "parcela.labels" -}}
app.kubernetes.io/name: parcela
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parcela.image" -}}
{{ .Values.image.repository }}@{{ required "image.digest: name the image by its digest, sha256:..." .Values.image.digest }}
{{- end }}

{{- define "parcela.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "parcela.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "parcela.environment" -}}
{{- range $name, $value := .Values.settings }}
{{- if ne (toString $value) "" }}
- { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end }}
- { name: DATABASE_URL_FILE, value: /secrets/database/url }
- { name: PARCELA_KEY_VALUE_FILE, value: /secrets/key/key }
{{- if .Values.secrets.acquirerToken.name }}
- { name: PARCELA_ACQUIRER_TOKEN_FILE, value: /secrets/acquirer/token }
{{- end }}
{{- if .Values.secrets.metricsToken.name }}
- { name: PARCELA_METRICS_HOST, value: 0.0.0.0 }
- { name: PARCELA_METRICS_TOKEN_FILE, value: /secrets/metrics/token }
{{- end }}
{{- if .Values.console.origin }}
- { name: PARCELA_CONSOLE_PORT, value: "8090" }
- { name: PARCELA_CONSOLE_HOST, value: 0.0.0.0 }
- { name: PARCELA_CONSOLE_ORIGIN, value: {{ .Values.console.origin | quote }} }
{{- end }}
{{- if .Values.secrets.oidcClient.name }}
- { name: PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE, value: /secrets/oidc/secret }
{{- end }}
{{- end }}

{{- define "parcela.mounts" -}}
- { name: database, mountPath: /secrets/database, readOnly: true }
- { name: key, mountPath: /secrets/key, readOnly: true }
{{- if .Values.secrets.acquirerToken.name }}
- { name: acquirer, mountPath: /secrets/acquirer, readOnly: true }
{{- end }}
{{- if .Values.secrets.metricsToken.name }}
- { name: metrics, mountPath: /secrets/metrics, readOnly: true }
{{- end }}
{{- if .Values.secrets.oidcClient.name }}
- { name: oidc, mountPath: /secrets/oidc, readOnly: true }
{{- end }}
- { name: data, mountPath: /data }
- { name: temporary, mountPath: /tmp }
{{- end }}

{{- define "parcela.secretVolume" -}}
secret:
  secretName: {{ .secret.name }}
  defaultMode: 0440
  items: [{ key: {{ .secret.key }}, path: {{ .path }} }]
{{- end }}

{{- define "parcela.volumes" -}}
- name: database
  {{- include "parcela.secretVolume" (dict "secret" .Values.secrets.database "path" "url") | nindent 2 }}
- name: key
  {{- include "parcela.secretVolume" (dict "secret" .Values.secrets.key "path" "key") | nindent 2 }}
{{- if .Values.secrets.acquirerToken.name }}
- name: acquirer
  {{- include "parcela.secretVolume" (dict "secret" .Values.secrets.acquirerToken "path" "token") | nindent 2 }}
{{- end }}
{{- if .Values.secrets.metricsToken.name }}
- name: metrics
  {{- include "parcela.secretVolume" (dict "secret" .Values.secrets.metricsToken "path" "token") | nindent 2 }}
{{- end }}
{{- if .Values.secrets.oidcClient.name }}
- name: oidc
  {{- include "parcela.secretVolume" (dict "secret" .Values.secrets.oidcClient "path" "secret") | nindent 2 }}
{{- end }}
- { name: data, emptyDir: { medium: Memory, sizeLimit: 16Mi } }
- { name: temporary, emptyDir: { medium: Memory, sizeLimit: 64Mi } }
{{- end }}
