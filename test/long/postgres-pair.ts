import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '#testing';
import { freePort } from '../../libs/testing/src/rigs/free-port';
import { joinEnds } from '../../libs/testing/src/rigs/joined-sockets';

const run = promisify(execFile);
/** Where Debian installs the programs of each major version. */
const PROGRAMS = '/usr/lib/postgresql';
/** Debian's account of the server: PostgreSQL refuses to run as root. */
const ACCOUNT = 'postgres';
const DATABASE = 'drawbridge';

/** Directory of the programs of an installed PostgreSQL that can copy a server; undefined if there is none. */
export function installedPostgres(): string | undefined {
  const versions = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(PROGRAMS, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_basebackup')) && existsSync(join(bin, 'postgres')));
}

/** Purpose of a standby. For failovers, the primary acknowledges a commit only after the standby has written it; for reads it logs statements. */
type Purpose = 'failover' | 'reads';
type ServerName = 'primary' | 'standby';

/** Two PostgreSQL servers, a primary and its standby. Their address leads to the primary, as the address of a cluster does. */
export class PostgresPair {
  private readonly sockets = new Set<Socket>();
  private target: number;

  private constructor(
    private readonly bin: string,
    private readonly directory: string,
    private readonly ports: readonly [primary: number, standby: number],
    private readonly address: Server,
    private readonly purpose: Purpose,
  ) {
    this.target = ports[0];
    address.on('connection', (client) => this.lead(client));
  }

  /** @param bin from `installedPostgres` */
  static async start(bin: string, purpose: Purpose = 'failover'): Promise<PostgresPair> {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-pair-'));
    chmodSync(directory, 0o777);
    mkdirSync(join(directory, 'sockets'));
    chmodSync(join(directory, 'sockets'), 0o777);
    const first = await freePort(2);
    const address = createServer();
    await new Promise<void>((open) => address.listen(0, '127.0.0.1', open));
    const pair = new PostgresPair(bin, directory, [first, first + 1], address, purpose);
    await pair.startBoth();
    return pair;
  }

  get url(): string {
    return `postgres://${DATABASE}@127.0.0.1:${(this.address.address() as AddressInfo).port}/${DATABASE}`;
  }

  get standbyUrl(): string {
    return this.urlOf(this.ports[1], DATABASE);
  }

  query(server: ServerName, sql: string): Promise<Record<string, unknown>[]> {
    return this.ask(this.ports[server === 'primary' ? 0 : 1], sql);
  }

  /** Log of the standby since its first start. */
  standbyLog(): string {
    return readFileSync(join(this.directory, 'standby.log'), 'utf8');
  }

  /** Ends the standby and its connections at once. */
  killStandby(): Promise<void> {
    return this.control('standby', ['stop', '-m', 'immediate']);
  }

  startStandby(): Promise<void> {
    const log = this.purpose === 'reads' ? ['log_statement=all'] : [];
    return this.launch('standby', this.ports[1], log);
  }

  /** Lets the primary recover and begin a new timeline, as a server does that takes over. */
  async beginTimeline(): Promise<void> {
    await this.control('primary', ['stop', '-m', 'fast']);
    writeFileSync(join(this.place('primary'), 'standby.signal'), '');
    await this.launch('primary', this.ports[0], []);
    await this.control('primary', ['promote', '-w']);
  }

  /** Kills the primary and its connections; then the standby takes over, and the address leads there. @returns milliseconds without a server */
  async failOver(): Promise<number> {
    const from = performance.now();
    await this.control('primary', ['stop', '-m', 'immediate']);
    for (const socket of this.sockets) socket.destroy();
    await this.control('standby', ['promote', '-w']);
    // The new primary has no standby, and would wait for one with every commit.
    await this.ask(this.ports[1], "ALTER SYSTEM SET synchronous_standby_names = ''");
    await this.ask(this.ports[1], 'SELECT pg_reload_conf()');
    this.target = this.ports[1];
    return performance.now() - from;
  }

  async stop(): Promise<void> {
    for (const name of ['primary', 'standby'])
      await this.control(name, ['stop', '-m', 'immediate']).catch(() => undefined);
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.address.close(closed));
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async startBoth(): Promise<void> {
    const [primary] = this.ports;
    await this.program('initdb', ['-D', this.place('primary'), '-A', 'trust', '-U', DATABASE]);
    await this.launch('primary', primary, []);
    await this.ask(primary, `CREATE DATABASE ${DATABASE}`, 'postgres');
    const source = `host=127.0.0.1 port=${primary} user=${DATABASE} application_name=standby`;
    await this.program('pg_basebackup', ['-D', this.place('standby'), '-R', '-c', 'fast', '-d', source]);
    await this.startStandby();
    if (this.purpose === 'failover') await this.waitForStandby();
  }

  private async waitForStandby(): Promise<void> {
    const [primary] = this.ports;
    await this.ask(primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await this.ask(primary, 'SELECT pg_reload_conf()');
    await eventually('the standby', async () => {
      const rows = await this.ask(primary, 'SELECT sync_state FROM pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    });
  }

  private launch(name: string, port: number, more: readonly string[]): Promise<void> {
    const settings = [
      ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'max_connections=100', 'timezone=UTC'],
      `unix_socket_directories=${join(this.directory, 'sockets')}`,
      ...more,
    ];
    const options = settings.map((setting) => `-c ${setting}`).join(' ');
    return this.control(name, ['start', '-w', '-o', options, '-l', join(this.directory, `${name}.log`)]);
  }

  private place(name: string): string {
    return join(this.directory, name);
  }

  private control(name: string, words: readonly string[]): Promise<void> {
    return this.program('pg_ctl', ['-D', this.place(name), ...words]);
  }

  private async program(name: string, words: readonly string[]): Promise<void> {
    const command = [join(this.bin, name), ...words];
    const whole = process.getuid?.() === 0 ? ['setpriv', ...AS_ACCOUNT, ...command] : command;
    await run(whole[0]!, whole.slice(1), { cwd: this.directory });
  }

  private urlOf(port: number, database: string): string {
    return `postgres://${DATABASE}@127.0.0.1:${port}/${database}`;
  }

  private async ask(port: number, sql: string, database = DATABASE): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.urlOf(port, database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  private lead(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    client.pipe(server).pipe(client);
    joinEnds(client, server, this.sockets);
  }
}

const AS_ACCOUNT = [`--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, '--init-groups'];
