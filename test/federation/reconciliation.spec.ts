import { Database } from '#persistence';
import { readConfig, SecretBox } from '#platform';
import { Schedules } from '#queue';
import {
  eventually,
  startDavPartner,
  startGateway,
  type DavPartner,
  type DavShare,
  type TestGateway,
} from '#testing';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import type { Instance } from '../../apps/cli/src/instance';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const ENCRYPTION_KEY = 'ab'.repeat(32);
const ENV = { ...AMONG_FAKES, ENCRYPTION_KEY };

let gateway: SharingGateway;
let second: TestGateway;
let partner: DavPartner;

beforeAll(async () => {
  gateway = await SharingGateway.start({ env: ENV });
  second = await startGateway({ env: ENV, databaseUrl: gateway.gateway.databaseUrl });
  await gateway.addUsers('alice', 'bob');
  partner = await startDavPartner();
});
afterAll(async () => {
  await partner?.close();
  await second?.stop();
  await gateway?.stop();
});

/** A share that `from` offers to alice, in the name of a person at `host`. */
async function offer(from: DavShare, name: string, host = partner.hostKey): Promise<void> {
  const body = {
    shareWith: 'alice@gateway.example',
    name,
    providerId: from.providerId,
    owner: `rem@http://${host}`,
    sender: `rem@http://${host}`,
    shareType: 'user',
    resourceType: 'file',
    protocol: { name: 'webdav', options: { sharedSecret: from.secret } },
  };
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${gateway.gateway.url}/ocm/shares`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(201);
}

/** Makes the next work of both workers due now. */
async function watch(): Promise<void> {
  const workers = [gateway.gateway, second].map(({ instance }) =>
    instance.app.nest.get(Schedules, { strict: false }),
  );
  await Promise.all(workers.map((schedules) => schedules.run('watch-received-shares')));
}

/** The row of the share as soon as `condition` holds. */
const settled = (name: string, condition: string): Promise<Record<string, unknown>> =>
  eventually(`${name} with ${condition}`, async () => {
    const sql = `SELECT r.*, p.host_key FROM received_share r JOIN peer p ON p.id = r.peer_id WHERE name = $1 AND ${condition}`;
    return (await gateway.query<Record<string, unknown>>(sql, [name]))[0];
  });

/** Moves the time: every watched share is due. */
const letPass = async (hours: number): Promise<void> => {
  await gateway.query(
    `UPDATE received_share SET look_at = CASE WHEN look_at IS NOT NULL THEN now() END,
       quarantined_at = quarantined_at - $1::int * interval '1 hour'`,
    [hours],
  );
  await gateway.query('UPDATE peer SET looks_after = NULL');
  await watch();
};

const received = (method: string, below: string) =>
  gateway.ocs(method, `/apps/files_sharing/api/v1/remote_shares${below}`, 'alice');

async function accept(name: string): Promise<number> {
  const { id } = (await settled(name, 'true')) as { id: string };
  expect((await received('POST', `/pending/${id}`)).code).toBe(200);
  return Number(id);
}

const asked = (share: DavShare, of: DavPartner = partner): number =>
  of.requests.filter(({ method, headers }) => {
    const shown = `Basic ${Buffer.from(`${share.secret}:`).toString('base64')}`;
    return method === 'PROPFIND' && headers.authorization === shown;
  }).length;

async function command(...words: string[]): Promise<Record<string, unknown>> {
  const { url } = gateway.gateway;
  const config = readConfig({ ...ENV, PUBLIC_URL: url, DATABASE_URL: gateway.gateway.databaseUrl });
  const database = await Database.connect({
    url: config.DATABASE_URL!,
    poolSize: 2,
    applicationName: 'specs',
  });
  const secrets = new SecretBox(() => Buffer.from(ENCRYPTION_KEY, 'hex'));
  const { command: found, input } = parseCommandLine(words)!;
  try {
    const output = await found.run(input, {
      config,
      secrets,
      open: async () => database,
    } as unknown as Instance);
    return output.kind === 'rows' ? { rows: output.rows } : { ...output.record };
  } finally {
    await database.close();
  }
}

describe('two workers', () => {
  it('verify an offer once after its acceptance', async () => {
    const [first, later] = [partner.share('v1'), partner.share('v2')];
    first.permissions = 17;
    first.tree.folder('');
    await offer(first, 'verified');
    await watch();
    await settled('verified', `verified AND kind = 'folder' AND permissions = 17`);
    await offer(later, 'verified later');
    await watch();
    await settled('verified later', 'verified');
    await watch();
    expect([asked(first), asked(later)]).toEqual([1, 1]);
    expect(await gateway.query(`SELECT message FROM notification WHERE message <> ''`)).toEqual([]);
  }, 300_000);

  it('keep a refused share in place, end it later, and restore it', async () => {
    const share = partner.share('r1');
    await offer(share, 'refused');
    const id = await accept('refused');
    await watch();
    await settled('refused', `kind IS NOT NULL AND last_seen_at IS NOT NULL`);
    partner.misbehave(401, 'PROPFIND');
    for (const [hours, condition] of [
      [0, `state = 'quarantined'`],
      [12, 'failed_probes = 2'],
    ] as const) {
      await letPass(hours);
      await settled('refused', condition);
      const { data } = await received('GET', '');
      expect((data as { id: number }[]).map((one) => one.id)).toContain(id);
    }
    await letPass(12);
    await settled('refused', `state = 'gone'`);
    expect((await received('GET', `/${id}`)).code).toBe(404);
    partner.misbehave(null);
    await letPass(1);
    await settled('refused', `state = 'accepted'`);
    expect((await received('GET', `/${id}`)).data).toMatchObject({ mountpoint: '/refused', accepted: 1 });
  }, 300_000);
});

describe('a partner that moves', () => {
  it('is found at its new host with all its shares, and accepted under its old name', async () => {
    const share = partner.share('m1');
    await offer(share, 'moving');
    await accept('moving');
    await watch();
    await settled('moving', 'last_seen_at IS NOT NULL');
    const moved = await startDavPartner();
    const there = Object.assign(moved.share('m1'), { secret: share.secret });
    there.tree.file('', 'at the new host');
    await gateway.store('bob', '/sent.txt');
    const form = { path: '/sent.txt', shareType: '6', shareWith: `bea@${partner.hostKey}` };
    const sent = await gateway.share('bob', form);
    expect(sent.data).toMatchObject({ delivery_state: 'delivered' });

    const oldHost = partner.hostKey;
    await partner.close();
    const done = await command('peer', 'rename', oldHost, moved.hostKey, '--old-host-gone', '--yes');
    expect(done).toMatchObject({ done: true, shares: 1 });
    await watch();

    await settled('moving', `host_key = '${moved.hostKey}' AND size = 15`);
    const read = await fetch(`${gateway.gateway.url}/remote.php/webdav/moving`, {
      headers: { authorization: gateway.authorizationOf('alice') },
    });
    expect(await read.text()).toBe('at the new host');
    await gateway.shares('DELETE', `/${(sent.data as { id: string }).id}`, 'bob');
    await eventually('word of the end at the new host', () =>
      moved.seen('POST').includes('POST /ocm/notifications'),
    );

    const under = moved.share('m2');
    await offer(under, 'under its old name', oldHost);
    await watch();
    await settled('under its old name', `verified AND host_key = '${moved.hostKey}'`);
    await moved.close();
  }, 300_000);
});
