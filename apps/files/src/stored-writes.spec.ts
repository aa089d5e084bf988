import { createHash } from 'node:crypto';
import { StoredWriteRepository } from '#persistence';
import { RuntimeSettings } from '#settings';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let brian: string;
let there: string;
let shareId: number;

beforeAll(async () => {
  files = await FilesApp.start(partner);
  // These tests look at all contents that are stored here.
  await files.get(RuntimeSettings).set('files', 'partner_cache_megabytes', '0');
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [brian, there] = [`brian${run}`, `share-${run}`];
  await files.addUsers(brian);
  partner.set(there, '/f.txt', 'of alice');
  partner.set(there, '/sub', null);
  shareId = await files.receive({ providerId: there, recipient: brian, target: '/There' });
  await listed('/There');
});
afterEach(async () => {
  partner.fail(undefined);
  partner.fail(undefined, 'write');
  partner.fail(undefined, 'remove');
  for (const [key, value] of Object.entries(FALLBACKS)) await set(key, value);
  await query('DELETE FROM stored_write');
});

const FALLBACKS = {
  partner_writes_at_once_megabytes: '8',
  stored_writes_user_megabytes: '20480',
  stored_writes_partner_megabytes: '204800',
};
const set = (key: string, value: string): Promise<unknown> =>
  files.get(RuntimeSettings).set('files', key, value);
const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query<T[]>(sql, values);
const put = async (path: string, body: string, headers: Record<string, string> = {}): Promise<number> =>
  (await files.dav('PUT', brian, path, { body, headers })).status;
const text = async (path: string): Promise<string> => (await files.dav('GET', brian, path)).text();
const status = async (method: string, path: string): Promise<number> =>
  (await files.dav(method, brian, path)).status;
const etagBy = async (method: 'HEAD' | 'GET', path: string): Promise<string | null> => {
  const reply = await files.dav(method, brian, path);
  await reply.arrayBuffer();
  return reply.headers.get('etag');
};
const waiting = (): Promise<{ path: string; attempts: number }[]> =>
  query('SELECT path, attempts FROM stored_write WHERE received_share_id = $1 ORDER BY path', shareId);
const isDelivered = async (): Promise<boolean> => (await waiting()).length === 0;
const dueNow = (): Promise<unknown> => query('UPDATE stored_write SET due_at = now(), held_until = NULL');
/**
 * Also makes attempts before it unmade: a write that may have arrived is removed at its partner as well.
 * @returns whether two writes were postponed, neither of which was being delivered
 */
const putOff = async (): Promise<boolean> =>
  (
    await query(
      `WITH put_off AS (
         UPDATE stored_write SET due_at = now() + interval '1 hour', sent_sha1 = NULL WHERE held_until IS NULL RETURNING id
       ) SELECT FROM put_off`,
    )
  ).length === 2;
const notices = (): Promise<{ subject: string; message: string }[]> =>
  query(`SELECT subject, message FROM notification WHERE uid = $1 AND object_type = 'stored_write'`, brian);
async function listed(path: string): Promise<string[]> {
  const reply = await files.dav('PROPFIND', brian, path, { headers: { depth: '1' } });
  return [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)),
  );
}
async function back(): Promise<void> {
  partner.fail(undefined);
  partner.fail(undefined, 'write');
  await dueNow();
}

