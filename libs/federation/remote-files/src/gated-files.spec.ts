import {
  InboxRepository,
  PartnerGateRepository,
  PeerRepository,
  RemoteNodeRepository,
  type MountedShareRow,
} from '#persistence';
import { OPERATOR_PERMIT, ROOT, type NodePath } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { FakeRemoteFiles } from '../../../testing/src/fakes/fake-remote-files';
import { eventually } from '../../../testing/src/waiting';
import { GatedFiles } from './gated-files';
import { RemoteFailure } from './remote-failure';
import type { RemoteFiles } from './remote-files';

const FILE = '/a.txt' as NodePath;

let test: TestDatabase;
let partner: FakeRemoteFiles;
let files: GatedFiles;
let shareId: number;
let otherId: number;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.empty('user_account', 'peer');
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-')`);
  await query(`INSERT INTO peer (host_key) VALUES ('partner.example')`);
  [shareId, otherId] = [await receive('p'), await receive('q')];
  partner = new FakeRemoteFiles();
  partner.set('p', FILE, 'a');
  partner.set('q', FILE, 'a');
  files = gated(partner);
});
afterEach(() => partner.release());

const gated = (behind: RemoteFiles): GatedFiles =>
  new GatedFiles(behind, new PartnerGateRepository(test.database));
const query = <T = unknown>(sql: string, ...values: unknown[]): Promise<T[]> =>
  test.database.dataSource.query<T[]>(sql, values);
/** Stores an accepted share from the partner. @returns its id */
async function receive(providerId: string): Promise<number> {
  const [row] = await query<{ id: number }>(
    `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
       dialect, state, file_target)
     SELECT id, $1::text, $1::text::bytea, 'x', 'bob', 'a@partner.example', 'a@partner.example', 'Plans', 'folder', 31, 'legacy', 'accepted', '/' || $1::text
     FROM peer RETURNING id`,
    providerId,
  );
  return row!.id;
}
const share = async (id = shareId): Promise<MountedShareRow> =>
  (await new RemoteNodeRepository(test.database).findMounted(id))!;
const read = async (id = shareId): Promise<void> => {
  (await files.read(await share(id), FILE, undefined, OPERATOR_PERMIT)).body.destroy();
};
const silence = (): RemoteFailure =>
  new RemoteFailure('unreachable', 'partner.example', 'timeout', undefined, 'silent');
const trouble = async () => (await share()).trouble;
const pauseEnds = async () => {
  for (const table of ['peer', 'received_share'])
    await query(`UPDATE ${table} SET content_shut_until = now() WHERE content_shut_until IS NOT NULL`);
};
/** Moves earlier failures a minute back, so that new ones count separately. */
const past = async () => {
  for (const table of ['peer', 'received_share'])
    await query(`UPDATE ${table} SET content_failed_at = content_failed_at - interval '1 minute'`);
};

async function shut(): Promise<void> {
  partner.fail('unreachable');
  for (let failures = 0; failures < 2; failures++) {
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    await past();
  }
}

