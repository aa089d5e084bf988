import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { TEST_AUTHORITY } from '../partners';
import { eventually } from '../waiting';
import { freePort } from './free-port';

const NAME = 'spec-master';
const PASSWORD = 'password-of-the-servers';
const SENTINEL_PASSWORD = 'password-of-the-sentinels';
const TLS = resolve(__dirname, '../partners/tls');
/** Sentinels that have to agree that the master is down. */
const QUORUM = 2;
const SERVERS = 2;
const SENTINELS = 3;

interface Running {
  readonly port: number;
  readonly child: ChildProcess;
  readonly exit: Promise<void>;
}

/**
 * A Redis master, its replica and three sentinels, with passwords, on free ports of the loopback address.
 */
export class TestSentinels {
  private readonly running = new Map<number, Running>();
  private readonly directory = mkdtempSync(join(tmpdir(), 'drawbridge-sentinels-'));

  private constructor(
    /** The servers first, then the sentinels. */
    private readonly ports: readonly number[],
    private readonly encrypted: boolean,
  ) {}

  /** @param encrypted whether all of them only accept TLS, with a certificate of TEST_AUTHORITY */
  static async start(encrypted = false): Promise<TestSentinels> {
    const first = await freePort(SERVERS + SENTINELS);
    const ports = Array.from({ length: SERVERS + SENTINELS }, (_, at) => first + at);
    const group = new TestSentinels(ports, encrypted);
    for (const port of ports) await group.launch(port, group.configurationOf(port));
    await group.settle();
    return group;
  }

  /** Variables of the product. The host of REDIS_URL is one that nothing may call. */
  get env(): Readonly<Record<string, string>> {
    return {
      REDIS_URL: `${this.encrypted ? 'rediss' : 'redis'}://:${PASSWORD}@not-used.invalid:1/0`,
      REDIS_SENTINELS: this.sentinels.map((port) => `127.0.0.1:${port}`).join(','),
      REDIS_SENTINEL_MASTER: NAME,
      REDIS_SENTINEL_PASSWORD: SENTINEL_PASSWORD,
    };
  }

  /** All passwords, for specs that look for them. */
  get secrets(): readonly string[] {
    return [PASSWORD, SENTINEL_PASSWORD];
  }

  /** Port of the master that the first sentinel names. */
  async master(): Promise<number> {
    const named = (await this.ask(
      this.sentinels[0]!,
      'SENTINEL',
      'GET-MASTER-ADDR-BY-NAME',
      NAME,
    )) as string[];
    return Number(named[1]);
  }

  /** Ends the master with kill -9. @returns its port, after another server has become the master */
  async killMaster(): Promise<number> {
    const port = await this.master();
    await this.end(port, 'SIGKILL');
    await this.replaced(port);
    return port;
  }

  /** Starts a killed server or sentinel again. Resolves when a server has become a replica. */
  async restart(port: number): Promise<void> {
    await this.launch(port);
    await this.settle();
  }

  /** Stops the master without ending it: its connections stay open, and nothing is answered. @returns its port, after another one has become the master */
  async freezeMaster(): Promise<number> {
    const port = await this.master();
    this.running.get(port)!.child.kill('SIGSTOP');
    await this.replaced(port);
    return port;
  }

  /** Continues a frozen server. Resolves when it has become a replica. */
  async thaw(port: number): Promise<void> {
    this.running.get(port)!.child.kill('SIGCONT');
    await this.settle();
  }

  /** Makes the replica the master, as for maintenance. @returns the port of the former master */
  async switchOver(): Promise<number> {
    const port = await this.master();
    // Sentinels refuse it for a while after another failover.
    const accepted = (): Promise<boolean> =>
      this.ask(this.sentinels[0]!, 'SENTINEL', 'FAILOVER', NAME).then(
        () => true,
        () => false,
      );
    await eventually('the beginning of a failover', accepted);
    await this.replaced(port);
    return port;
  }

  /** Lets the master hand over to its replica without the sentinels: connections to it stay open, and it refuses writes. @returns its port */
  async handOver(): Promise<number> {
    const port = await this.master();
    await this.ask(port, 'FAILOVER');
    await this.replaced(port);
    return port;
  }