describe('a file written into a folder of an unreachable partner', () => {
  it('is seen by its writer at once, and keeps its etag after delivery', async () => {
    partner.fail('unreachable');
    expect(await put('/There/new.txt', 'kept here')).toBe(201);
    expect(await put('/There/f.txt', 'mine')).toBe(204);
    expect(await text('/There/new.txt')).toBe('kept here');
    expect(await text('/There/f.txt')).toBe('mine');
    expect(await listed('/There')).toEqual(['/There/', '/There/f.txt', '/There/new.txt', '/There/sub/']);
    const etags = [await etagBy('HEAD', '/There/f.txt'), await etagBy('GET', '/There/new.txt')];
    expect(partner.content(there, '/f.txt')).toBe('of alice');
    await back();
    await eventually('both are delivered', isDelivered);
    expect(partner.content(there, '/f.txt')).toBe('mine');
    expect(partner.content(there, '/new.txt')).toBe('kept here');
    await listed('/There');
    expect([await etagBy('GET', '/There/f.txt'), await etagBy('HEAD', '/There/new.txt')]).toEqual(etags);
    expect(await text('/There/new.txt')).toBe('kept here');
    expect(files.storedFiles()).toEqual([]);
    // A later change at the partner is noticed again, and the writer's condition is checked again.
    expect(await put('/There/f.txt', 'again', { 'if-match': etags[0]! })).toBe(204);
    partner.set(there, '/f.txt', 'of alice again');
    await listed('/There');
    expect(await etagBy('HEAD', '/There/f.txt')).not.toBe(etags[0]);
    expect(await put('/There/f.txt', 'mine', { 'if-match': etags[0]! })).toBe(412);
  });

  it('is delivered with its last content', async () => {
    partner.fail('unreachable');
    for (const body of ['one', 'two', 'three']) await put('/There/f.txt', body);
    expect(await waiting()).toHaveLength(1);
    expect(files.storedFiles()).toHaveLength(1);
    const writes = partner.calls.filter((call) => call.startsWith('write')).length;
    await back();
    await eventually('it is delivered', isDelivered);
    expect(partner.content(there, '/f.txt')).toBe('three');
    expect(partner.calls.filter((call) => call.startsWith('write')).length - writes).toBeLessThanOrEqual(2);
  });

  it('is refused if its folder is not known, writing is forbidden, or a condition fails', async () => {
    partner.fail('unreachable');
    expect(await put('/There/none/new.txt', 'x')).toBe(503);
    expect(await put('/There/f.txt', 'x', { 'if-match': '"another"' })).toBe(412);
    expect(await put('/There/f.txt', 'x', { 'if-none-match': '*' })).toBe(412);
    expect(await put('/There/f.txt', 'x', { 'oc-checksum': `SHA1:${'0'.repeat(40)}` })).toBe(400);
    await query('UPDATE received_share SET permissions = 1 WHERE id = $1', shareId);
    expect(await put('/There/f.txt', 'x')).toBe(403);
    expect(await waiting()).toEqual([]);
    expect(files.storedFiles()).toEqual([]);
  });

  it('can be removed again, but not moved before its delivery', async () => {
    partner.fail('unreachable');
    await put('/There/new.txt', 'x');
    await put('/There/f.txt', 'mine');
    await eventually('no attempt comes between', putOff);
    expect(await status('DELETE', '/There/f.txt')).toBe(503);
    partner.fail(undefined);
    expect((await files.transfer('MOVE', brian, '/There/new.txt', '/moved.txt')).status).toBe(423);
    partner.fail('unreachable', 'remove');
    partner.fail('unreachable', 'write');
    expect(await status('DELETE', '/There/f.txt')).toBe(503);
    expect(await waiting()).toHaveLength(2);
    expect(await status('DELETE', '/There/new.txt')).toBe(204);
    partner.fail(undefined, 'remove');
    expect(await status('DELETE', '/There/f.txt')).toBe(204);
    expect(await waiting()).toEqual([]);
    await back();
    expect(await listed('/There')).toEqual(['/There/', '/There/sub/']);
    expect(partner.paths(there)).toEqual(['/sub']);
    expect(files.storedFiles()).toEqual([]);
  });
});

describe('a large file written into a folder of a partner', () => {
  it('is stored first, and then delivered', async () => {
    await set('partner_writes_at_once_megabytes', '0');
    partner.hang();
    const asked = partner.calls.length;
    const written = put('/There/new.txt', 'large');
    await eventually('the partner is asked', () => partner.calls.length > asked);
    partner.release();
    expect(await written).toBe(201);
    await eventually('it is delivered', isDelivered);
    expect(partner.content(there, '/new.txt')).toBe('large');
  });

  it('is refused above the limits of its writer or the partner', async () => {
    for (const bound of ['stored_writes_user_megabytes', 'stored_writes_partner_megabytes']) {
      await set('partner_writes_at_once_megabytes', '0');
      await set(bound, '1');
      partner.fail('unreachable', 'write');
      expect(await put('/There/first.txt', 'x'.repeat(700_000))).toBe(201);
      expect(await put('/There/second.txt', 'x'.repeat(700_000))).toBe(507);
      expect(await put('/There/first.txt', 'y'.repeat(700_000))).toBe(204);
      expect(await text('/There/first.txt')).toBe('y'.repeat(700_000));
      await query('DELETE FROM stored_write');
      await set(bound, FALLBACKS[bound as keyof typeof FALLBACKS]);
    }
  });
});