describe('the gate of the content of a partner', () => {
  it('shuts after two failures in a row, and refuses at once with the time of the next attempt', async () => {
    await shut();
    const asked = partner.calls.length;
    const refused: unknown = await read().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'barred' });
    expect((refused as RemoteFailure).retryAfterSeconds).toBeGreaterThan(0);
    await expect(files.probe(await share(), ROOT, 0)).rejects.toMatchObject({ code: 'barred' });
    expect(partner.calls).toHaveLength(asked);
  });

  it('shuts at once after a request without an answer', async () => {
    const silent = silence();
    jest.spyOn(partner, 'read').mockRejectedValueOnce(silent);
    await expect(read()).rejects.toBe(silent);
    await expect(read()).rejects.toMatchObject({ code: 'barred' });
  });

  it('stays open if another request was answered meanwhile, and shuts after the next failure', async () => {
    const silent = silence();
    let giveUp = (): void => undefined;
    jest
      .spyOn(partner, 'read')
      .mockReturnValueOnce(new Promise((_, failed) => (giveUp = () => failed(silent))));
    const slow = read();
    await eventually('the slow request', () => jest.mocked(partner.read).mock.calls.length === 1);
    await read();
    giveUp();
    await expect(slow).rejects.toBe(silent);
    expect(await trouble()).toBeNull();
    jest.spyOn(partner, 'read').mockRejectedValueOnce(silent);
    await expect(read()).rejects.toBe(silent);
    expect((await trouble())!.shutMs).toBeGreaterThan(0);
  });

  it('stays open after one short probe without an answer, and shuts after two', async () => {
    const silent = silence();
    const probe = async () => files.probe(await share(), ROOT, 0, 5_000);
    jest.spyOn(partner, 'probe').mockRejectedValueOnce(silent).mockRejectedValueOnce(silent);
    await expect(probe()).rejects.toBe(silent);
    expect(await trouble()).toMatchObject({ shutMs: null, contentFails: true });
    await past();
    await expect(probe()).rejects.toBe(silent);
    expect((await trouble())!.shutMs).toBeGreaterThan(0);
  });

  it('tolerates one failure, and forgets it after the next answer', async () => {
    partner.fail('unreachable');
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    partner.fail(undefined);
    await read();
    expect(await trouble()).toBeNull();
  });

  it('counts requests that failed together only once', async () => {
    partner.fail('unreachable');
    partner.hang();
    const reads = Promise.allSettled([read(), read(), read()]);
    await eventually('the requests', () => partner.calls.length === 3);
    partner.release();
    await reads;
    expect(await trouble()).toMatchObject({ contentFails: true, shutMs: null });
  });

  it('stays open if the partner answers, whatever the answer', async () => {
    partner.fail('denied');
    for (let times = 0; times < 3; times++) await expect(read()).rejects.toMatchObject({ code: 'denied' });
    expect(await trouble()).toBeNull();
  });

  it('lets one request test whether the files are back, and then opens', async () => {
    await shut();
    await pauseEnds();
    partner.hang();
    const first = files.probe(await share(), ROOT, 0).catch((error: unknown) => error);
    await eventually('the request', () => partner.calls.at(-1)!.startsWith('greet'));
    const asked = partner.calls.length;
    await expect(files.probe(await share(), ROOT, 0)).rejects.toMatchObject({ code: 'barred' });
    await expect(read()).rejects.toMatchObject({ code: 'barred' });
    expect(partner.calls).toHaveLength(asked);
    partner.fail(undefined);
    partner.release();
    expect(await first).toHaveLength(1);
    await read();
    expect(await trouble()).toBeNull();
  });

  it('stays shut longer each time', async () => {
    await shut();
    const first = (await trouble())!.shutMs!;
    await pauseEnds();
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    await past();
    await pauseEnds();
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    expect((await trouble())!.shutMs).toBeGreaterThan(first);
  });

  it('lets a reader wait for the answer, and continues when the files are back', async () => {
    await shut();
    await pauseEnds();
    partner.fail(undefined);
    await read();
    expect(partner.calls.slice(-2)).toEqual(['greet p ', 'read p /a.txt']);
  });
});

