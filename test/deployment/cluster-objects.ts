import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IPersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import type { IPrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { parse, parseAllDocuments } from 'yaml';

const root = dirname(dirname(__dirname));
const directory = join(root, 'k8s');

/**
 * Each of these runs as a Deployment; the other two are for a whole instance in one process and for the command line.
 */
export const APPS = readdirSync(join(root, 'apps')).filter((app) => app !== 'standalone' && app !== 'cli');

/** All sources of an app, in one text. */
export function sourcesOf(app: string): string {
  const directoryOfApp = join(root, 'apps', app, 'src');
  return readdirSync(directoryOfApp, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(join(directoryOfApp, file), 'utf8'))
    .join('\n');
}

/** Kinds of objects that specs read. */
interface Kinds {
  Deployment: IDeployment;
  StatefulSet: IStatefulSet;
  Job: IJob;
  Service: IService;
  ConfigMap: IConfigMap;
  Secret: ISecret;
  PersistentVolumeClaim: IPersistentVolumeClaim;
  HorizontalPodAutoscaler: IHorizontalPodAutoscaler;
  PodDisruptionBudget: IPodDisruptionBudget;
  NetworkPolicy: INetworkPolicy;
  Ingress: IIngress;
  HTTPRoute: IHTTPRoute;
  ScaledObject: IScaledObject;
  PrometheusRule: IPrometheusRule;
}

export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Objects that are applied together. */
export class Objects {
  constructor(readonly all: readonly ClusterObject[]) {}

  of<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind][] {
    return this.all.filter((object) => object.kind === kind) as unknown as Kinds[Kind][];
  }

  /** Objects by namespace; an object without a namespace is applied to the caller's namespace. */
  byNamespace(): Objects[] {
    const namespaces = new Set(this.of('Deployment').map(({ metadata }) => metadata?.namespace));
    return [...namespaces].map(
      (namespace) => new Objects(this.all.filter(({ metadata }) => metadata.namespace === namespace)),
    );
  }

  /** Everything that creates pods, with their template. */
  workloads(): { kind: string; name: string; pod: Pod }[] {
    return [...this.of('Deployment'), ...this.of('StatefulSet'), ...this.of('Job')].map(
      ({ kind, metadata, spec }) => ({ kind, name: metadata!.name!, pod: spec!.template as Pod }),
    );
  }
}

export type Pod = IPodTemplateSpec & { spec: NonNullable<IPodTemplateSpec['spec']> };

/** The reason why nothing can be rendered here; undefined if rendering works. */
export const cannotRender =
  spawnSync('kubectl', ['version', '--client']).status === 0 ? undefined : 'kubectl is not installed';

const rendered = new Map<string, Objects>();

/** Objects that `kubectl apply -k` would send for a directory below k8s/, rendered once. */
export function render(kustomization: string): Objects {
  const known = rendered.get(kustomization) ?? renderAnew(kustomization);
  rendered.set(kustomization, known);
  return known;
}

function renderAnew(kustomization: string): Objects {
  const run = spawnSync('kubectl', ['kustomize', join(directory, kustomization)], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return new Objects(parseAllDocuments(run.stdout).map((document) => document.toJS() as ClusterObject));
}

/** The objects in files that a kustomization lists as resources, before rendering. */
export function written(): Objects {
  const kustomizations = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('kustomization.yaml'),
  );
  const files = kustomizations.flatMap((file) => {
    const { resources = [] } = parse(readFileSync(join(directory, file), 'utf8')) as { resources?: string[] };
    return resources
      .filter((resource) => resource.endsWith('.yaml'))
      .map((resource) => join(directory, dirname(file), resource));
  });
  return new Objects(
    files.flatMap((file) =>
      parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as ClusterObject),
    ),
  );
}

/** Faults of objects by the schemas and types of their kinds. */
export function complaintsAbout(objects: readonly ClusterObject[]): string[] {
  const different = [...new Set(objects.map((object) => JSON.stringify(object)))];
  const run = spawnSync(process.execPath, [join(__dirname, 'check-objects.mjs')], {
    input: `[${different.join(',')}]`,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as string[];
}
