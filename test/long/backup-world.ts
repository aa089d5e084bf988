import { freePort } from '../../libs/testing/src/rigs/free-port';
import { ADMIN, basicAuth, eventually } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES } from '../federation/outgoing-world';

const FILES = '/apps/files_sharing/api/v1';
const PEOPLE = ['alice', 'bob', 'carol'] as const;

export const LINK_PASSWORD = 'opens-the-link';

/** An instance with data of every kind, and a partner that shares with it in both directions. */
export class BackupWorld {
  /** Tokens of alice's public links. */
  readonly tokens: string[] = [];

  private constructor(
    readonly here: SharingWorld,
    readonly partner: SharingWorld,
    /** The port of the instance, also after a restore: partners and links contain its address. */
    readonly port: number,
  ) {}

  static async start(): Promise<BackupWorld> {
    const port = await freePort();
    const [here, partner] = await Promise.all([
      SharingWorld.start({ env: { ...ENVIRONMENT, PORT: String(port) } }),
      SharingWorld.start({ env: ENVIRONMENT }),
    ]);
    const world = new BackupWorld(here, partner, port);
    await world.people();
    await world.files();
    await world.shares();
    await world.federation();
    await world.settle();
    return world;
  }

  /** Settings of a gateway of this world, without its database and directory. */
  get environment(): Readonly<Record<string, string>> {
    return { ...ENVIRONMENT, PORT: String(this.port) };
  }

  async dav(uid: string, method: string, path: string, body?: string, headers = {}): Promise<Response> {
    const url = `${this.here.gateway.url}/remote.php/webdav${encodeURI(path)}`;
    const authorization = basicAuth(uid, PASSWORD);
    return fetch(url, { method, body, headers: { authorization, ...headers } });
  }

  /** Content of dora's share from here. */
  async readByPartner(): Promise<string> {
    const authorization = basicAuth('dora', PASSWORD);
    const reply = await fetch(`${this.partner.gateway.url}/remote.php/webdav/large.bin`, {
      headers: { authorization },
    });
    return `${reply.status} ${await reply.text()}`;
  }

  private async people(): Promise<void> {
    await this.here.addUser('alice', { display: 'Alice Ä', email: 'alice@example.org' });
    for (const uid of ['bob', 'carol']) await this.here.addUser(uid);
    await this.partner.addUser('dora');
    await this.here.addGroup('staff', 'bob', 'carol');
    await this.here.must('POST', '/cloud/users/bob/subadmins', { form: { groupid: 'staff' } });
    await this.here.must('PUT', '/cloud/users/carol', { form: { key: 'quota', value: '5 GB' } });
    await this.here.set('core', 'shareapi_default_expire_date', 'no');
    await this.here.set('core', 'shareapi_auto_accept_share', 'no');
  }

  private async files(): Promise<void> {
    await this.dav('alice', 'MKCOL', '/plans');
    await this.dav('alice', 'MKCOL', '/plans/Grün & blau');
    for (const name of ['/plans/one.txt', '/plans/Grün & blau/two.txt', '/three.txt', '/four.txt'])
      await this.here.put('alice', name);
    await this.dav('alice', 'PUT', '/large.bin', 'x'.repeat(300_000));
    await this.dav('alice', 'PUT', '/empty.txt', '');
    await this.dav('alice', 'PROPPATCH', '/three.txt', PROPERTIES, { 'content-type': 'application/xml' });
  }

  private async shares(): Promise<void> {
    await this.here.share('alice', { path: '/plans', shareType: '1', shareWith: 'staff' });
    const toBob = await this.here.share('alice', { path: '/three.txt', shareType: '0', shareWith: 'bob' });
    await this.here.must('POST', `${FILES}/shares/pending/${String(toBob.id)}`, { as: 'bob' });
    const links: Record<string, string>[] = [
      { path: '/plans' },
      { path: '/four.txt', password: LINK_PASSWORD, expireDate: '2099-01-31' },
    ];
    for (const form of links) {
      const link = await this.here.share('alice', { shareType: '3', ...form });
      this.tokens.push(String(link.token));
    }
  }