describe('the gate of the content of one share', () => {
  const slowly = (): jest.SpyInstance => jest.spyOn(partner, 'read').mockRejectedValueOnce(silence());

  it('shuts if only the share is silent; other shares of the server are still read', async () => {
    slowly();
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    await eventually('the question to the server', () => partner.calls.includes('greet p '));
    await expect(read()).rejects.toMatchObject({ code: 'barred' });
    await read(otherId);
    expect(await share(otherId)).toMatchObject({ trouble: null });
  });

  it.each([
    ['is silent', silence()],
    ['is not there', new RemoteFailure('unreachable', 'partner.example', 'refused', undefined, 'away')],
    [
      'is given up by a proxy',
      new RemoteFailure('unreachable', 'partner.example', 'HTTP 502', undefined, 'gap'),
    ],
  ])('shuts together with the gate of the host if the server itself %s', async (_, failure) => {
    slowly();
    const greet = jest.spyOn(partner, 'greet').mockRejectedValue(failure);
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    await eventually('the gate of the host', async () => (await share(otherId)).trouble?.isHostShut === true);
    const asked = partner.calls.length;
    await expect(read(otherId)).rejects.toMatchObject({ code: 'barred' });
    expect(partner.calls).toHaveLength(asked);
    expect(greet).toHaveBeenCalledTimes(1);
  });

  it('tolerates one answer that a server behind it is unreachable, and shuts after two', async () => {
    const gap = new RemoteFailure('unreachable', 'partner.example', 'HTTP 503', 7, 'gap');
    jest.spyOn(partner, 'read').mockRejectedValueOnce(gap).mockRejectedValueOnce(gap);
    await expect(read()).rejects.toBe(gap);
    await past();
    await expect(read()).rejects.toBe(gap);
    await expect(read()).rejects.toMatchObject({ code: 'barred' });
    await read(otherId);
  });

  it('opens after one probe of the share, while others wait', async () => {
    slowly();
    await expect(read()).rejects.toMatchObject({ code: 'unreachable' });
    await pauseEnds();
    await read();
    expect(partner.calls.slice(-2)).toEqual(['probe p  0', 'read p /a.txt']);
    expect(await trouble()).toBeNull();
  });
});

describe('the gates of content and messages', () => {
  const messagesShut = (failedAgoMs: number) =>
    query(
      `UPDATE peer SET parked_until = now() + interval '1 hour', gate = jsonb_set(gate, '{breaker}', $1)`,
      JSON.stringify({
        recent: [{ atMs: Date.now() - failedAgoMs, failed: true }],
        openUntilMs: Date.now() + 3_600_000,
        openings: 5,
      }),
    );
  const isParked = async (): Promise<boolean> =>
    (await query('SELECT FROM peer WHERE parked_until > now()')).length > 0;

  it('allow one message when the files of the partner answer', async () => {
    await messagesShut(60_000);
    await read();
    expect(await trouble()).toMatchObject({ messagesShut: false });
    expect(await isParked()).toBe(false);
  });

  it('do not allow messages that just failed, even if content is read often', async () => {
    await messagesShut(0);
    await read();
    expect(await trouble()).toMatchObject({ messagesShut: true });
    expect(await isParked()).toBe(true);
  });

  it('allow content at once after a delivered message', async () => {
    await shut();
    const [peer] = await query<{ id: number }>('SELECT id FROM peer');
    await new PartnerGateRepository(test.database).tryContent([peer!.id]);
    expect((await trouble())!.shutMs).toBeLessThanOrEqual(0);
  });

  it.each([
    [
      'the partner sent a message',
      (id: number) =>
        new InboxRepository(test.database).once({ dedupeHash: Buffer.from('any'), kind: 'any' }, () =>
          Promise.resolve({ peerId: id, httpStatus: 201, reply: undefined }),
        ),
    ],
    [
      'the partner was discovered',
      (id: number) =>
        new PeerRepository(test.database).saveDiscovery(id, {}, 1000, { documentKeys: '', jwks: '' }),
    ],
  ])(
    'both allow one attempt immediately after this: %s',
    async (_, sign: (id: number) => Promise<unknown>) => {
      await shut();
      await messagesShut(60_000);
      const [peer] = await query<{ id: number }>('SELECT id FROM peer');
      await sign(peer!.id);
      expect((await trouble())!.shutMs).toBeLessThanOrEqual(0);
      expect(await trouble()).toMatchObject({ messagesShut: false });
    },
  );
});
