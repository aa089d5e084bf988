import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { PRODUCT_VERSION, readConfig } from '../../libs/platform/src';
import { QUEUE_NAMES } from '../../libs/queue/src/jobs/queues';
import { CHART, objectsOfChart, renderChart } from './chart/render-chart';
import { parseTemplate } from './chart/template-parser';
import { cannotRender, complaintsAbout, Objects, render, type ClusterObject } from './cluster-objects';

type Values = Readonly<Record<string, unknown>>;

const read = (file: string): string => readFileSync(join(CHART, file), 'utf8');
const FILES = readdirSync(join(CHART, 'ci'));
const valuesIn = (file: string): Values => (parse(read(`ci/${file}-values.yaml`)) ?? {}) as Values;
const madeOf = (values: Values): Objects => new Objects(objectsOfChart(values));
const namesOf = (objects: Objects): string[] =>
  objects.all.map(({ kind, metadata: { name } }) => `${kind} ${name}`).sort();

const APPS = Object.keys(parse(read('files/apps.yaml')) as object);
const SERVING = APPS.filter((app) => app !== 'federation-worker');
const COMMON = ['ConfigMap drawbridge-config', 'ServiceAccount drawbridge'];
const POLICIES = ['database', 'default-deny', 'metrics', 'names', 'partners', 'requests'];
const policies = (...more: string[]) => [...POLICIES, ...more].map((name) => `NetworkPolicy ${name}`);
const ofApps = (kind: string, apps = APPS) => apps.map((app) => `${kind} ${app}`);
const INGRESSES = ['Ingress drawbridge', 'Ingress drawbridge-anonymous'];
const SEPARATE = [
  ...COMMON,
  'Job drawbridge-migrate',
  ...ofApps('Deployment'),
  ...ofApps('Service'),
  ...ofApps('PodDisruptionBudget'),
  ...ofApps('HorizontalPodAutoscaler', SERVING),
];
const CONTENT = 'PersistentVolumeClaim drawbridge-blobs';
const STANDARD = [...SEPARATE, ...INGRESSES, CONTENT, ...policies('queue')];

/** Expected objects for each file of values. */
const INTENDED: Readonly<Record<string, readonly string[]>> = {
  standard: STANDARD,
  small: [
    ...COMMON,
    ...INGRESSES,
    'Deployment standalone',
    'Service standalone',
    'PersistentVolumeClaim drawbridge-data',
    ...policies(),
  ],
  large: [
    ...STANDARD,
    'ScaledObject federation-worker',
    'TriggerAuthentication drawbridge-redis',
    'ServiceMonitor drawbridge',
    'PrometheusRule drawbridge',
  ],
  bucket: [
    ...SEPARATE,
    ...INGRESSES,
    ...policies('queue', 's3'),
    'CronJob drawbridge-backup',
    'PersistentVolumeClaim drawbridge-backups',
  ],
  gateway: [
    ...SEPARATE,
    CONTENT,
    ...policies('queue'),
    'HTTPRoute drawbridge',
    'HTTPRoute drawbridge-anonymous',
  ],
  backup: [...STANDARD, 'CronJob drawbridge-backup'],
  pinned: STANDARD,
  mail: [...STANDARD, 'NetworkPolicy smtp'],
  sized: STANDARD.filter((name) => name !== CONTENT && name !== 'PodDisruptionBudget web'),
  'open-network': STANDARD.filter((name) => !name.startsWith('NetworkPolicy')),
};

const fits = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')) as object);
const withDefaults = (values: Values): Values => ({ ...(parse(read('values.yaml')) as Values), ...values });

