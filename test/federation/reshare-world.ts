import { basicAuth, createTestDatabase, eventually, type TestDatabase } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD, type EdgeEnvelope } from '../edge/edge-client';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

export type Entry = Readonly<Record<string, unknown>>;

const SAID = `
  SELECT p.host_key AS host, m.kind FROM outbox_message m JOIN peer p ON p.id = m.peer_id
  WHERE m.attempts > 0 ORDER BY m.finished_at, m.id`;
const OPEN = `SELECT id FROM outbox_message WHERE state IN ('pending', 'queued', 'inflight') UNION ALL SELECT id FROM share_event`;

/** An organisation with one account, with the calls of that account. */
export class Organisation {
  private constructor(
    readonly name: string,
    readonly uid: string,
    readonly world: SharingWorld,
    private readonly database: TestDatabase,
  ) {}

  static async found(name: string, uid: string): Promise<Organisation> {
    const database = await createTestDatabase({ poolSize: 2 });
    const world = await SharingWorld.start({
      compatibility: 'owncloud10',
      databaseUrl: database.url,
      env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' },
    });
    await world.addUser(uid);
    return new Organisation(name, uid, world, database);
  }

  async close(): Promise<void> {
    await this.world.stop();
    await this.database.drop();
  }

  get url(): string {
    return this.world.gateway.url;
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** The account's cloud id. */
  get cloudId(): string {
    return `${this.uid}@${this.host}`;
  }

  query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.database.database.dataSource.query<Row[]>(sql, values);
  }

  async makeFolder(path: string): Promise<void> {
    const headers = { authorization: basicAuth(this.uid, PASSWORD) };
    const target = `/remote.php/webdav${path}`;
    const { status } = await this.world.client.send({ method: 'MKCOL', target, headers });
    if (status !== 201) throw new Error(`MKCOL ${path}: HTTP ${status}`);
  }

  ask(method: string, path: string, form?: Readonly<Record<string, string>>): Promise<EdgeEnvelope> {
    return this.world.ocs(method, `${SHARES}${path}`, { as: this.uid, form });
  }

  share(path: string, shareWith: string, more: Readonly<Record<string, string>> = {}): Promise<Entry> {
    return this.world.share(this.uid, { path, shareType: '6', shareWith, ...more });
  }

  change(id: unknown, permissions: number): Promise<EdgeEnvelope> {
    const form = { permissions: String(permissions) };
    return this.world.must('PUT', `${SHARES}/${String(id)}`, { as: this.uid, form });
  }

  end(id: unknown): Promise<EdgeEnvelope> {
    return this.world.must('DELETE', `${SHARES}/${String(id)}`, { as: this.uid });
  }

  /** Its own shares. */
  async shares(): Promise<readonly Entry[]> {
    return (await this.world.must('GET', SHARES, { as: this.uid })).data as Entry[];
  }

  async received(below = ''): Promise<readonly Entry[]> {
    return (await this.world.must('GET', `${REMOTE_SHARES}${below}`, { as: this.uid })).data as Entry[];
  }

  /** Accepts the one share that waits. */
  async accept(): Promise<Entry> {
    const [pending] = await eventually('a pending share', async () => {
      const waiting = await this.received('/pending');
      return waiting.length > 0 ? waiting : undefined;
    });
    await this.world.must('POST', `${REMOTE_SHARES}/pending/${String(pending!.id)}`, { as: this.uid });
    return pending!;
  }

  leave(id: unknown): Promise<EdgeEnvelope> {
    return this.world.must('DELETE', `${REMOTE_SHARES}/${String(id)}`, { as: this.uid });
  }

  /** Waits until the record of one of its shares has these fields; null for a deleted share. */
  async becomes(id: unknown, fields: Entry | null): Promise<void> {
    await eventually(`share ${String(id)} of ${this.uid}: ${JSON.stringify(fields)}`, async () => {
      const { code, data } = await this.ask('GET', `/${String(id)}`);
      if (fields === null || code !== 100) return fields === null && code === 404;
      const record = (data as Entry[])[0]!;
      return Object.entries(fields).every(([name, value]) => record[name] === value);
    });
  }
}

/** Messages whose time follows from probes of content and from lists that people read. */
const BY_READING = ['share-content', 'received-seen'];

/** Organisations that share with each other, and all messages between them. */
export class ReshareWorld {
  constructor(readonly all: readonly Organisation[]) {}

  /**
   * Waits until no messages are open. @returns the messages about shares since the last call, such as `a>b
   * share-create`, without those of `BY_READING`
   */
  async told(): Promise<string[]> {
    await eventually('silence', async () => {
      const open = await Promise.all(this.all.map((one) => one.query(OPEN)));
      return open.every((rows) => rows.length === 0);
    });
    const said = await Promise.all(
      this.all.map(async (one) => {
        const rows = await one.query<{ host: string; kind: string }>(SAID);
        await one.query('DELETE FROM outbox_message');
        const ofShares = rows.filter(({ kind }) => !BY_READING.includes(kind));
        return ofShares.map(({ host, kind }) => `${one.name}>${this.nameOf(host)} ${kind}`);
      }),
    );
    return said.flat();
  }

  private nameOf(host: string): string {
    return this.all.find((one) => one.host === host)?.name ?? 'partner';
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((one) => one.close()));
  }
}
