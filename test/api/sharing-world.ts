import { Database } from '#persistence';
import { basicAuth, startGateway, type GatewayOptions, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD, type EdgeEnvelope, type OcsCall } from '../edge/edge-client';

const SHARES = '/apps/files_sharing/api/v1/shares';

/** A separate gateway, with users who share files over HTTP. */
export class SharingWorld {
  private constructor(
    readonly gateway: TestGateway,
    readonly client: EdgeClient,
  ) {}

  static async start(options?: GatewayOptions): Promise<SharingWorld> {
    const gateway = await startGateway(options);
    return new SharingWorld(gateway, new EdgeClient(gateway));
  }

  stop(): Promise<void> {
    return this.gateway.stop();
  }

  ocs(method: string, path: string, call?: OcsCall): Promise<EdgeEnvelope> {
    return this.client.ocs(method, path, call);
  }

  async addUser(
    uid: string,
    details: { readonly display?: string; readonly email?: string } = {},
  ): Promise<void> {
    await this.client.makeUsers(uid);
    for (const [key, value] of Object.entries(details))
      if (value) await this.must('PUT', `/cloud/users/${uid}`, { form: { key, value } });
  }

  async addGroup(groupid: string, ...uids: string[]): Promise<void> {
    await this.must('POST', '/cloud/groups', { form: { groupid } });
    for (const uid of uids) await this.must('POST', `/cloud/users/${uid}/groups`, { form: { groupid } });
  }

  async set(app: string, key: string, value: string): Promise<void> {
    await this.must('POST', `/apps/provisioning_api/api/v1/config/apps/${app}/${key}`, { form: { value } });
  }

  async unset(app: string, key: string): Promise<void> {
    await this.must('DELETE', `/apps/provisioning_api/api/v1/config/apps/${app}/${key}`);
  }

  async put(uid: string, path: string): Promise<void> {
    await this.make('PUT', uid, path, 'content');
  }

  async makeFolder(uid: string, path: string): Promise<void> {
    await this.make('MKCOL', uid, path);
  }

  /** Content of a file. */
  async read(uid: string, path: string): Promise<string> {
    const headers = { authorization: basicAuth(uid, PASSWORD) };
    return (
      await this.client.send({ method: 'GET', target: `/remote.php/webdav${encodeURI(path)}`, headers })
    ).body;
  }

  /** ETag of a file or folder, as clients see it. */
  async etag(uid: string, path: string): Promise<string> {
    const headers = { authorization: basicAuth(uid, PASSWORD), depth: '0' };
    const target = `/remote.php/webdav${encodeURI(path)}`;
    const { body } = await this.client.send({ method: 'PROPFIND', target, headers });
    return /getetag>([^<]*)</.exec(body)![1]!;
  }

  /** Moves a file or folder of the root into the trash bin. */
  async remove(uid: string, path: string): Promise<void> {
    await this.dav('DELETE', uid, `/remote.php/webdav${path}`);
  }

  /** Restores the last item of the trash bin to `path`. */
  async restore(uid: string, path: string): Promise<void> {
    const bin = `/remote.php/dav/trash-bin/${uid}`;
    const listed = await this.dav('PROPFIND', uid, `${bin}/`, { depth: '1' });
    const id = new RegExp(`${bin}/(\\d+)`).exec(listed)![1]!;
    await this.dav('MOVE', uid, `${bin}/${id}`, {
      destination: `${this.gateway.url}/remote.php/dav/files/${uid}${path}`,
      overwrite: 'F',
    });
  }

  private async dav(
    method: string,
    uid: string,
    target: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const headers = { authorization: basicAuth(uid, PASSWORD), ...more };
    const { status, body } = await this.client.send({ method, target, headers });
    if (status >= 300) throw new Error(`${method} ${target}: HTTP ${status}\n${body}`);
    return body;
  }

  private async make(method: string, uid: string, path: string, body?: string): Promise<void> {
    const headers = { authorization: basicAuth(uid, PASSWORD) };
    const target = `/remote.php/webdav${encodeURI(path)}`;
    const reply = await this.client.send({ method, target, headers, body });
    if (reply.status !== 201) throw new Error(`${method} ${path}: HTTP ${reply.status}\n${reply.body}`);
  }

  /** The record of a new share of an existing file. */
  async share(as: string, form: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    return (await this.must('POST', SHARES, { as, form })).data as Record<string, unknown>;
  }

  /** The share in the view of its owner. */
  async readShare(as: string, id: unknown): Promise<Record<string, unknown>> {
    const { data } = await this.must('GET', `${SHARES}/${String(id)}`, { as });
    return (data as Record<string, unknown>[])[0]!;
  }

  /** Rows of the gateway's database. */
  query<Row>(sql: string): Promise<Row[]> {
    return this.gateway.instance.app.nest.get(Database, { strict: false }).dataSource.query<Row[]>(sql);
  }

  /** A call that has to succeed. */
  async must(method: string, path: string, call?: OcsCall): Promise<EdgeEnvelope> {
    const envelope = await this.ocs(method, path, call);
    if (envelope.code !== 100) throw new Error(`${method} ${path}: ${envelope.code} ${envelope.message}`);
    return envelope;
  }
}
