import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { NodeRepository, type StoredPlace } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { FakeRemoteFiles } from '../../../testing/src/fakes/fake-remote-files';
import { eventually } from '../../../testing/src/waiting';
import { DiskBlobStore } from '../blobs/disk-blob-store';
import type { NodePath } from '../tree/node-path';
import { userView } from '../tree/tree-view';
import { remotePlaceOf, RemoteTree } from './remote-tree';
import { RemoteWriter } from './remote-writer';

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-remote-'));
let test: TestDatabase;
let partner: FakeRemoteFiles;
let remote: RemoteTree;
let shareId: number;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await test.drop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await test.empty('user_account', 'peer');
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-')`);
  await query(`INSERT INTO peer (host_key) VALUES ('partner.example')`);
  const [row] = await query<{ id: number }>(
    `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
       dialect, state, file_target)
     SELECT id, 'p', 'x', 'x', 'bob', 'a@partner.example', 'a@partner.example', 'Plans', 'folder', 31, 'legacy', 'accepted', '/Plans'
     FROM peer RETURNING id`,
  );
  shareId = row!.id;
  partner = new FakeRemoteFiles();
  partner.set('p', '/a.txt', 'a');
  remote = new RemoteTree(test.database, partner);
});

const query = <T = unknown>(sql: string, ...values: unknown[]): Promise<T[]> =>
  test.database.dataSource.query<T[]>(sql, values);
const place = async (path: string): Promise<StoredPlace> =>
  (await new NodeRepository(test.database).place('bob', path))!;
const refresh = async (path: string, depth: 0 | 1 = 1): Promise<void> =>
  remote.refresh(remotePlaceOf(await place(path))!, depth);
const probes = (): number => partner.calls.filter((call) => call.startsWith('probe')).length;
const known = async (): Promise<string[]> =>
  (
    await query<{ path: string }>('SELECT path FROM node WHERE received_share_id = $1 ORDER BY path', shareId)
  ).map((row) => row.path);

describe('the known state of a share from a partner', () => {
  it('is requested once for all simultaneous callers', async () => {
    partner.hang();
    const share = jest.spyOn(remote, 'share');
    const asked = [refresh('/Plans'), refresh('/Plans')];
    await eventually('the probe', () => probes() === 1);
    // A probe of the folder alone returns less than the running one; in the other order, a second probe would be needed.
    const folder = remotePlaceOf(await place('/Plans'))!;
    asked.push(remote.refresh(folder, 0));
    // When this statement of each caller has ended, they wait for the probe.
    await eventually('the three callers', () => share.mock.results.length === 3);
    await Promise.all(share.mock.results.map(({ value }) => value as Promise<unknown>));
    await setImmediate();
    partner.release();
    await Promise.all(asked);
    expect(probes()).toBe(1);
    await refresh('/Plans');
    expect(probes()).toBe(2);
    expect(await known()).toEqual(['', '/a.txt']);
  });

  it('is not replaced by an answer from before a change', async () => {
    await refresh('/Plans');
    partner.hang();
    const late = refresh('/Plans').catch(() => undefined);
    await eventually('the probe', () => probes() === 2);
    const elsewhere = new FakeRemoteFiles();
    elsewhere.set('p', '/a.txt', 'a');
    const tree = new RemoteTree(test.database, elsewhere);
    const replica = new RemoteWriter(test.database, await DiskBlobStore.open(directory), tree);
    const found = await replica.placeToWrite(userView('bob'), '/Plans/new.txt' as NodePath, {}, false);
    await replica.send(await tree.share(shareId), found, Readable.from(['new']), {});
    partner.release();
    await late;
    expect(await known()).toEqual(['', '/a.txt', '/new.txt']);
  });

  it('is requested again after a change', async () => {
    partner.hang();
    const late = refresh('/Plans');
    await eventually('the probe', () => probes() === 1);
    const share = await remote.share(shareId);
    await remote.change(share, () => Promise.resolve());
    const next = refresh('/Plans');
    await eventually('another probe', () => probes() === 2);
    partner.release();
    await Promise.all([late, next]);
  });

  it('is still requested while only messages are held back', async () => {
    const openUntilMs = JSON.stringify(Date.now() + 60_000);
    await query(`UPDATE peer SET gate = jsonb_set(gate, '{breaker,openUntilMs}', $1)`, openUntilMs);
    await refresh('/Plans');
    expect(await known()).toEqual(['', '/a.txt']);
  });

  it('is fresh again in the first listing after an outage', async () => {
    await refresh('/Plans');
    await query('UPDATE received_share SET unreachable_since = now()');
    partner.set('p', '/b.txt', 'b');
    await new RemoteTree(test.database, partner).refresh(remotePlaceOf(await place('/Plans'))!, 1);
    expect(await known()).toEqual(['', '/a.txt', '/b.txt']);
  });

  it('is shown while the partner is unreachable, and probed in the background', async () => {
    await refresh('/Plans');
    await query('UPDATE received_share SET unreachable_since = now()');
    remote = new RemoteTree(test.database, partner);
    partner.hang();
    await refresh('/Plans');
    await refresh('/Plans');
    await eventually('the probe', () => probes() === 2);
    partner.set('p', '/b.txt', 'b');
    partner.release();
    await eventually(
      'that it is there again',
      async () => (await query('SELECT FROM received_share WHERE unreachable_since IS NULL')).length === 1,
    );
  });

  it('is used alone while the partner has a pause', async () => {
    await refresh('/Plans');
    await query(
      `UPDATE peer SET content_failures = 1, content_failed_at = now(), content_shut_until = now() + interval '1 hour'`,
    );
    await refresh('/Plans');
    const refused: unknown = await refresh('/Plans/none').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unavailable' });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(3000);
    expect(probes()).toBe(1);
  });

  it('is used alone in a process that reaches no partner', async () => {
    await refresh('/Plans');
    remote = new RemoteTree(test.database);
    await refresh('/Plans');
    await refresh('/Plans/none', 0);
    expect(probes()).toBe(1);
    expect(await known()).toEqual(['', '/a.txt']);
  });

  it('keeps the missing entry if the whole share is missing', async () => {
    await refresh('/Plans');
    partner.drop('p', '');
    await refresh('/Plans/a.txt', 0);
    expect(await known()).toEqual(['', '/a.txt']);
  });
});