describe('a waiting file that its partner refuses', () => {
  it.each([
    ['forbidden', 'The server there does not allow it.'],
    ['no-space', 'There is no space for it there.'],
    ['conflict', 'The folder for it is not there any more.'],
  ] as const)('("%s") becomes a file of its writer, who gets a notification', async (code, reason) => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    await put('/There/new.txt', 'mine too');
    await put('/f.txt', 'another');
    partner.fail(undefined);
    partner.fail(code, 'write');
    await dueNow();
    await eventually('both are refused', isDelivered);
    expect(await text('/f (2).txt')).toBe('mine');
    expect(await text('/new.txt')).toBe('mine too');
    expect(await listed('/There')).toEqual(['/There/', '/There/f.txt', '/There/sub/']);
    expect(await text('/There/f.txt')).toBe('of alice');
    const told = await notices();
    expect(told.map(({ subject }) => subject).toSorted()).toEqual([
      '"f.txt" could not be stored in "There" at partner.example',
      '"new.txt" could not be stored in "There" at partner.example',
    ]);
    expect(told.map(({ message }) => message).toSorted()).toEqual([
      `${reason} It is kept among your own files: /f (2).txt`,
      `${reason} It is kept among your own files: /new.txt`,
    ]);
  });

  it('keeps both contents if it was changed there in the meantime', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    await put('/There/new.txt', 'mine too');
    partner.set(there, '/f.txt', 'of alice again');
    partner.set(there, '/new.txt', 'of alice');
    await back();
    await eventually('both are refused', isDelivered);
    expect(await text('/There/f.txt')).toBe('of alice again');
    expect(await text('/There/new.txt')).toBe('of alice');
    expect([await text('/f.txt'), await text('/new.txt')]).toEqual(['mine', 'mine too']);
  });

  it.each(['.htaccess', 'half.part'])(
    'becomes a file with another name if nobody may use %s here',
    async (name) => {
      partner.set(there, `/${name}`, 'of alice');
      await listed('/There');
      partner.fail('unreachable');
      expect(await put(`/There/${name}`, 'mine')).toBe(204);
      partner.fail(undefined);
      partner.fail('forbidden', 'write');
      await dueNow();
      await eventually('it is refused', isDelivered);
      expect(await text('/kept file')).toBe('mine');
      expect((await notices()).map(({ subject, message }) => `${subject} ${message}`)).toEqual([
        expect.stringMatching(`"${name}" could not be stored.*kept among your own files: /kept file$`),
      ]);
    },
  );

  it('becomes a file of its writer if its share has ended', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    expect(await status('DELETE', '/There')).toBe(204);
    await dueNow();
    await eventually('it is refused', isDelivered);
    expect(await text('/f.txt')).toBe('mine');
  });
});

