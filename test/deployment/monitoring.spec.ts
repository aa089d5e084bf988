import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { QueueKeys } from 'bullmq';
import { parse, stringify } from 'yaml';
import { COMMANDS } from '../../apps/cli/src/commands';
import { Metrics } from '../../libs/platform/src/metrics/metrics';
import { QUEUE_NAMES } from '../../libs/queue/src/jobs/queues';
import { REPOSITORY } from '../../libs/testing/src';
import { cannotRender, render, written } from './cluster-objects';

const describeRendered = cannotRender === undefined ? describe : describe.skip;
const read = (file: string) => readFileSync(join(REPOSITORY, file), 'utf8');
const RULES = written()
  .of('PrometheusRule')
  .flatMap(({ spec }) => spec.groups!.flatMap(({ rules }) => rules!));
const ALERTS = RULES.map(({ alert }) => alert!);

interface Dashboard {
  readonly panels: readonly {
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

/** All existing series with their labels: series of Node.js from the registry, ours from the sources. */
async function knownMetrics(): Promise<Map<string, readonly string[]>> {
  const metrics = new Metrics();
  metrics.measureProcess();
  const known = new Map<string, readonly string[]>();
  for (const { name, type } of await metrics.registry.getMetricsAsJSON()) {
    known.set(name, []);
    const labels = ['method', 'route', 'status'];
    if (String(type) === 'histogram')
      for (const part of ['count', 'sum', 'bucket'])
        known.set(`${name}_${part}`, part === 'bucket' ? [...labels, 'le'] : labels);
  }
  metrics.registry.clear();
  for (const source of sources())
    for (const [, name, labels] of source.matchAll(
      /metrics\??\.(?:counter|gauge)\(\s*'(\w+)',[^[]*?\[([^\]]*)\]/g,
    ))
      known.set(`drawbridge_${name}`, labels!.match(/\w+/g) ?? []);
  for (const source of sources())
    for (const [, name, labels] of source.matchAll(/\.durations\(\s*'(\w+)',[^[]*?\[([^\]]*)\]/g))
      for (const part of ['count', 'sum', 'bucket'])
        known.set(`drawbridge_${name}_${part}`, [...(labels!.match(/\w+/g) ?? []), 'le']);
  return known;
}

function sources(): string[] {
  return ['apps', 'libs'].flatMap((directory) =>
    readdirSync(join(REPOSITORY, directory), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => read(join(directory, file))),
  );
}

/** Labels that the scraping adds. */
const ADDED = ['namespace', 'job', 'pod', 'app_kubernetes_io_name'];

/** Unknown series in an expression, and unknown labels of known series. */
function unknownIn(expression: string, known: ReadonlyMap<string, readonly string[]>): string[] {
  return [...expression.matchAll(/\b((?:drawbridge|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, name, matchers = '']) => {
      const labels = known.get(name!);
      if (!labels) return [name!];
      return [...matchers.matchAll(/(\w+)(?==~?"|!=")/g)].flatMap(([, label]) =>
        labels.includes(label!) || ADDED.includes(label!) ? [] : [`${name} ${label}`],
      );
    },
  );
}

describe('alerts and dashboard', () => {
  it('use existing series', async () => {
    const known = await knownMetrics();
    const { panels, templating } = JSON.parse(read('k8s/components/grafana/drawbridge.json')) as Dashboard;
    const expressions = [
      ...RULES.map(({ expr }) => String(expr)),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...templating.list.map(({ query }) => query),
      ...written()
        .of('ScaledObject')
        .flatMap(({ spec }) => spec.triggers.flatMap(({ metadata }) => metadata.query ?? [])),
    ];
    expect(expressions.length).toBeGreaterThan(15);
    expect(expressions.flatMap((expression) => unknownIn(expression, known))).toEqual([]);
    // A metric without a panel is not watched.
    const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
    const ours = [...known.keys()].filter((name) => /^drawbridge_(?!http)(?!\w+_seconds_sum$)/.test(name));
    expect(ours.length).toBeGreaterThan(4);
    expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
  });

  it('each have a section in the runbooks', () => {
    const headings = read('docs/operations/runbooks.md').match(/(?<=^## ).+/gm);
    expect(headings).toEqual(ALERTS);
    for (const { alert, annotations, labels, for: delay } of RULES) {
      expect(annotations).toMatchObject({
        runbook_url: `https://docs.example.org/drawbridge/operations/runbooks.md#${alert!.toLowerCase()}`,
      });
      expect({ alert, annotations, severity: labels!.severity, delay }).toMatchObject({
        annotations: { summary: expect.any(String) },
        severity: expect.stringMatching(/^(warning|critical)$/),
        delay: expect.stringMatching(/^\d+m$/),
      });
    }
  });

  it('separate instances', () => {
    const { panels } = JSON.parse(read('k8s/components/grafana/drawbridge.json')) as Dashboard;
    const targets = panels.flatMap(({ targets }) => targets);
    for (const { expr, legendFormat } of targets) {
      const groups = [...expr.matchAll(/\b(?:sum|max|count|min)\b(?: by \(([^)]*)\))?/g)].map(([, by]) => by);
      expect({
        expr,
        isApart: groups.length > 0 && groups.every((by) => by?.startsWith('namespace')),
      }).toEqual({
        expr,
        isApart: true,
      });
      expect({ expr, legendFormat }).toEqual({
        expr,
        legendFormat: expect.stringContaining('{{namespace}}'),
      });
    }
  });

  it('are explained with existing commands', () => {
    const names = COMMANDS.map(({ name }) => name);
    for (const page of ['runbooks', 'kubernetes']) {
      const written = read(`docs/operations/${page}.md`).match(
        /(?<=(?:`|-- |bin\/)drawbridge )[a-z:-]+(?: [a-z-]+)?/g,
      )!;
      const missing = written.filter(
        (words) => !names.includes(words) && !names.includes(words.split(' ')[0]!),
      );
      expect({ page, missing }).toEqual({ page, missing: [] });
    }
  });
});

describeRendered(`runbooks${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`, () => {
  it('link to the address of the overlay', () => {
    const objects = render('overlays/production');
    const rules = objects
      .of('PrometheusRule')
      .flatMap(({ spec }) => spec.groups!.flatMap(({ rules: some }) => some!));
    expect(rules).toHaveLength(ALERTS.length);
    const cluster = parse(read('k8s/overlays/production/cluster.yaml')) as {
      data: { runbooksAddress: string };
    };
    for (const { alert, annotations } of rules)
      expect(annotations!.runbook_url).toBe(`${cluster.data.runbooksAddress}#${alert!.toLowerCase()}`);
  });
});

describeRendered(`scaling${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`, () => {
  it('count all waiting jobs of the queue library', () => {
    const objects = render('overlays/production');
    const config = objects.of('ConfigMap').find(({ data }) => data?.QUEUE_PREFIX)!.data!;
    const [scaled] = objects.of('ScaledObject');
    const keys = new QueueKeys(config.QUEUE_PREFIX);
    const expected = QUEUE_NAMES.filter((queue) => queue !== 'schedules').flatMap((queue) => {
      const { wait, prioritized } = keys.getKeys(queue);
      return [wait, prioritized];
    });
    const triggers = scaled!.spec.triggers;
    expect(triggers.filter(({ type }) => type === 'redis').map(({ metadata }) => metadata.listName)).toEqual(
      expected,
    );
    // Only a running worker starts postponed deliveries.
    expect(scaled!.spec.minReplicaCount).toBeGreaterThanOrEqual(1);
    const [{ metadata: prometheus }] = triggers.filter(({ type }) => type === 'prometheus') as [
      (typeof triggers)[0],
    ];
    expect(prometheus.query).toContain(`namespace="${scaled!.metadata!.namespace}"`);
  });

  it('ask the sentinels for the same lists with the component for them', () => {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-overlay-'));
    try {
      const [k8s, top] = [join(REPOSITORY, 'k8s'), realpathSync(directory)];
      const parts = {
        resources: [relative(top, join(k8s, 'overlays/production'))],
        components: [relative(top, join(k8s, 'components/keda-sentinels'))],
      };
      writeFileSync(join(directory, 'kustomization.yaml'), stringify(parts));
      const objects = render(relative(k8s, top));
      const asked = render('overlays/production').of('ScaledObject')[0]!.spec.triggers;
      const triggers = objects.of('ScaledObject')[0]!.spec.triggers;
      expect(triggers.map(({ metadata }) => metadata.listName)).toEqual(
        asked.map(({ metadata }) => metadata.listName),
      );
      for (const { type, metadata } of triggers.filter((one) => one.type !== 'prometheus')) {
        expect({ type, master: metadata.sentinelMaster }).toEqual({
          type: 'redis-sentinel',
          master: 'mymaster',
        });
        expect(metadata.addresses).toMatch(/^(s\d\.example\.org:26379,?){3}$/);
        expect(metadata).not.toHaveProperty('address');
      }
      expect(objects.all.find(({ kind }) => kind === 'TriggerAuthentication')).toMatchObject({
        spec: { secretTargetRef: [{ key: 'REDIS_PASSWORD' }, { parameter: 'sentinelPassword' }] },
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
