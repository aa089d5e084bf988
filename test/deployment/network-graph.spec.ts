import { objectsOfChart } from './chart/render-chart';
import { cannotRender, Objects, render } from './cluster-objects';
import { NetworkGraph, type Place } from './network-graph';

const NAMESPACE = 'north';
const HTTP = { port: 8080, name: 'http' };
const METRICS = { port: 9464, name: 'metrics' };

/** All other places: neighbours in the cluster, services of an instance, and the internet. */
const OTHERS = {
  proxy: { pod: { namespace: 'ingress-nginx', labels: {} } },
  monitoring: { pod: { namespace: 'monitoring', labels: {} } },
  names: { pod: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } } },
  system: { pod: { namespace: 'kube-system', labels: { 'k8s-app': 'controller' } } },
  // A pod of another organisation with the same labels as ours.
  south: {
    pod: {
      namespace: 'south',
      labels: { 'app.kubernetes.io/name': 'drawbridge', 'app.kubernetes.io/component': 'files' },
    },
  },
  // A pod in our namespace from another owner.
  stray: { pod: { namespace: NAMESPACE, labels: { app: 'stray' } } },
  postgres: { address: '10.20.0.5' },
  redis: { address: '10.20.1.5' },
  sentinel: { address: '10.20.3.5' },
  partner: { address: '8.8.8.8' },
  'partner-by-six': { address: '2606:4700::1' },
  metadata: { address: '169.254.169.254' },
  machine: { address: '10.0.0.1' },
  'old-tunnel': { address: '2002:a00:1::1' },
} as const;

const OPEN_PORTS = [443, 53, 5432, 6379, 26_379, 25].map((port) => ({ port })).concat(HTTP, METRICS);

function edgesOf(objects: Objects): Set<string> {
  const pods = objects.workloads().map(({ name, pod }) => ({
    name,
    pod: { namespace: NAMESPACE, labels: pod.metadata!.labels as Record<string, string> },
  }));
  const others: Place[] = Object.entries(OTHERS).map(([name, place]) => ({ name, ...place }));
  const graph = new NetworkGraph(objects, NAMESPACE);
  const targets = [...pods, ...others].map((place) => ({ ...place, openPorts: OPEN_PORTS }));
  const outwards = graph.edges(pods, targets);
  const inwards = graph.edges(
    others,
    pods.map((pod) => ({ ...pod, openPorts: OPEN_PORTS })),
  );
  return new Set([...outwards, ...inwards]);
}

const SERVING = ['capabilities', 'federation-api', 'files', 'share-api', 'web'];
const APPS = [...SERVING, 'federation-worker'];
const WITH_QUEUE = ['federation-api', 'federation-worker', 'share-api'];
const outOf = (from: readonly string[], ...to: string[]) =>
  from.flatMap((one) => to.map((other) => `${one} > ${other}`));

/** All allowed connections. */
const INTENDED = [
  ...outOf([...APPS, 'drawbridge-migrate'], 'names:53', 'postgres:5432'),
  ...outOf(WITH_QUEUE, 'redis:6379'),
  ...outOf(['federation-worker', 'files'], 'partner:443', 'partner-by-six:443'),
  ...SERVING.map((app) => `proxy > ${app}:8080`),
  ...[...APPS, 'drawbridge-migrate'].map((app) => `monitoring > ${app}:9464`),
];
const INTENDED_OF_SMALL = [
  ...outOf(['standalone'], 'names:53', 'postgres:5432', 'partner:443', 'partner-by-six:443'),
  'proxy > standalone:8080',
  'monitoring > standalone:9464',
];

it('of the chart, every pod reaches its dependencies, and nothing else', () => {
  expect([...edgesOf(new Objects(objectsOfChart({})))].sort()).toEqual([...INTENDED].sort());
  expect([...edgesOf(new Objects(objectsOfChart({ size: 'small' })))].sort()).toEqual(
    [...INTENDED_OF_SMALL].sort(),
  );
});

it('of the chart, apps with a queue also reach sentinels that its values name', () => {
  const network = { sentinels: { range: '10.20.3.0/24', port: 26_379 } };
  const edges = edgesOf(new Objects(objectsOfChart({ network })));
  expect([...edges].sort()).toEqual([...INTENDED, ...outOf(WITH_QUEUE, 'sentinel:26379')].sort());
});

it('without policies everything is open in the same graph', () => {
  const edges = edgesOf(new Objects(objectsOfChart({ networkPolicies: false })));
  for (const edge of ['south > files:9464', 'web > metadata:443', 'stray > share-api:8080'])
    expect(edges.has(edge)).toBe(true);
});

const describeRendered = cannotRender === undefined ? describe : describe.skip;
describeRendered(`rendered${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`, () => {
  it('of the base, every pod reaches its dependencies, and nothing else', () => {
    expect([...edgesOf(render('base'))].sort()).toEqual([...INTENDED].sort());
  });

  it('of two organisations on one cluster, neither reaches the pods of the other', () => {
    for (const objects of render('overlays/two-instances').byNamespace()) {
      const edges = [...edgesOf(objects)];
      expect(edges.filter((edge) => /(^south > )|( > south:)/.test(edge))).toEqual([]);
    }
  });
});
