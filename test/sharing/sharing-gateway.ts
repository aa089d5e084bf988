import pg from 'pg';
import {
  ADMIN,
  basicAuth,
  startGateway,
  type GatewayOptions,
  type TestGateway,
} from '../../libs/testing/src';

export const PASSWORD = 'sharing-of-the-specs';

export type Form = Readonly<Record<string, string>>;

/** An OCS reply; `code` is 200 for success. */
export interface Answer {
  readonly http: number;
  readonly code: number;
  readonly message: string | null;
  // Specs read replies without types.
  readonly data: ReturnType<typeof JSON.parse>;
  readonly headers: Headers;
}

/** The fields of a share record that specs use. */
export interface ShareRecord {
  readonly id: string;
  readonly share_type: number;
  readonly permissions: number;
  readonly path: string;
  readonly file_target: string;
  readonly state?: number;
  readonly uid_owner: string;
  readonly uid_file_owner: string;
  readonly share_with?: string;
  readonly name?: string | null;
  readonly expiration: string | null;
  readonly item_source: number;
  readonly attributes: string | null;
}

/** A gateway in this process with users, called as clients call it. */
export class SharingGateway {
  private constructor(
    readonly gateway: TestGateway,
    private readonly database: pg.Pool,
  ) {}

  static async start(options: GatewayOptions = {}): Promise<SharingGateway> {
    const gateway = await startGateway(options);
    return new SharingGateway(gateway, new pg.Pool({ connectionString: gateway.databaseUrl, max: 2 }));
  }

  async stop(): Promise<void> {
    await this.database.end();
    await this.gateway.stop();
  }

  /** An OCS call of version 2 in JSON. */
  async ocs(method: string, path: string, uid: string, form?: Form): Promise<Answer> {
    const separator = path.includes('?') ? '&' : '?';
    const reply = await fetch(`${this.gateway.url}/ocs/v2.php${path}${separator}format=json`, {
      method,
      headers: { authorization: this.authorizationOf(uid) },
      body: form && new URLSearchParams(form),
    });
    const { meta, data } = (
      (await reply.json()) as { ocs: { meta: { statuscode: number; message: string | null }; data: unknown } }
    ).ocs;
    return { http: reply.status, code: meta.statuscode, message: meta.message, data, headers: reply.headers };
  }

  authorizationOf(uid: string): string {
    return uid === ADMIN.uid ? basicAuth(uid, ADMIN.password) : basicAuth(uid, PASSWORD);
  }

  /** A call on shares; `below` is the rest of the path, such as `/12` or `/pending/12?state=all`. */
  shares(method: string, below: string, uid: string, form?: Form): Promise<Answer> {
    return this.ocs(method, `/apps/files_sharing/api/v1/shares${below}`, uid, form);
  }

  share(uid: string, form: Form): Promise<Answer> {
    return this.shares('POST', '', uid, { shareType: '0', ...form });
  }

  /** Creates a share that must succeed. @returns the id */
  async shareId(uid: string, form: Form): Promise<string> {
    return (must('share', await this.share(uid, form)) as ShareRecord).id;
  }

  async list(uid: string, query = ''): Promise<ShareRecord[]> {
    return must('list', await this.shares('GET', `?${query}`, uid)) as ShareRecord[];
  }

  received(uid: string, state = 'all'): Promise<ShareRecord[]> {
    return this.list(uid, `shared_with_me=true&state=${state}`);
  }

  /** A WebDAV request on a path of the user's tree. @returns the HTTP status */
  async dav(method: string, uid: string, path: string, headers: Form = {}, body?: string): Promise<number> {
    const reply = await fetch(this.davUrl(path), {
      method,
      headers: { authorization: this.authorizationOf(uid), ...headers },
      body,
    });
    await reply.text();
    return reply.status;
  }

  davUrl(path: string): string {
    return `${this.gateway.url}/remote.php/webdav${path.split('/').map(encodeURIComponent).join('/')}`;
  }

  move(uid: string, from: string, to: string): Promise<number> {
    return this.dav('MOVE', uid, from, { destination: this.davUrl(to), overwrite: 'F' });
  }

  /** Paths of the direct children of a folder in the user's tree. */
  async entries(uid: string, folder = '/'): Promise<string[]> {
    const headers = { authorization: this.authorizationOf(uid), depth: '1' };
    const reply = await fetch(this.davUrl(folder), { method: 'PROPFIND', headers });
    const hrefs = [...(await reply.text()).matchAll(/<(?:\w+:)?href>([^<]+)</g)].map(
      (match) => match[1] ?? '',
    );
    const prefix = '/remote.php/webdav';
    const paths = hrefs.map((href) => decodeURIComponent(href.slice(prefix.length)).replace(/\/$/, ''));
    return paths.filter((path) => path !== folder.replace(/\/$/, '')).sort();
  }

  /** Stores files (`/a.txt`) and folders (`/docs/`) of a user. */
  async store(uid: string, ...paths: string[]): Promise<void> {
    for (const path of paths) {
      const folder = path.endsWith('/');
      const status = await this.dav(
        folder ? 'MKCOL' : 'PUT',
        uid,
        path.replace(/\/$/, ''),
        {},
        folder ? undefined : 'text',
      );
      if (status !== 201) throw new Error(`${path} of ${uid} was not stored: HTTP ${status}`);
    }
  }

