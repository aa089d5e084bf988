import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, VARIABLES, type Variable } from '../../libs/platform/src';
import { REPOSITORY } from '../../libs/testing/src';
import {
  APPS,
  cannotRender,
  complaintsAbout,
  Objects,
  render,
  sourcesOf,
  written,
  type Pod,
} from './cluster-objects';

type Container = Pod['spec']['containers'][number];

const TABLE: Readonly<Record<string, Variable<unknown>>> = VARIABLES;
const DOCUMENTED = new Set(
  readFileSync(join(REPOSITORY, '.env.example'), 'utf8').match(/(?<=^#)[A-Z0-9_]+(?==)/gm),
);
const SECOND = 1000;

const mebibytes = (quantity: unknown): number => Number(/^(\d+)Mi$/.exec(String(quantity))?.[1]);

const ownContainers = (pod: Pod) => pod.spec.containers.filter(({ image }) => image?.includes('drawbridge:'));
const labelsMatch = (selector: Record<string, string> = {}, labels: Record<string, string> = {}) =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

/** Environment of the container's process; values of the Secret are the table's examples. */
function environmentOf(container: Container, objects: Objects): Record<string, string> {
  const shared = (container.envFrom ?? []).flatMap(({ configMapRef }) => {
    const map = objects.of('ConfigMap').find(({ metadata }) => metadata?.name === configMapRef?.name);
    return Object.entries(map!.data!);
  });
  const own = (container.env ?? []).map(({ name, value }) => [name, value ?? TABLE[name]?.example ?? '']);
  return Object.fromEntries([...shared, ...own]) as Record<string, string>;
}

/** The minimum number of replicas, from the object that sets it. */
function replicasOf(name: string, objects: Objects): number | undefined {
  const decided = [
    objects.of('Deployment').find(({ metadata }) => metadata?.name === name)?.spec?.replicas,
    objects.of('HorizontalPodAutoscaler').find(({ spec }) => spec?.scaleTargetRef.name === name)?.spec
      ?.minReplicas,
    objects.of('ScaledObject').find(({ spec }) => spec?.scaleTargetRef.name === name)?.spec?.minReplicaCount,
  ].filter((count) => count != null);
  // Two objects that set it would undo each other's decisions.
  expect({ name, decided }).toEqual({ name, decided: [expect.any(Number)] });
  return decided[0];
}

const describeRendered = cannotRender === undefined ? describe : describe.skip;
const sets =
  cannotRender === undefined ? ['base', ...overlays()].map((path) => [path, render(path)] as const) : [];

// All objects in one test, because reading all types takes most of the time.
it('objects are valid as written, and as applied if they can be rendered', () => {
  const objects = written().all;
  expect(objects.length).toBeGreaterThan(40);
  expect(complaintsAbout([...objects, ...sets.flatMap(([, { all }]) => all)])).toEqual([]);
});

describeRendered(
  `an applied object${cannotRender === undefined ? '' : ` (skipped: ${cannotRender})`}`,
  () => {
    const instances = sets.flatMap(([path, set]) =>
      set.byNamespace().map((objects) => ({ path, replicas: path === 'overlays/dev' ? 1 : 2, objects })),
    );

    it('uses every component somewhere', () => {
      const used = overlayFiles().join('\n');
      const components = readdirSync(join(REPOSITORY, 'k8s/components'));
      expect(components.filter((component) => !used.includes(`components/${component}\n`))).toEqual([]);
    });

    it.each(instances)('$path holds no secret', ({ objects }) => {
      expect(objects.of('Secret')).toEqual([]);
      for (const { pod } of objects.workloads())
        for (const { env = [], envFrom = [] } of pod.spec.containers) {
          const secret = (name: string) => TABLE[name]?.secret ?? /PASSWORD|SECRET|AUTH/.test(name);
          expect(env.filter(({ name, value }) => secret(name) && value !== undefined)).toEqual([]);
          const references = env.flatMap(({ valueFrom }) =>
            valueFrom ? [valueFrom.secretKeyRef?.name] : [],
          );
          expect(new Set(references)).toEqual(new Set(references.length > 0 ? ['drawbridge'] : []));
          expect(envFrom.filter(({ configMapRef }) => configMapRef === undefined)).toEqual([]);
        }
      const configured = objects.of('ConfigMap').flatMap(({ data = {} }) => Object.keys(data));
      expect(configured.filter((name) => TABLE[name]?.secret)).toEqual([]);
    });

    it.each(instances)('$path runs every app with a valid configuration', ({ objects }) => {
      const deployed = objects.of('Deployment').map(({ metadata }) => metadata!.name!);
      expect(deployed.sort()).toEqual(APPS);
      for (const { name, kind, pod } of objects.workloads())
        for (const container of ownContainers(pod)) {
          const environment = environmentOf(container, objects);
          expect(Object.keys(environment).filter((variable) => !DOCUMENTED.has(variable))).toEqual([]);
          const config = readConfig(environment);
          expect(config).toMatchObject({ PORT: 8080, METRICS_PORT: 9464, HOST: '0.0.0.0' });
          expect(container.args).toEqual(kind === 'Job' ? ['drawbridge', 'migrate'] : [name]);
          expect(container.command).toBeUndefined();
          if (kind === 'Job') continue;
          // Without REDIS_URL, jobs would go to the database, and workers would not find them.
          expect({ name, hasQueue: config.REDIS_URL !== undefined }).toEqual({
            name,
            hasQueue: sourcesOf(name).includes('QueueModule'),
          });
          expect({ name, mails: config.SMTP_URL !== undefined }).toEqual({
            name,
            mails: sourcesOf(name).includes('MailModule'),
          });
        }
    });

    it.each(instances)('$path gives pods no privileges', ({ objects }) => {
      for (const { name, pod } of objects.workloads()) {
        expect({ name, ...pod.spec }).toMatchObject({
          name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const host of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod.spec).not.toHaveProperty(host);
        expect((pod.spec.volumes ?? []).filter(({ hostPath }) => hostPath)).toEqual([]);
        for (const { securityContext, image, resources, volumeMounts } of pod.spec.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            privileged: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(image).toMatch(/^[^:]+:(?!latest$)[\w.-]+(?:@sha256:[0-9a-f]{64})?$/);
          expect(resources).toMatchObject({
            requests: { cpu: expect.any(String), memory: expect.any(String) },
            limits: { memory: expect.any(String) },
          });
          const temporary = volumeMounts?.find(({ mountPath }) => mountPath === '/tmp')?.name;
          const volume = pod.spec.volumes?.find((candidate) => candidate.name === temporary);
          expect(volume?.emptyDir?.sizeLimit).toEqual(expect.any(String));
        }
      }
    });

    it('pods of the base ask for the memory that was measured under load, and may use half as much again', () => {
      const measured = JSON.parse(
        readFileSync(join(REPOSITORY, 'bench/results/processes.json'), 'utf8'),
      ) as readonly { app: string; loadedMb: number; peakMb: number }[];
      const apps = measured.filter(({ app }) => APPS.includes(app));
      expect(apps.length).toBeGreaterThan(4);
      for (const { app, loadedMb, peakMb } of apps) {
        const deployment = render('base')
          .of('Deployment')
          .find(({ metadata }) => metadata?.name === app);
        const { requests, limits } = deployment!.spec!.template.spec!.containers[0]!.resources!;
        expect({ app, request: mebibytes(requests!.memory) >= loadedMb }).toEqual({ app, request: true });
        expect({ app, limit: mebibytes(limits!.memory) >= 1.5 * peakMb }).toEqual({ app, limit: true });
      }
    });

    it.each(instances)('$path has health checks for each app', ({ objects }) => {
      const on = (path: string) => ({ httpGet: { path, port: 'http' } });
      for (const { spec } of objects.of('Deployment')) {
        const [container] = spec!.template.spec!.containers;
        expect(container).toMatchObject({
          startupProbe: on('/health/live'),
          readinessProbe: on('/health/ready'),
          livenessProbe: on('/health/live'),
          ports: [
            { name: 'http', containerPort: 8080 },
            { name: 'metrics', containerPort: 9464 },
          ],
        });
      }
    });

    it.each(instances)('$path replaces pods without an outage', ({ objects, replicas }) => {
      for (const { metadata, spec } of objects.of('Deployment')) {
        const name = metadata!.name!;
        const pod = spec!.template as Pod;
        expect(spec!.strategy).toEqual({
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
        });
        expect(replicasOf(name, objects)).toBeGreaterThanOrEqual(replicas);
        const [container] = pod.spec.containers;
        const [command, seconds] = container!.lifecycle!.preStop!.exec!.command!;
        expect({ command, enough: Number(seconds) >= 5 }).toEqual({ command: 'sleep', enough: true });
        const graceMs = readConfig(environmentOf(container!, objects)).SHUTDOWN_GRACE;
        const leftMs = pod.spec.terminationGracePeriodSeconds! * SECOND - Number(seconds) * SECOND - graceMs;
        expect({ name, isEnough: leftMs >= 5 * SECOND }).toEqual({ name, isEnough: true });
        expect(pod.spec.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
          'topology.kubernetes.io/zone',
          'kubernetes.io/hostname',
        ]);
      }
    });

    it.each(instances)(
      '$path keeps one pod of each app while machines are drained',
      ({ objects, replicas }) => {
        const guarded = objects.of('PodDisruptionBudget').flatMap(({ spec }) => {
          expect(spec).toMatchObject({ minAvailable: 1 });
          return objects
            .of('Deployment')
            .filter(({ spec: { template } = {} as never }) =>
              labelsMatch(spec!.selector!.matchLabels, template.metadata!.labels),
            )
            .map(({ metadata }) => metadata!.name!);
        });
        // With a single replica, a budget would prevent that its machine is drained.
        expect(guarded.sort()).toEqual(replicas > 1 ? APPS : []);
      },
    );

    it.each(instances)('$path has selectors that match its pods', ({ objects }) => {
      const pods = objects.workloads();
      for (const { spec } of [...objects.of('Deployment'), ...objects.of('StatefulSet')]) {
        const meant = pods.filter(({ pod }) => labelsMatch(spec!.selector.matchLabels, pod.metadata!.labels));
        expect(meant.map(({ pod }) => pod)).toEqual([spec!.template]);
      }
      for (const { metadata, spec } of objects.of('Service')) {
        const meant = pods.filter(({ pod }) => labelsMatch(spec!.selector, pod.metadata!.labels));
        expect(meant.map(({ name }) => name)).toEqual([metadata!.name]);
        const named = meant[0]!.pod.spec.containers[0]!.ports!.map(({ name }) => name);
        expect(named).toEqual(expect.arrayContaining(spec!.ports!.map(({ targetPort }) => targetPort)));
      }
      const scaled = [...objects.of('HorizontalPodAutoscaler'), ...objects.of('ScaledObject')];
      expect(APPS).toEqual(expect.arrayContaining(scaled.map(({ spec }) => spec.scaleTargetRef.name)));
      const accounts = objects.all
        .filter(({ kind }) => kind === 'ServiceAccount')
        .map((o) => o.metadata.name);
      const used = pods.flatMap(({ pod }) => pod.spec.serviceAccountName ?? []);
      expect(new Set(used)).toEqual(new Set(accounts));
    });

    it.each(instances)('$path migrates before and beside the apps', ({ objects }) => {
      const [job] = objects.of('Job');
      expect(job!.spec!.ttlSecondsAfterFinished).toBeGreaterThan(0);
      const wave = 'argocd.argoproj.io/sync-wave';
      const waveOf = (annotations: Record<string, string> = {}) => Number(annotations[wave] ?? 0);
      const migration = waveOf(job!.metadata!.annotations);
      for (const { metadata } of objects.of('Deployment'))
        expect(waveOf(metadata!.annotations)).toBeGreaterThan(migration);
      const needed = objects.all.filter(
        ({ kind, metadata: { name } }) =>
          kind === 'ServiceAccount' ||
          name.startsWith('drawbridge-config') ||
          ['names', 'database'].includes(name),
      );
      expect(needed).toHaveLength(4);
      for (const { metadata } of needed)
        expect(waveOf((metadata as { annotations?: Record<string, string> }).annotations)).toBeLessThan(
          migration,
        );
    });
  },
);

function overlays(): string[] {
  return readdirSync(join(REPOSITORY, 'k8s/overlays')).map((overlay) => `overlays/${overlay}`);
}

function overlayFiles(): string[] {
  const directory = join(REPOSITORY, 'k8s/overlays');
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('kustomization.yaml'))
    .map((file) => readFileSync(join(directory, file), 'utf8'));
}
