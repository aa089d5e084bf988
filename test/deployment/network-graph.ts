import { BlockList, isIPv4 } from 'node:net';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { Objects } from './cluster-objects';

type Spec = NonNullable<INetworkPolicy['spec']>;
type Rule = NonNullable<Spec['ingress']>[number] & NonNullable<Spec['egress']>[number];
type Peer = NonNullable<NonNullable<Spec['egress']>[number]['to']>[number];
type Selector = Spec['podSelector'];
type Labels = Readonly<Record<string, string>>;

/** A pod of the cluster, or an address outside of it. */
export interface Place {
  readonly name: string;
  readonly pod?: { readonly namespace: string; readonly labels: Labels };
  readonly address?: string;
}

/** A port by number and, if it belongs to a container of ours, by name. */
export interface OpenPort {
  readonly port: number;
  readonly name?: string;
}

/** The connections that all NetworkPolicies of a namespace allow, decided as in a cluster. */
export class NetworkGraph {
  private readonly policies: readonly Spec[];

  constructor(
    objects: Objects,
    private readonly namespace: string,
  ) {
    this.policies = objects.of('NetworkPolicy').map(({ spec }) => spec!);
  }

  /** @returns whether the policies of both the sender and the receiver allow it */
  allows(from: Place, to: Place, openPort: OpenPort): boolean {
    return this.passes('Egress', from, to, openPort) && this.passes('Ingress', to, from, openPort);
  }

  /** Every allowed connection, as `from > to:port`. */
  edges(
    from: readonly Place[],
    to: readonly (Place & { readonly openPorts: readonly OpenPort[] })[],
  ): string[] {
    return from.flatMap((one) =>
      to
        .filter((other) => other.name !== one.name)
        .flatMap((other) =>
          other.openPorts
            .filter((openPort) => this.allows(one, other, openPort))
            .map((openPort) => `${one.name} > ${other.name}:${openPort.port}`),
        ),
    );
  }

  /** A pod without a policy is open; other pods are open to the peers that one of their policies names. */
  private passes(direction: 'Ingress' | 'Egress', own: Place, other: Place, openPort: OpenPort): boolean {
    if (own.pod?.namespace !== this.namespace) return true;
    const about = this.policies.filter(
      ({ podSelector, policyTypes = [] }) =>
        policyTypes.includes(direction) && selects(podSelector, own.pod!.labels),
    );
    if (about.length === 0) return true;
    return about.some((policy) => {
      const rules = (direction === 'Ingress' ? policy.ingress : policy.egress) ?? [];
      return (rules as Rule[]).some(({ from, to, ports }) => {
        const peers = direction === 'Ingress' ? from : to;
        const isNamed = peers === undefined || peers.some((peer) => this.isPeer(peer, other));
        return (
          isNamed &&
          (ports === undefined || ports.some(({ port }) => port === openPort.port || port === openPort.name))
        );
      });
    });
  }

  private isPeer({ ipBlock, namespaceSelector, podSelector }: Peer, { pod, address }: Place): boolean {
    if (ipBlock !== undefined)
      return address !== undefined && isIn(address, [ipBlock.cidr]) && !isIn(address, ipBlock.except ?? []);
    if (pod === undefined) return false;
    const isThere =
      namespaceSelector === undefined
        ? pod.namespace === this.namespace
        : selects(namespaceSelector, { 'kubernetes.io/metadata.name': pod.namespace });
    return isThere && (podSelector === undefined || selects(podSelector, pod.labels));
  }
}

function selects(selector: Selector | undefined, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`operator ${operator} is not known here`);
      return values.includes(labels[key]!);
    })
  );
}

function isIn(address: string, ranges: readonly string[]): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [first, bits] = range.split('/') as [string, string];
    list.addSubnet(first, Number(bits), isIPv4(first) ? 'ipv4' : 'ipv6');
  }
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