describe('a waiting file that is given up', () => {
  const writes = (): StoredWriteRepository => new StoredWriteRepository(files.database);
  const only = async () => (await writes().list({ writerUid: brian }, 0, 10))[0]!;
  const told = { subject: '"f.txt" could not be stored in "There" at partner.example' };

  it('becomes a file of its writer while the partner is unreachable, and the folder shows the partner’s state', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    const { id } = await only();
    expect(await writes().giveUp(id, 'somebody else')).toBe(false);
    expect(await writes().giveUp(id, brian)).toBe(true);
    await eventually('it is given up', isDelivered);
    expect(await writes().giveUp(id, brian)).toBe(false);
    expect(await text('/f.txt')).toBe('mine');
    expect(await notices()).toEqual([
      { ...told, message: 'It was given up here. It is kept among your own files: /f.txt' },
    ]);
    partner.fail(undefined);
    expect(await text('/There/f.txt')).toBe('of alice');
    expect(partner.content(there, '/f.txt')).toBe('of alice');
    const recorded =
      await query(`SELECT object_id, detail FROM audit_event WHERE action = 'stored-write.give-up'
      AND detail ->> 'uid' = '${brian}'`);
    expect(recorded).toEqual([{ object_id: 'partner.example', detail: { uid: brian, share: 'There' } }]);
  });

  it('is delivered if the running attempt succeeds, and becomes the writer’s at once if it fails', async () => {
    await set('partner_writes_at_once_megabytes', '0');
    for (const failure of [undefined, 'unreachable'] as const) {
      partner.fail('unreachable', 'write');
      await put('/There/f.txt', `mine, ${failure}`);
      await eventually('an attempt has failed', async () => (await only()).lastError !== null);
      partner.fail(undefined, 'write');
      partner.hang();
      await dueNow();
      await eventually('an attempt is under way', async () => (await only()).state === 'under-way');
      expect(await writes().retry((await only()).id)).toBe(false);
      expect(await writes().giveUp((await only()).id)).toBe(true);
      expect((await only()).state).toBe('under-way');
      if (failure) partner.fail(failure, 'write');
      partner.release();
      await eventually('it has ended', isDelivered);
    }
    expect(partner.content(there, '/f.txt')).toBe('mine, undefined');
    expect(await text('/f.txt')).toBe('mine, unreachable');
    expect(await notices()).toHaveLength(1);
  });

  it('is tried at once instead on request', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    await query(`UPDATE stored_write SET due_at = now() + interval '1 day', held_until = NULL`);
    partner.fail(undefined);
    const { id, dueAt } = await only();
    expect(dueAt.getTime()).toBeGreaterThan(Date.now());
    expect(await writes().retry(id, 'somebody else')).toBe(false);
    expect(await writes().retry(id, brian)).toBe(true);
    await eventually('it is delivered', isDelivered);
    expect(partner.content(there, '/f.txt')).toBe('mine');
  });
});

describe('a file whose delivery was interrupted without an answer', () => {
  const sha1 = (body: string): string => createHash('sha1').update(body).digest('hex');
  const wasSent = (body: string): Promise<unknown> =>
    query('UPDATE stored_write SET sent_sha1 = $2 WHERE received_share_id = $1', shareId, sha1(body));

  it('is not written twice if it had arrived', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    await wasSent('mine');
    partner.set(there, '/f.txt', 'mine');
    const etag = await etagBy('HEAD', '/There/f.txt');
    partner.fail(undefined);
    partner.fail('forbidden', 'write');
    await dueNow();
    await eventually('it is settled', isDelivered);
    expect(await notices()).toEqual([]);
    await listed('/There');
    expect(await etagBy('HEAD', '/There/f.txt')).toBe(etag);
  });

  it('is not kept as a copy if it arrives while it is sent once more', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'mine');
    await wasSent('mine');
    partner.arriveBeforeWrite(there, '/f.txt', 'mine');
    await back();
    await eventually('it is settled', isDelivered);
    expect(partner.content(there, '/f.txt')).toBe('mine');
    expect(await notices()).toEqual([]);
  });

  it('is replaced by the next one also if it arrives while that is sent', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'first');
    await wasSent('first');
    await put('/There/f.txt', 'second');
    partner.arriveBeforeWrite(there, '/f.txt', 'first');
    await back();
    await eventually('it is settled', async () => {
      await query('UPDATE stored_write SET due_at = now() WHERE held_until IS NULL');
      return isDelivered();
    });
    expect(partner.content(there, '/f.txt')).toBe('second');
    expect(await notices()).toEqual([]);
  });

  it('is replaced by the next one', async () => {
    partner.fail('unreachable');
    await put('/There/f.txt', 'first');
    await wasSent('first');
    await put('/There/f.txt', 'second');
    partner.set(there, '/f.txt', 'first');
    await back();
    await eventually('it is settled', isDelivered);
    expect(partner.content(there, '/f.txt')).toBe('second');
    expect(await notices()).toEqual([]);
  });
});