  async addUsers(...uids: string[]): Promise<void> {
    for (const userid of uids)
      must(userid, await this.ocs('POST', '/cloud/users', ADMIN.uid, { userid, password: PASSWORD }));
  }

  async addGroup(groupid: string, ...members: string[]): Promise<void> {
    must(groupid, await this.ocs('POST', '/cloud/groups', ADMIN.uid, { groupid }));
    for (const uid of members) await this.join(groupid, uid);
  }

  async join(groupid: string, uid: string): Promise<void> {
    must('join', await this.ocs('POST', `/cloud/users/${uid}/groups`, ADMIN.uid, { groupid }));
  }

  async leave(groupid: string, uid: string): Promise<void> {
    must('leave', await this.ocs('DELETE', `/cloud/users/${uid}/groups`, ADMIN.uid, { groupid }));
  }

  async removeUser(uid: string): Promise<void> {
    must('remove', await this.ocs('DELETE', `/cloud/users/${uid}`, ADMIN.uid));
  }

  async removeGroup(gid: string): Promise<void> {
    must('remove', await this.ocs('DELETE', `/cloud/groups/${gid}`, ADMIN.uid));
  }

  /** @param name `app/key` */
  async set(name: string, value: string): Promise<void> {
    must(
      name,
      await this.ocs('POST', `/apps/provisioning_api/api/v1/config/apps/${name}`, ADMIN.uid, { value }),
    );
  }

  async unset(name: string): Promise<void> {
    must(name, await this.ocs('DELETE', `/apps/provisioning_api/api/v1/config/apps/${name}`, ADMIN.uid));
  }

  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  /** Rows that no finished or refused request may leave behind; empty if all is well. */
  async halfStates(): Promise<{ what: string; id: string }[]> {
    return this.query(HALF_STATES);
  }
}

const HALF_STATES = `
  SELECT 'personal row without share' AS what, r.share_id::text AS id FROM share_recipient r
    WHERE NOT EXISTS (SELECT FROM share s WHERE s.id = r.share_id)
  UNION ALL SELECT 'personal row without user', r.uid FROM share_recipient r
    WHERE NOT EXISTS (SELECT FROM user_account a WHERE a.uid = r.uid)
  UNION ALL SELECT 'share without node', s.id::text FROM share s WHERE NOT EXISTS (SELECT FROM node n WHERE n.id = s.node_id)
  UNION ALL SELECT 'share of another owner than its node', s.id::text FROM share s JOIN node n ON n.id = s.node_id
    WHERE n.owner_uid <> s.owner_uid
  UNION ALL SELECT 'user share without user', s.id::text FROM share s
    WHERE s.share_type = 0 AND NOT EXISTS (SELECT FROM user_account a WHERE a.uid = s.recipient_canonical)
  UNION ALL SELECT 'user share without personal row', s.id::text FROM share s
    WHERE s.share_type = 0 AND NOT EXISTS (
      SELECT FROM share_recipient r WHERE r.share_id = s.id AND r.uid = s.recipient_canonical)
  UNION ALL SELECT 'group share without group', s.id::text FROM share s
    WHERE s.share_type = 1 AND NOT EXISTS (SELECT FROM user_group g WHERE g.gid = s.recipient_canonical)
  UNION ALL SELECT 'personal row of somebody outside the group', r.uid FROM share_recipient r JOIN share s ON s.id = r.share_id
    WHERE s.share_type = 1 AND NOT EXISTS (
      SELECT FROM group_member m WHERE m.gid = s.recipient_canonical AND m.uid = r.uid)
  UNION ALL SELECT 'personal row of another user', r.uid FROM share_recipient r JOIN share s ON s.id = r.share_id
    WHERE s.share_type = 0 AND r.uid <> s.recipient_canonical
  UNION ALL SELECT 'two nodes at one place', a.uid || ' ' || a.file_target FROM share_recipient a
    JOIN share sa ON sa.id = a.share_id
    JOIN share_recipient b ON b.uid = a.uid AND b.file_target = a.file_target AND b.state = 0
    JOIN share sb ON sb.id = b.share_id
    WHERE a.state = 0 AND sa.node_id < sb.node_id
  UNION ALL SELECT 'one node at two places', a.uid || ' ' || a.file_target FROM share_recipient a
    JOIN share sa ON sa.id = a.share_id
    JOIN share_recipient b ON b.uid = a.uid AND b.file_target > a.file_target AND b.state = 0
    JOIN share sb ON sb.id = b.share_id
    WHERE a.state = 0 AND sa.node_id = sb.node_id
  UNION ALL SELECT 'link without its token', s.id::text FROM share s
    WHERE s.share_type = 3 AND (s.token_hmac IS NULL OR s.token_enc IS NULL)`;

function must(what: string, { http, code, message, data }: Answer): unknown {
  if (code !== 200) throw new Error(`${what}: HTTP ${http}, ${code} ${message}`);
  return data;
}
