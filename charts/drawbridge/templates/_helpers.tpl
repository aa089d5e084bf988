{{- define "drawbridge.labels" -}}
app.kubernetes.io/name: drawbridge
{{- end -}}

{{- define "drawbridge.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "drawbridge.host" -}}
{{ (urlParse .Values.publicUrl).host }}
{{- end -}}

{{/* The Service of an app: with size small, one Service for all apps. */}}
{{- define "drawbridge.service" -}}
{{- if eq .root.Values.size "small" -}}standalone{{- else -}}{{ .app }}{{- end -}}
{{- end -}}

{{/* Settings of every pod. */}}
{{- define "drawbridge.pod" -}}
serviceAccountName: drawbridge
automountServiceAccountToken: false
enableServiceLinks: false
{{- if .Values.priorityClassName }}
priorityClassName: {{ .Values.priorityClassName }}
{{- end }}
{{- if .Values.image.pullSecrets }}
imagePullSecrets:
{{- range .Values.image.pullSecrets }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "drawbridge.account" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "drawbridge.accountWithVolume" -}}
{{ include "drawbridge.account" . }}
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
{{- end -}}

{{- define "drawbridge.container" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{/* A variable from the Secret. */}}
{{- define "drawbridge.secret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .root.Values.existingSecret }}
      key: {{ .name }}
{{- if .optional }}
      optional: true
{{- end }}
{{- end -}}

{{- define "drawbridge.probes" -}}
startupProbe:
  httpGet:
    path: /health/live
    port: http
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: {{ .starts }}
readinessProbe:
  httpGet:
    path: /health/ready
    port: http
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  httpGet:
    path: /health/live
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
lifecycle:
  preStop:
    exec:
      command:
        - sleep
        - '10'
{{- end -}}

{{- define "drawbridge.spread" -}}
- maxSkew: 1
  topologyKey: {{ .key }}
  whenUnsatisfiable: {{ .unless }}
  labelSelector:
    matchLabels:
      app.kubernetes.io/name: drawbridge
  matchLabelKeys:
    - app.kubernetes.io/component
    - pod-template-hash
{{- end -}}

{{- define "drawbridge.config" -}}
PUBLIC_URL: {{ .Values.publicUrl | quote }}
HOST: 0.0.0.0
PORT: '8080'
METRICS_PORT: '9464'
BLOB_STORE: {{ .Values.storage.blobStore | quote }}
COMPATIBILITY: {{ .Values.compatibility }}
QUEUE_PREFIX: drawbridge
DATABASE_POOL: '10'
SHUTDOWN_GRACE: 20s
TRUSTED_PROXIES: {{ .Values.network.proxy.range | quote }}
{{- if .Values.storage.s3Endpoint }}
S3_ENDPOINT: {{ .Values.storage.s3Endpoint | quote }}
{{- end }}
{{- range $name, $value := .Values.config }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "drawbridge.place" -}}
- to:
    - ipBlock:
        cidr: {{ .range | quote }}
  ports:
    - protocol: TCP
      port: {{ .port }}
{{- end -}}