  /** Resolves when the master has a replica that follows it, and all sentinels know each other and could agree on a failover. */
  async settle(): Promise<void> {
    await eventually('a complete group', async () => {
      try {
        const state = String(await this.ask(await this.master(), 'INFO', 'replication'));
        const others = await Promise.all(
          this.sentinels.map((port) => this.ask(port, 'SENTINEL', 'MASTER', NAME) as Promise<string[]>),
        );
        const value = (facts: string[], field: string) => facts[facts.indexOf(field) + 1];
        return (
          /role:master[^]*slave0:.*state=online/.test(state) &&
          others.every(
            (facts) =>
              value(facts, 'num-other-sentinels') === String(SENTINELS - 1) &&
              value(facts, 'num-slaves') === String(SERVERS - 1) &&
              value(facts, 'flags') === 'master',
          )
        );
      } catch {
        return false;
      }
    });
  }

  /** Sets a parameter of the master. */
  async configure(name: string, value: string): Promise<void> {
    await this.ask(await this.master(), 'CONFIG', 'SET', name, value);
  }

  /** Ends one sentinel. @returns its address, as doctor shows it, and its port */
  async killSentinel(): Promise<{ address: string; port: number }> {
    const port = this.sentinels.at(-1)!;
    await this.end(port, 'SIGKILL');
    return { address: `127.0.0.1:${port}`, port };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.keys()].map((port) => this.end(port, 'SIGKILL')));
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get sentinels(): readonly number[] {
    return this.ports.slice(SERVERS);
  }

  private replaced(port: number): Promise<boolean> {
    return eventually('another master', async () => (await this.master()) !== port);
  }

  private async launch(port: number, configuration?: readonly string[]): Promise<void> {
    const file = join(this.directory, `${port}.conf`);
    if (configuration) writeFileSync(file, [...this.common(port), ...configuration].join('\n'));
    const mode = this.sentinels.includes(port) ? ['--sentinel'] : [];
    const child = spawn('redis-server', [file, ...mode], { stdio: 'ignore' });
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    const exit = new Promise<void>((ended) => child.once('close', () => ended()));
    this.running.set(port, { port, child, exit });
    await eventually('the start of redis-server', async () => {
      if (failure) throw new Error(`redis-server is needed (${failure.message}): install it`);
      return (await this.ask(port, 'PING').catch(() => undefined)) === 'PONG';
    });
  }

  private common(port: number): string[] {
    const listens = this.encrypted
      ? [
          ...['port 0', `tls-port ${port}`, 'tls-replication yes', 'tls-auth-clients no'],
          ...[`tls-cert-file ${TLS}/partner.pem`, `tls-key-file ${TLS}/partner.key`],
          `tls-ca-cert-file ${TLS}/authority.pem`,
        ]
      : [`port ${port}`];
    return [...listens, 'bind 127.0.0.1', `dir ${this.directory}`, 'loglevel warning', 'save ""'];
  }

  private configurationOf(port: number): string[] {
    const master = this.ports[0]!;
    if (!this.sentinels.includes(port))
      return [
        ...[`requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`, 'maxmemory-policy noeviction'],
        ...['appendonly yes', `appenddirname appended-${port}`, `dbfilename ${port}.rdb`],
        'repl-diskless-sync-delay 0',
        ...(port === master ? [] : [`replicaof 127.0.0.1 ${master}`]),
      ];
    return [
      ...[`requirepass ${SENTINEL_PASSWORD}`, `sentinel sentinel-pass ${SENTINEL_PASSWORD}`],
      `sentinel monitor ${NAME} 127.0.0.1 ${master} ${QUORUM}`,
      `sentinel auth-pass ${NAME} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 3000`,
    ];
  }

  private async end(port: number, signal: NodeJS.Signals): Promise<void> {
    const one = this.running.get(port);
    one?.child.kill(signal);
    await one?.exit;
    this.running.delete(port);
  }

  private async ask(port: number, command: string, ...words: string[]): Promise<unknown> {
    const options: RedisOptions = {
      ...{ port, host: '127.0.0.1', lazyConnect: true, enableReadyCheck: false },
      ...{ maxRetriesPerRequest: 0, retryStrategy: () => null, commandTimeout: 5_000 },
      password: this.sentinels.includes(port) ? SENTINEL_PASSWORD : PASSWORD,
      ...(this.encrypted ? { tls: { ca: TEST_AUTHORITY } } : {}),
    };
    const client = new Redis(options);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.call(command, ...words);
    } finally {
      client.disconnect();
    }
  }
}
