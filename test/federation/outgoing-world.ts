import { Database } from '#persistence';
import { basicAuth, eventually, type FakePartner } from '../../libs/testing/src';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { SharingWorld } from '../api/sharing-world';
import { formText, PASSWORD, type EdgeEnvelope } from '../edge/edge-client';

export const SHARES = '/apps/files_sharing/api/v1/shares';

/** Settings that let a gateway call fake partners: they have no certificates and listen on loopback. */
export const AMONG_FAKES = { FEDERATION_ALLOW_HTTP: 'true', FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8' };

/** A gateway with alice, who shares files with accounts of fake partners. */
export class OutgoingWorld {
  private constructor(readonly sharing: SharingWorld) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<OutgoingWorld> {
    const sharing = await SharingWorld.start({
      compatibility: 'owncloud10',
      env: { ...AMONG_FAKES, ...env },
    });
    await sharing.addUser('alice');
    return new OutgoingWorld(sharing);
  }

  stop(): Promise<void> {
    return this.sharing.stop();
  }

  /** Shares a new file of alice's; the outcome is left to the test. */
  async offer(
    name: string,
    shareWith: string,
    form: Readonly<Record<string, string>> = {},
  ): Promise<EdgeEnvelope> {
    await this.sharing.put('alice', `/${name}`);
    return this.ask('POST', '', { path: `/${name}`, shareType: '6', shareWith, ...form });
  }

  /** Removes a file of alice's. */
  async remove(name: string): Promise<void> {
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    const target = `/remote.php/webdav/${encodeURIComponent(name)}`;
    const { status } = await this.sharing.client.send({ method: 'DELETE', target, headers });
    if (status !== 204) throw new Error(`DELETE ${name}: HTTP ${status}`);
  }

  ask(method: string, path: string, form?: Readonly<Record<string, string>>): Promise<EdgeEnvelope> {
    return this.sharing.ocs(method, `${SHARES}${path}`, { as: 'alice', form });
  }

  /** Alice's own shares, as a query asks for them. */
  async list(query: Readonly<Record<string, string>>): Promise<Record<string, unknown>[]> {
    const { data } = await this.sharing.must('GET', SHARES, { as: 'alice', query: formText(query) });
    return data as Record<string, unknown>[];
  }

  /** Makes every waiting retry due now. */
  async letTimePass(): Promise<void> {
    const { nest } = this.sharing.gateway.instance.app;
    await new FederationOutbox(nest.get(Database, { strict: false })).letTimePass();
  }

  query<Row>(sql: string): Promise<Row[]> {
    return this.sharing.query<Row>(sql);
  }

  /** Notifications of alice, after all effects on shares have ended. */
  async notifications(): Promise<unknown> {
    const { nest } = this.sharing.gateway.instance.app;
    const { dataSource } = nest.get(Database, { strict: false });
    await eventually('the events of shares to be handled', async () => {
      return (await dataSource.query<unknown[]>('SELECT id FROM share_event')).length === 0;
    });
    const as = 'alice';
    return (await this.sharing.must('GET', '/apps/notifications/api/v1/notifications', { as })).data;
  }

  /** Waits until the share's record holds these fields. */
  async settled(id: unknown, fields: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    return eventually(`share ${String(id)} with ${JSON.stringify(fields)}`, async () => {
      const record = await this.sharing.readShare('alice', id);
      return Object.entries(fields).every(([name, value]) => record[name] === value) ? record : undefined;
    });
  }
}

/** `host:port` of a fake partner. */
export const hostOf = (partner: Pick<FakePartner, 'url'>): string => new URL(partner.url).host;

export const recordOf = (envelope: EdgeEnvelope): Record<string, unknown> =>
  envelope.data as Record<string, unknown>;
