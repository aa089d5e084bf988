import { alternativesOf, appServing, PATH_TABLE } from '../../libs/platform/src';
import { APPS, cannotRender, Objects, render, sourcesOf, type Pod } from './cluster-objects';

type Policy = ReturnType<typeof policiesOf>[number];

const describeRendered = cannotRender === undefined ? describe : describe.skip;
const SERVING = [...new Set(PATH_TABLE.map(({ app }) => app))].sort();
/** Never reached from outside, by any client. */
const INSIDE = ['/metrics', '/health/live', '/health/ready'];

const policiesOf = (objects: Objects) =>
  objects.of('NetworkPolicy').map(({ metadata, spec }) => ({ name: metadata!.name!, ...spec! }));

function selects({ podSelector }: Policy, pod: Pod): boolean {
  const labels = pod.metadata!.labels!;
  const { matchLabels = {}, matchExpressions = [] } = podSelector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values!.includes(labels[key]!))
  );
}

describeRendered(`the network${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`, () => {
  const instances =
    cannotRender === undefined
      ? ['base', 'overlays/dev', 'overlays/production', 'overlays/two-instances'].flatMap((path) =>
          render(path)
            .byNamespace()
            .map((objects) => ({ path, objects })),
        )
      : [];

  it.each(instances)('$path: everything without a policy is forbidden', ({ objects }) => {
    const policies = policiesOf(objects);
    expect(policies.filter(({ name }) => name === 'default-deny')).toEqual([
      { name: 'default-deny', podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    ]);
    // An empty rule, or a rule without `from` or `to`, allows everything.
    for (const { ingress = [], egress = [] } of policies)
      for (const rule of [
        ...ingress.map(({ from, ports }) => [from, ports]),
        ...egress.map(({ to, ports }) => [to, ports]),
      ])
        for (const part of rule) expect(part?.length).toBeGreaterThan(0);
    // A policy without a pod is a mistake of its author.
    for (const policy of policies)
      expect(objects.workloads().some(({ pod }) => selects(policy, pod))).toBe(true);
  });

  it.each(instances)(
    '$path: each pod reaches its dependencies, and only some reach the internet',
    ({ objects }) => {
      const reaches = (app: string) => {
        const { pod } = objects.workloads().find(({ name }) => name === app)!;
        return policiesOf(objects)
          .filter((policy) => policy.egress && selects(policy, pod))
          .map(({ name }) => name)
          .filter((name) => !['smtp', 's3', 'neighbours', 'traces'].includes(name))
          .sort();
      };
      for (const app of APPS) {
        const partners = sourcesOf(app).includes("'#federation/client'") ? ['partners'] : [];
        const queue = sourcesOf(app).includes('QueueModule') ? ['queue'] : [];
        expect({ app, reaches: reaches(app) }).toEqual({
          app,
          reaches: ['database', 'names', ...partners, ...queue],
        });
      }
      expect(reaches('drawbridge-migrate')).toEqual(['database', 'names']);
    },
  );

  it.each(instances)('$path: the internet excludes private networks', ({ objects }) => {
    const wide = policiesOf(objects).filter(({ egress = [] }) =>
      egress.some(({ to = [] }) => to.some(({ ipBlock }) => Number(ipBlock?.cidr.split('/')[1]) < 8)),
    );
    expect(wide.map(({ name }) => name)).toEqual(['partners']);
    const [{ to, ports }] = wide[0]!.egress as [
      { to: { ipBlock: { cidr: string; except: string[] } }[]; ports: object[] },
    ];
    expect(ports).toEqual([{ protocol: 'TCP', port: 443 }]);
    const byFamily = new Map(to.map(({ ipBlock }) => [ipBlock.cidr, ipBlock.except]));
    expect(byFamily.get('0.0.0.0/0')).toEqual(
      expect.arrayContaining([
        ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
        ...['127.0.0.0/8', '169.254.0.0/16', '0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4'],
      ]),
    );
    // Unique local, link-local and mapped addresses are outside of this range.
    expect([...byFamily.keys()]).toEqual(['0.0.0.0/0', '2000::/3']);
  });

  it.each(instances)('$path: requests come through the proxy, metrics go to monitoring', ({ objects }) => {
    for (const { name, pod } of objects.workloads().filter(({ kind }) => kind === 'Deployment')) {
      const admits = policiesOf(objects)
        .filter((policy) => policy.ingress && selects(policy, pod))
        .flatMap(({ ingress }) => ingress!.flatMap(({ ports }) => ports!.map(({ port }) => port)));
      expect({ name, ports: admits.sort() }).toEqual({
        name,
        ports: SERVING.some((app) => app === name) ? ['http', 'metrics'] : ['metrics'],
      });
    }
  });
});

interface Route {
  readonly path: string;
  readonly below: boolean;
  readonly app: string;
  readonly object: string;
}

/** Finds the route as Ingress and HTTPRoute both do: the exact path first, then the longest one above it. */
function routeOf(routes: readonly Route[], path: string): Route | undefined {
  const matching = routes.filter((route) =>
    route.below ? path === route.path || path.startsWith(`${route.path}/`) : path === route.path,
  );
  const rank = ({ below, path: { length } }: Route) => (below ? length : Infinity);
  return matching.sort((one, other) => rank(other) - rank(one))[0];
}

const ingressRoutes = (objects: Objects): Route[] =>
  objects.of('Ingress').flatMap(({ metadata, spec }) =>
    spec!.rules!.flatMap(({ http }) =>
      http!.paths.map(({ path, pathType, backend }) => ({
        path: path!,
        below: pathType === 'Prefix',
        app: backend.service!.name,
        object: metadata!.name!,
      })),
    ),
  );

const gatewayRoutes = (objects: Objects): Route[] =>
  objects.of('HTTPRoute').flatMap(({ metadata, spec }) =>
    spec.rules!.flatMap(({ matches, backendRefs }) =>
      matches!.map(({ path }) => ({
        path: path!.value!,
        below: path!.type === 'PathPrefix',
        app: backendRefs![0]!.name,
        object: metadata!.name!,
      })),
    ),
  );

describeRendered(`routes${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`, () => {
  const cases = [
    ['base', 'Ingress', ingressRoutes],
    ['overlays/dev', 'Ingress', ingressRoutes],
    ['overlays/two-instances', 'Ingress', ingressRoutes],
    ['overlays/production', 'HTTPRoute', gatewayRoutes],
  ] as const;
  const ROWS = PATH_TABLE.flatMap(({ path, anonymous }) =>
    alternativesOf(path).map((each) => [each, anonymous] as const),
  );

  it.each(cases)('%s routes by %s like the path table', (kustomization, _kind, routesOf) => {
    for (const objects of render(kustomization).byNamespace()) {
      const routes = routesOf(objects);
      expect(routes).toHaveLength(ROWS.length);
      const near = ROWS.flatMap(([path]) => [path, `${path}/`, `${path}/below`, `${path}beside`]);
      for (const path of [...near, ...INSIDE, '/unknown'])
        expect({ path, app: routeOf(routes, path)?.app }).toEqual({ path, app: appServing(path) });
    }
  });

  it.each(cases)('%s separates anonymous paths', (kustomization, _kind, routesOf) => {
    for (const objects of render(kustomization).byNamespace()) {
      const routes = routesOf(objects);
      for (const [path, anonymous] of ROWS)
        expect({ path, object: routeOf(routes, path)?.object }).toEqual({
          path,
          object: anonymous ? 'drawbridge-anonymous' : 'drawbridge',
        });
    }
  });

  it('routes to existing Services, under the host of PUBLIC_URL', () => {
    for (const [kustomization, , routesOf] of cases)
      for (const objects of render(kustomization).byNamespace()) {
        const services = objects
          .of('Service')
          .filter(({ spec }) => spec!.ports!.some(({ name }) => name === 'http'));
        expect(new Set(routesOf(objects).map(({ app }) => app))).toEqual(
          new Set(services.map(({ metadata }) => metadata!.name)),
        );
        const hosts = [
          ...objects
            .of('Ingress')
            .flatMap(({ spec }) => [
              ...spec!.rules!.map(({ host }) => host),
              ...spec!.tls!.flatMap(({ hosts: named }) => named),
            ]),
          ...objects.of('HTTPRoute').flatMap(({ spec }) => spec.hostnames),
        ];
        const config = objects.of('ConfigMap').find(({ data }) => data?.PUBLIC_URL);
        expect(new Set(hosts)).toEqual(new Set([new URL(config!.data!.PUBLIC_URL!).host]));
      }
  });

  it('limits the anonymous requests of one address', () => {
    for (const { metadata } of render('base').of('Ingress')) {
      const limits = Object.keys(metadata!.annotations!).filter((name) =>
        /\/limit-(rps|connections)$/.test(name),
      );
      expect(limits).toHaveLength(metadata!.name === 'drawbridge-anonymous' ? 2 : 0);
    }
  });
});
