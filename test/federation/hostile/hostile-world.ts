import pg from 'pg';
import { ChangeFeed } from '#persistence';
import { createLogger, Metrics } from '#platform';
import {
  deliver,
  startGateway,
  startSigningPartner,
  startTraceCollector,
  type SigningPartner,
  type TestGateway,
  type TraceCollector,
  type WireAnswer,
  type RequestOnWire,
} from '../../../libs/testing/src';
import { startTestRedis, type TestRedis } from '../../../libs/testing/src/rigs/redis-server';
import { KeptTables } from '../../edge/access/kept-tables';
import { SharingGateway } from '../../sharing/sharing-gateway';
import { ENCRYPTION_KEY } from '../inbound-partner';
import { LogWatch } from './log-watch';

/** The address that partners know, for each replica. */
export const PUBLIC_URL = 'https://gateway.example';
/** In the database, because a probe that a worker has begun would end behind anything that is written afterwards. */
const HOLD_PROBES = `CREATE OR REPLACE FUNCTION hold_probes() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.look_at = now() + interval ''1 year''; RETURN NEW; END';
  CREATE OR REPLACE TRIGGER held BEFORE INSERT OR UPDATE ON received_share FOR EACH ROW EXECUTE FUNCTION hold_probes()`;
/** Limits of calls must not hide the results. */
const MANY = '100000000';

/** Two replicas of a gateway with the targets of a hostile partner, two honest partners that sign, and the hostile one. */
export class HostileWorld {
  private sources = 0;
  private pool: pg.Pool | undefined;
  /** Answers to attacks. */
  readonly answers: string[] = [];
  /** Set when all targets exist. */
  tables!: KeptTables;

  private constructor(
    readonly people: SharingGateway,
    readonly replica: TestGateway,
    readonly x: SigningPartner,
    readonly y: SigningPartner,
    readonly m: SigningPartner,
    readonly redis: TestRedis,
    readonly traces: TraceCollector,
    readonly log: LogWatch,
  ) {}

  static async start(): Promise<HostileWorld> {
    const [redis, traces] = await Promise.all([startTestRedis({ logged: true }), startTraceCollector()]);
    const [x, y, m] = await Promise.all([
      startSigningPartner(),
      startSigningPartner(),
      startSigningPartner(),
    ]);
    const log = new LogWatch();
    const logger = createLogger('trace', { write: (line: string) => log.write(line) });
    const env = {
      ENCRYPTION_KEY,
      PUBLIC_URL,
      REDIS_URL: redis.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      METRICS_PORT: '0',
      FEDERATION_ALLOW_HTTP: 'true',
      // Partners are at this address; all other loopback addresses are forbidden, as for an operator.
      FEDERATION_ALLOW_ADDRESSES: '127.0.0.1/32',
      FEDERATION_SYNC_WAIT: '10s',
      // Each attack comes from its own address.
      TRUSTED_PROXIES: '127.0.0.1',
      CALLS_PER_MINUTE: MANY,
      FAILED_CALLS_PER_MINUTE: MANY,
      PARTNER_CALLS_PER_MINUTE: MANY,
    };
    const people = await SharingGateway.start({ env, logger });
    const replica = await startGateway({ env, logger, databaseUrl: people.gateway.databaseUrl });
    const world = new HostileWorld(people, replica, x, y, m, redis, traces, log);
    await world.holdProbes();
    return world;
  }

  async stop(): Promise<void> {
    await this.pool?.end();
    await this.replica.stop();
    await this.people.stop();
    await Promise.all([this.x.close(), this.y.close(), this.m.close(), this.traces.close()]);
    await this.redis.stop();
  }

  /** After this nothing may change. */
  async keepTables(): Promise<void> {
    const { databaseUrl, instance } = this.people.gateway;
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    this.tables = await KeptTables.keep(this.pool, instance.app.nest.get(ChangeFeed, { strict: false }));
  }

  get url(): string {
    return this.people.gateway.url;
  }

  /** An address without earlier calls. */
  nextSource(): string {
    const count = ++this.sources;
    return `10.7.${count >> 8}.${count & 255}`;
  }

  async send(request: RequestOnWire, at = this.url): Promise<WireAnswer> {
    const headers = [...request.headers, ['X-Forwarded-For', this.nextSource()] as const];
    const answer = await deliver(at, { ...request, headers });
    this.answers.push(answer.text);
    return answer;
  }

  /** A request without a body. @returns its answer */
  async open(method: string, path: string, authorization?: string): Promise<number> {
    const shown: Record<string, string> = authorization === undefined ? {} : { authorization };
    const headers = { ...shown, depth: '0', 'x-forwarded-for': this.nextSource() };
    const reply = await fetch(this.url + path, { method, headers });
    this.answers.push(await reply.text());
    return reply.status;
  }

  /** From now on received shares that come or change are not probed: a probe would change them at its own time. */
  async holdProbes(): Promise<void> {
    await this.people.query(HOLD_PROBES);
  }

  /** Received shares that come or change from now on are probed again. */
  async allowProbes(): Promise<void> {
    await this.people.query('DROP TRIGGER held ON received_share');
  }

  /** Number of refusals, from the audit log. */
  async refusals(): Promise<number> {
    const [row] = await this.people.query<{ attempts: number }>(
      `SELECT coalesce(sum(attempts), 0)::int AS attempts FROM audit_event WHERE outcome = 'refused'`,
    );
    return row!.attempts;
  }

  async metrics(): Promise<string> {
    const instances = [this.people.gateway.instance, this.replica.instance];
    return (await Promise.all(instances.map(({ app }) => app.nest.get(Metrics).render()))).join('\n');
  }
}