describe('the chart', () => {
  it('gives the intended objects for each file of values', () => {
    expect(FILES.sort()).toEqual(
      Object.keys(INTENDED)
        .map((name) => `${name}-values.yaml`)
        .sort(),
    );
    for (const [name, intended] of Object.entries(INTENDED))
      expect({ name, objects: namesOf(madeOf(valuesIn(name))) }).toEqual({
        name,
        objects: [...intended].sort(),
      });
  });

  it('makes valid objects for each', () => {
    const all = Object.keys(INTENDED).flatMap((name) => objectsOfChart(valuesIn(name)));
    expect(all.length).toBeGreaterThan(200);
    expect(complaintsAbout(all)).toEqual([]);
  });

  it('accepts these values, and refuses mistakes', () => {
    for (const name of Object.keys(INTENDED)) {
      fits(withDefaults(valuesIn(name)));
      expect({ name, errors: fits.errors }).toEqual({ name, errors: null });
    }
    const mistakes: Values[] = [
      { size: 'medium' },
      { publicUrl: 'http://cloud.example.org' },
      { publicURL: 'https://cloud.example.org' },
      { image: { repository: 'drawbridge', tag: 'latest' } },
      { config: { SMTP_URL: 'smtps://user:password@mail' } },
      { config: { S3_SECRET_ACCESS_KEY: 'x' } },
      { apps: { worker: { min: 1 } } },
      { network: { postgres: { range: 'postgres', port: 5432 } } },
    ];
    for (const values of mistakes)
      expect({ values, fits: fits(withDefaults(values)) }).toEqual({ values, fits: false });
    expect(() => objectsOfChart({ size: 'small', backup: { enabled: true } })).toThrow('needs size standard');
  });

  it('of size small is one pod below 0.3 cores and 400 MiB, which serves all paths', () => {
    const objects = madeOf(valuesIn('small'));
    const [{ spec }] = objects.of('Deployment') as [ReturnType<typeof objects.of<'Deployment'>>[0]];
    const [container] = spec!.template.spec!.containers;
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(container!.args).toEqual(['standalone']);
    expect(parseInt(String(container!.resources!.requests!.cpu))).toBeLessThan(300);
    expect(parseInt(String(container!.resources!.requests!.memory))).toBeLessThan(400);
    for (const ingress of objects.of('Ingress'))
      for (const { backend } of ingress.spec!.rules![0]!.http!.paths)
        expect(backend.service!.name).toBe('standalone');
  });

  it('of size large has three replicas of each app on different machines, and workers by waiting jobs', () => {
    const objects = madeOf(valuesIn('large'));
    for (const { spec } of objects.of('HorizontalPodAutoscaler')) expect(spec.minReplicas).toBe(3);
    for (const { spec } of objects.of('PodDisruptionBudget')) expect(spec!.minAvailable).toBe(2);
    for (const { spec } of objects.of('Deployment'))
      expect(spec!.template.spec!.topologySpreadConstraints).toContainEqual(
        expect.objectContaining({
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
        }),
      );
    const [scaled] = objects.of('ScaledObject');
    expect(scaled!.spec).toMatchObject({ minReplicaCount: 3, maxReplicaCount: 10 });
    const lists = QUEUE_NAMES.filter((queue) => queue !== 'schedules').flatMap((queue) => [
      `drawbridge:${queue}:wait`,
      `drawbridge:${queue}:prioritized`,
    ]);
    expect(scaled!.spec.triggers.map(({ metadata }) => metadata.listName)).toEqual(lists);
    for (const { type, metadata } of scaled!.spec.triggers)
      expect({ type, metadata }).toMatchObject({
        type: 'redis',
        metadata: { address: 'redis.example.org:6379' },
      });
  });

  it('asks the sentinels for the length of the queues if there are some', () => {
    const keda = {
      sentinels: ['s1.example.org:26379', 's2.example.org:26379'],
      sentinelMaster: 'queue',
      sentinelPassword: true,
    };
    const objects = madeOf({ ...valuesIn('large'), keda });
    for (const { type, metadata } of objects.of('ScaledObject')[0]!.spec.triggers) {
      expect({ type, master: metadata.sentinelMaster }).toEqual({ type: 'redis-sentinel', master: 'queue' });
      expect(metadata.addresses).toBe('s1.example.org:26379,s2.example.org:26379');
      expect(metadata).not.toHaveProperty('address');
    }
    const authentication = objects.all.find(({ kind }) => kind === 'TriggerAuthentication');
    expect(authentication).toMatchObject({
      spec: {
        secretTargetRef: [
          { parameter: 'password', key: 'REDIS_PASSWORD' },
          { parameter: 'sentinelPassword', key: 'REDIS_SENTINEL_PASSWORD' },
        ],
      },
    });
  });

  it('uses the configured image, Secret and class in every pod', () => {
    const objects = madeOf(valuesIn('pinned'));
    expect(objects.workloads()).toHaveLength(APPS.length + 1);
    for (const { pod } of objects.workloads()) {
      expect(pod.spec.priorityClassName).toBe('important');
      expect(pod.spec.imagePullSecrets).toEqual([{ name: 'registry' }]);
      const [{ image, env }] = pod.spec.containers as [(typeof pod.spec.containers)[0]];
      expect(image).toMatch(/^registry\.example\.org\/drawbridge@sha256:/);
      const secrets = env!.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []);
      expect(new Set(secrets)).toEqual(new Set(['of-the-university']));
    }
  });

  it('backs up every night, tests the backup, and keeps the newest ones', () => {
    for (const [name, keep] of [
      ['backup', 3],
      ['bucket', 7],
    ] as const) {
      const job = madeOf(valuesIn(name)).all.find(({ kind }) => kind === 'CronJob') as unknown as BackupJob;
      const { containers, volumes } = job.spec.jobTemplate.spec.template.spec;
      const script = containers[0]!.command.at(-1)!;
      expect(script.split('\n').slice(0, 3)).toEqual([
        expect.stringMatching(/^file=\/backups\//),
        '/app/bin/drawbridge backup "$file"',
        '/app/bin/drawbridge backup:rehearse --scratch /scratch "$file"',
      ]);
      expect(script).toContain(`tail -n +${keep + 1} `);
      expect(volumes.map((volume) => volume.name).includes('blobs')).toBe(name === 'backup');
    }
  });

  it('restarts the pods after a change of the configuration, and migrates first', () => {
    const sums = (values: Values) =>
      madeOf(values)
        .of('Deployment')
        .map(({ spec }) => spec!.template.metadata!.annotations!['checksum/config']);
    expect(new Set([...sums({}), ...sums({})]).size).toBe(1);
    expect(sums({ config: { LOG_LEVEL: 'warn' } })[0]).not.toBe(sums({})[0]);
    const [job] = madeOf({}).of('Job');
    expect(job!.metadata!.annotations).toMatchObject({ 'helm.sh/hook': 'post-install,pre-upgrade' });
    const [config] = madeOf(valuesIn('mail')).of('ConfigMap');
    expect(readConfig({ ...config!.data, DATABASE_URL: 'postgres://a@b/c' })).toMatchObject({
      COMPATIBILITY: 'owncloud10',
      MAIL_FROM: 'sharing@example.edu',
    });
  });

  it('has the version of the product, and readable examples', () => {
    const { version, appVersion } = parse(read('Chart.yaml')) as Record<string, string>;
    expect([version, appVersion]).toEqual([PRODUCT_VERSION, PRODUCT_VERSION]);
    for (const file of readdirSync(join(CHART, 'examples')))
      for (const document of parseAllDocuments(read(`examples/${file}`))) expect(document.errors).toEqual([]);
    const release = parseAllDocuments(read('examples/flux.yaml'))
      .map((document) => document.toJS() as { kind: string; spec: { values: Values } })
      .find(({ kind }) => kind === 'HelmRelease')!;
    for (const values of [release.spec.values, parse(read('examples/organisation.yaml')) as Values]) {
      expect(fits(withDefaults(values))).toBe(true);
      expect(objectsOfChart(values).length).toBeGreaterThan(5);
    }
    expect(renderChart(valuesIn('small')).get('NOTES.txt')).toContain('exec deploy/standalone');
  });

  it('uses only template words that the renderer of this test supports', () => {
    expect(() => parseTemplate('{{ if }}')).toThrow();
    expect(() => parseTemplate('{{- if .a }}x')).toThrow('no else or end');
    expect(() => parseTemplate('{{ end }}{{ end }}')).not.toThrow(TypeError);
  });
});