  private async federation(): Promise<void> {
    const { here, partner } = this;
    await partner.put('dora', '/of-dora.txt');
    await partner.put('dora', '/waits.txt');
    await here.share('alice', { path: '/large.bin', shareType: '6', shareWith: `dora@${hostOf(partner)}` });
    const offered = await partner.must('GET', `${FILES}/remote_shares/pending`, { as: 'dora' });
    const [received] = offered.data as { id: unknown }[];
    await partner.must('POST', `${FILES}/remote_shares/pending/${String(received!.id)}`, { as: 'dora' });
    await partner.share('dora', { path: '/of-dora.txt', shareType: '6', shareWith: `bob@${hostOf(here)}` });
    const pending = await here.must('GET', `${FILES}/remote_shares/pending`, { as: 'bob' });
    const [offer] = pending.data as { id: unknown }[];
    await here.must('POST', `${FILES}/remote_shares/pending/${String(offer!.id)}`, { as: 'bob' });
    await partner.share('dora', { path: '/waits.txt', shareType: '6', shareWith: `bob@${hostOf(here)}` });
    await here.must('POST', '/apps/federation/api/v1/partners', {
      form: { host: hostOf(partner), trust: 'trusted', direction: 'both' },
    });
    const invited = await here.must('POST', '/apps/ocm/api/v1/invitations', { as: 'alice' });
    const { invitation } = invited.data as { invitation: string };
    await partner.must('POST', '/apps/ocm/api/v1/invitations/accept', { as: 'dora', form: { invitation } });
    await here.must('POST', '/apps/ocm/api/v1/invitations', {
      as: 'alice',
      form: { description: 'still open' },
    });
  }

  /** Waits until no open work can change an answer. */
  private async settle(): Promise<void> {
    for (const uid of PEOPLE) {
      await this.dav(uid, 'PROPFIND', '/', undefined, { depth: '1' });
      // The owner's server is told once that its offers were seen.
      for (const list of ['/pending', '', '/all'])
        await this.here.must('GET', `${FILES}/remote_shares${list}`, { as: uid });
    }
    await this.dav('bob', 'GET', '/of-dora.txt');
    for (const { gateway } of [this.here, this.partner])
      await eventually('the delivery of all messages', async () => {
        return (await openMessages(gateway.databaseUrl)) === 0;
      });
  }
}

/** Callers with their credentials; `''` has no account. */
export const REQUESTERS: readonly {
  readonly uid: string;
  readonly headers: Readonly<Record<string, string>>;
}[] = [
  { uid: '', headers: {} },
  { uid: ADMIN.uid, headers: { authorization: basicAuth(ADMIN.uid, ADMIN.password) } },
  ...PEOPLE.map((uid) => ({ uid, headers: { authorization: basicAuth(uid, PASSWORD) } })),
];

const ENVIRONMENT = { ...AMONG_FAKES, COMPATIBILITY: 'owncloud10', FEDERATION_SYNC_WAIT: '10s' };

const PROPERTIES = `<?xml version="1.0"?>
<d:propertyupdate xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:x="urn:example">
  <d:set><d:prop><oc:favorite>1</oc:favorite><x:note>kept</x:note></d:prop></d:set>
</d:propertyupdate>`;

const hostOf = (world: SharingWorld): string => new URL(world.gateway.url).host;

async function openMessages(url: string): Promise<number> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const states = `state IN ('pending', 'queued', 'inflight')`;
    const events = '(SELECT count(*)::int FROM share_event)';
    const found = await client.query(
      `SELECT count(*)::int + ${events} AS open FROM outbox_message WHERE ${states}`,
    );
    return (found.rows[0] as { open: number }).open;
  } finally {
    await client.end();
  }
}
