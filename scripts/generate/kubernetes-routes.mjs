// The Ingress and HTTPRoute objects from the path table. Paths for signed-in users and paths for anonymous requests are
// separate objects, so that the latter can have limits.

/** Every overlay replaces it by the host of PUBLIC_URL (k8s/components/cluster-values). */
const HOST = 'cloud.example.org';
const SOURCE = '# Written by `npm run generate` from libs/platform/src/path-table.ts.\n';
const OBJECTS = [
  { name: 'drawbridge', holds: (row) => !row.anonymous },
  { name: 'drawbridge-anonymous', holds: (row) => row.anonymous === true },
];

/** @returns the text of k8s/base/ingress.yaml */
export function ingressManifest(table, alternativesOf) {
  const ingresses = OBJECTS.map(({ name, holds }) => {
    const paths = pathsOf(table.filter(holds), alternativesOf).map(
      ({ path, below, app }) => `          - path: ${path}
            pathType: ${below ? 'Prefix' : 'Exact'}
            backend:
              service:
                name: ${app}
                port:
                  name: http
`,
    );
    return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/name: drawbridge
spec:
  tls:
    - hosts:
        - ${HOST}
      secretName: drawbridge-tls
  rules:
    - host: ${HOST}
      http:
        paths:
${paths.join('')}`;
  });
  return `${SOURCE}${ingresses.join('---\n')}`;
}

/** @returns the text of k8s/components/gateway-api/http-routes.yaml */
export function httpRouteManifest(table, alternativesOf) {
  const routes = OBJECTS.map(({ name, holds }) => {
    const paths = pathsOf(table.filter(holds), alternativesOf);
    const rules = [false, true].flatMap((lasts) => {
      const ofKind = paths.filter((path) => path.lasts === lasts);
      return [...new Set(ofKind.map(({ app }) => app))].map((app) => ruleOf(app, ofKind));
    });
    return `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/name: drawbridge
spec:
  parentRefs:
    - name: gateway
      namespace: gateway
  hostnames:
    - ${HOST}
  rules:
${rules.join('')}`;
  });
  return `${SOURCE}${routes.join('---\n')}`;
}

/** @returns the text of charts/drawbridge/files/routes.yaml, whose templates create Ingress or HTTPRoute objects */
export function chartRoutes(table, alternativesOf) {
  const objects = OBJECTS.map(({ name, holds }) => {
    const paths = pathsOf(table.filter(holds), alternativesOf);
    const groups = [false, true].flatMap((lasts) => {
      const ofKind = paths.filter((path) => path.lasts === lasts);
      return [...new Set(ofKind.map(({ app }) => app))].map((app) => groupOf(app, lasts, ofKind));
    });
    return `${name}:\n${groups.join('')}`;
  });
  return `${SOURCE}${objects.join('')}`;
}

function groupOf(app, lasts, paths) {
  const own = paths.filter((path) => path.app === app);
  const lines = own.map(({ path, below }) => `      - { path: ${path}, below: ${below === true} }\n`);
  return `  - app: ${app}\n    lasts: ${lasts}\n    paths:\n${lines.join('')}`;
}

function ruleOf(app, paths) {
  const own = paths.filter((path) => path.app === app);
  const matches = own.map(
    ({ path, below }) => `        - path:
            type: ${below ? 'PathPrefix' : 'Exact'}
            value: ${path}
`,
  );
  // Gateways otherwise end a transfer after their own time limit.
  const unlimited = own[0].lasts ? '      timeouts:\n        request: 0s\n' : '';
  return `    - matches:
${matches.join('')}      backendRefs:
        - name: ${app}
          port: 8080
${unlimited}`;
}

function pathsOf(rows, alternativesOf) {
  return rows.flatMap(({ path, below, app, lasts }) =>
    alternativesOf(path).map((path) => ({ path, below, app, lasts: lasts === true || app === 'files' })),
  );
}
