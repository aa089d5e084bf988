import dns from 'node:dns/promises';
import { createServer, isIP, Socket, type AddressInfo, type Server } from 'node:net';

/** On loopback, but different from the partners' address. */
export const FORBIDDEN = '127.0.0.9';
export const METADATA = '169.254.169.254';

type Addresses = readonly string[];

/** Addresses of the names in tests, one entry per look-up; the last one stays. */
const MEANINGS: Readonly<Record<string, readonly Addresses[]>> = {
  'inside.test': [[FORBIDDEN]],
  'metadata.test': [[METADATA]],
  'mixed.test': [[METADATA, '127.0.0.1', FORBIDDEN, 'fd00:ec2::254']],
  'rebinding.test': [['127.0.0.1'], [FORBIDDEN]],
  'mapped.test': [['::ffff:127.0.0.9', '64:ff9b::7f00:9']],
};

/** The network of the tests: names with their own addresses, a forbidden machine, and the opened connections. */
export class TestNetwork {
  private readonly asked = new Map<string, number>();
  /** Addresses that anything in this process tried to connect to. */
  readonly dialled = new Set<string>();
  /** Connections that reached the forbidden machine. */
  arrived = 0;

  private constructor(private readonly machine: Server) {}

  /** Until `jest.restoreAllMocks`. */
  static async start(): Promise<TestNetwork> {
    const machine = createServer();
    const network = new TestNetwork(machine);
    machine.on('connection', (socket) => {
      network.arrived += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => void machine.listen(0, FORBIDDEN, done));
    network.watchResolver();
    network.watchSockets();
    return network;
  }

  /** The port of the forbidden machine. */
  get port(): number {
    return (this.machine.address() as AddressInfo).port;
  }

  /** How often a name was looked up. */
  lookups(name: string): number {
    return this.asked.get(name) ?? 0;
  }

  close(): Promise<void> {
    return new Promise((closed) => void this.machine.close(() => closed()));
  }

  private watchResolver(): void {
    const system = dns.lookup as (name: string, options: object) => Promise<unknown>;
    const resolve = (name: string, options: object): Promise<unknown> => {
      const meanings = MEANINGS[name];
      if (meanings === undefined) return system(name, options);
      const count = this.lookups(name);
      this.asked.set(name, count + 1);
      const addresses = meanings[Math.min(count, meanings.length - 1)]!;
      return Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    jest.spyOn(dns, 'lookup').mockImplementation(resolve as never);
  }

  private watchSockets(): void {
    const connect = Socket.prototype.connect as (this: Socket, ...target: unknown[]) => Socket;
    // The database is dialled by the name of its socket.
    const note = (address: string): unknown => isIP(address) && this.dialled.add(address);
    jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...target: unknown[]) {
      this.on('connectionAttempt', note);
      return connect.apply(this, target);
    });
  }
}
