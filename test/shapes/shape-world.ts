import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, readConfig } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { startInstance, type WholeInstance } from '../../apps/standalone/src';
import { hasForm, type Capture, type WireReply } from './capture';

const ADMIN_PASSWORD = 'admin-of-the-shapes';
const FORM = 'application/x-www-form-urlencoded';

const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';
const SHARE_ID = /(\/shares\/(?:pending\/)?)(\d+)/;
const SHARE_ID_IN_REPLY = /(?:"id":"|<id>)(\d+)/;

export interface Sent {
  readonly method: string;
  readonly target: string;
  /** An account of this world; null without credentials. */
  readonly user: string | null;
  /** Replaces the account's own password. */
  readonly password?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

/** Our own users in the roles of the recorded ones, at a gateway in this process. */
export class ShapeWorld {
  /** Our share ids by the recorded ones. */
  private readonly shareIds = new Map<string, string>();

  private constructor(
    private readonly instance: WholeInstance,
    private readonly database: TestDatabase,
    private readonly dataDirectory: string,
  ) {}

  /** A gateway with COMPATIBILITY=owncloud10, and the users of the recordings; their groups do not exist yet. */
  static async start(): Promise<ShapeWorld> {
    const database = await createTestDatabase();
    const dataDirectory = mkdtempSync(join(tmpdir(), 'drawbridge-shapes-'));
    const config = readConfig({
      PORT: '0',
      DATA_DIR: dataDirectory,
      DATABASE_URL: database.url,
      ADMIN_PASSWORD,
      COMPATIBILITY: 'owncloud10',
      LOG_LEVEL: 'error',
    });
    const logger = createLogger(config.LOG_LEVEL);
    const starting = startInstance({ config, logger, announce: () => undefined });
    const instance = await starting.catch(async (error: unknown) => {
      await removeData(database, dataDirectory);
      throw error;
    });
    const world = new ShapeWorld(instance, database, dataDirectory);
    for (const uid of ['alice', 'bob', 'carol', 'dave']) await world.addUser(uid);
    await world.editUser('alice', 'display', 'Alice Example');
    await world.editUser('alice', 'email', 'alice@example.org');
    return world;
  }

  async stop(): Promise<void> {
    await this.instance.stop();
    await removeData(this.database, this.dataDirectory);
  }

  /** Sends the recorded request to our gateway; recorded share ids are replaced by ours. */
  async replay(capture: Capture, password?: string): Promise<WireReply> {
    const headers = hasForm(capture) ? { ...capture.headers, 'content-type': FORM } : capture.headers;
    const target = capture.target.replace(
      SHARE_ID,
      (all, before: string, id: string) => before + (this.shareIds.get(id) ?? id),
    );
    const reply = await this.send({ ...capture, target, headers, password });
    const [recorded, ours] = [createdShareId(capture, capture.reply), createdShareId(capture, reply)];
    if (recorded !== undefined && ours !== undefined) this.shareIds.set(recorded, ours);
    return reply;
  }

  /** Creates a share that was not recorded but whose id is used by later recordings; with a user unless `more` says otherwise. */
  async share(
    recordedId: string,
    path: string,
    shareWith: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const body = String(new URLSearchParams({ path, shareType: '0', shareWith, ...more }));
    const target = `${SHARES}?format=json`;
    const reply = await this.send({
      method: 'POST',
      target,
      user: 'alice',
      headers: { 'content-type': FORM },
      body,
    });
    const id = SHARE_ID_IN_REPLY.exec(reply.body)?.[1];
    if (id === undefined) throw new Error(`sharing ${path}: HTTP ${reply.status}\n${reply.body}`);
    this.shareIds.set(recordedId, id);
  }

  /** Stores files (`/a.txt`) and folders (`/docs/`) of a user. */
  async store(user: string, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const [method, body] = path.endsWith('/') ? ['MKCOL', null] : ['PUT', `content of ${path}`];
      const reply = await this.send({ method, target: `/remote.php/webdav${path}`, user, body });
      if (reply.status !== 201) throw new Error(`${method} ${path}: HTTP ${reply.status}\n${reply.body}`);
    }
  }

  async addUser(uid: string): Promise<void> {
    await this.administer('POST', '/cloud/users', { userid: uid, password: passwordOf(uid) });
  }

  async editUser(uid: string, key: string, value: string): Promise<void> {
    await this.administer('PUT', `/cloud/users/${uid}`, { key, value });
  }

  async addToGroup(uid: string, groupid: string): Promise<void> {
    await this.administer('POST', `/cloud/users/${uid}/groups`, { groupid });
  }

  /** One provisioning call that has to succeed. */
  async administer(method: string, path: string, form: Record<string, string>): Promise<void> {
    const target = `/ocs/v2.php${path}`;
    const body = String(new URLSearchParams(form));
    const reply = await this.send({ method, target, user: 'admin', headers: { 'content-type': FORM }, body });
    if (reply.status !== 200) throw new Error(`${method} ${target}: HTTP ${reply.status}\n${reply.body}`);
  }

  send(sent: Sent): Promise<WireReply> {
    const headers: Record<string, string> = { ...sent.headers };
    if (sent.user !== null) {
      const credentials = `${sent.user}:${sent.password ?? passwordOf(sent.user)}`;
      headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    }
    if (sent.body !== undefined && sent.body !== null) {
      headers['content-length'] = String(Buffer.byteLength(sent.body));
    }
    return exchange(this.instance.app.port, sent.method, sent.target, headers, sent.body ?? undefined);
  }
}

async function removeData(database: TestDatabase, dataDirectory: string): Promise<void> {
  await database.drop();
  rmSync(dataDirectory, { recursive: true, force: true });
}

function createdShareId(capture: Capture, reply: WireReply): string | undefined {
  const creates = capture.method === 'POST' && /\/shares(\?|$)/.test(capture.target);
  return creates ? SHARE_ID_IN_REPLY.exec(reply.body)?.[1] : undefined;
}

const passwordOf = (uid: string): string => (uid === 'admin' ? ADMIN_PASSWORD : `${uid}-pass`);

/** Not fetch, because it would change the recorded path. */
function exchange(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<WireReply> {
  return new Promise((done, failed) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', failed);
      reply.on('end', () =>
        done({
          status: reply.statusCode ?? 0,
          headers: Object.fromEntries(
            Object.entries(reply.headers).map(([name, value]) => [name, String(value)]),
          ),
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.on('error', failed);
    sent.end(body);
  });
}