interface BackupJob {
  readonly spec: {
    readonly jobTemplate: {
      readonly spec: {
        readonly template: {
          readonly spec: {
            readonly containers: readonly { readonly command: readonly string[] }[];
            readonly volumes: readonly { readonly name: string }[];
          };
        };
      };
    };
  };
}

const describeRendered = cannotRender === undefined ? describe : describe.skip;

describeRendered(
  `the chart and the base${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`,
  () => {
    it('make the same objects', () => {
      const chart = comparable(objectsOfChart({}));
      const base = comparable(render('base').all);
      expect([...chart.keys()].sort()).toEqual([...base.keys()].sort());
      for (const [name, object] of base) expect({ name, object: chart.get(name) }).toEqual({ name, object });
    });
  },
);

/** Objects by name, without the parts that only the chart or only kustomize needs. */
function comparable(objects: readonly ClusterObject[]): Map<string, unknown> {
  return new Map(
    objects.map((object) => {
      const name = `${object.kind} ${object.metadata.name.replace(/^(drawbridge-config)-.+/, '$1')}`;
      return [name, normal(object)];
    }),
  );
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal).sort(byText);
  if (typeof value === 'string') return value.replace(/^(drawbridge-config)-[a-z0-9]{10}$/, '$1');
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !/^(argocd\.argoproj\.io|helm\.sh|checksum)\//.test(key))
    .map(([key, inner]) => [key, normal(inner)] as const)
    .filter(([key, inner]) => !(key === 'annotations' && Object.keys(inner as object).length === 0))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const known = Object.fromEntries(entries) as Record<string, unknown>;
  // The base's ConfigMap has no labels.
  if (known.kind === 'ConfigMap') delete (known.metadata as { labels?: object }).labels;
  return known;
}

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
