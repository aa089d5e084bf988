import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './seeded-random';

/** One end of the link: a separate network with its own addresses. */
export interface NetworkEnd {
  readonly namespace: string;
  /** Its address for the other end. */
  readonly address: string;
  /** Its address for the spec, in every state of the link. */
  readonly gateway: string;
}

const ALL_PASSES = 'pfifo limit 1000';
/** All packets are lost without an error, as with a cut cable far away. */
const NOTHING_PASSES = 'pfifo limit 0';
/** Packets wait in a queue of 16 kB, which takes a quarter of a second; packets are lost if it is full. */
const NARROW = 'tbf rate 512kbit burst 2kb limit 16kb';

const LONGEST_GAP_MS = 400;
const LONGEST_CALM_MS = 600;

/**
 * Two networks and the link between them, which can be cut, narrow or lossy. It uses only features of every Linux; many
 * kernels do not have netem, which could delay and lose single packets.
 */
export class NetworkLink {
  private constructor(readonly ends: readonly [NetworkEnd, NetworkEnd]) {}

  /** The reason why no networks can be made here; undefined if they can. */
  static hindrance(): string | undefined {
    const namespace = `drawbridge-${process.pid}-try`;
    try {
      run(`ip netns add ${namespace}`);
    } catch (error) {
      return `no network namespaces: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`;
    }
    try {
      run(`ip -n ${namespace} link add wire type veth peer name other`);
      run(`ip netns exec ${namespace} tc qdisc replace dev wire root ${NARROW}`);
      return undefined;
    } catch (error) {
      return `no links: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`;
    } finally {
      run(`ip netns del ${namespace}`);
    }
  }

  /** Takes root. */
  static open(): NetworkLink {
    const ends = ['a', 'b'].map((name, at) => ({
      namespace: `drawbridge-${process.pid}-${name}`,
      address: `10.231.${process.pid % 250}.${at + 1}`,
      gateway: `10.232.${process.pid % 250}.${at * 4 + 2}`,
    })) as [NetworkEnd, NetworkEnd];
    const link = new NetworkLink(ends);
    try {
      link.make();
    } catch (error) {
      link.close();
      throw error;
    }
    return link;
  }

  clear(): void {
    this.shape(ALL_PASSES);
  }

  cut(): void {
    this.shape(NOTHING_PASSES);
  }

  narrow(): void {
    this.shape(NARROW);
  }

  /** Loses all packets in gaps at random moments until `signal` ends it; the link is clear then. */
  async lose(random: Random, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.cut();
      await pause(random() * LONGEST_GAP_MS);
      this.clear();
      await pause(random() * LONGEST_CALM_MS);
    }
  }

  /** Packets that the link lost since its last change. */
  lost(): number {
    const counts = this.ends.map(({ namespace }) =>
      Number(/dropped (\d+)/.exec(run(`ip netns exec ${namespace} tc -s qdisc show dev wire`))![1]),
    );
    return counts.reduce((sum, count) => sum + count);
  }

  close(): void {
    for (const { namespace } of this.ends)
      try {
        run(`ip netns del ${namespace}`);
      } catch {
        // The network does not exist.
      }
  }

  private make(): void {
    const [one, other] = this.ends;
    for (const { namespace } of this.ends) run(`ip netns add ${namespace}`);
    run(`ip -n ${one.namespace} link add wire type veth peer name wire netns ${other.namespace}`);
    for (const [at, { namespace, address, gateway }] of this.ends.entries()) {
      const outside = `db${process.pid}${at}`;
      run(`ip link add ${outside} type veth peer name gateway netns ${namespace}`);
      run(`ip addr add ${gateway.replace(/\d+$/, String(at * 4 + 1))}/30 dev ${outside}`);
      run(`ip link set ${outside} up`);
      run(`ip -n ${namespace} addr add ${gateway}/30 dev gateway`);
      run(`ip -n ${namespace} addr add ${address}/24 dev wire`);
      for (const device of ['lo', 'gateway', 'wire']) run(`ip -n ${namespace} link set ${device} up`);
    }
  }

  private shape(discipline: string): void {
    for (const { namespace } of this.ends)
      run(`ip netns exec ${namespace} tc qdisc replace dev wire root ${discipline}`);
  }
}

function run(command: string): string {
  const [program, ...args] = command.split(' ');
  return execFileSync(program!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
