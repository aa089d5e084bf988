import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BlobRepository, NodeRepository } from '#persistence';
import { createLogger } from '#platform';
import { UPLOAD_PERMIT, type ByteRange, type PartnerCacheRules, type PolicySource } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { FakeRemoteFiles } from '../../../testing/src/fakes/fake-remote-files';
import { eventually } from '../../../testing/src/waiting';
import { BlobSweep } from '../blobs/blob-sweep';
import { DiskBlobStore } from '../blobs/disk-blob-store';
import type { NodePath } from '../tree/node-path';
import { CachedContents } from './cached-contents';
import { remotePlaceOf, RemoteTree } from './remote-tree';

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-cached-'));
let blobs: DiskBlobStore;
let test: TestDatabase;
let partner: FakeRemoteFiles;
let remote: RemoteTree;
let cached: CachedContents;
let rules: PartnerCacheRules;
let shareId: number;
let warnings: string[];

beforeAll(async () => {
  test = await createTestDatabase();
  blobs = await DiskBlobStore.open(directory);
});
afterAll(async () => {
  await test.drop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await test.empty('user_account', 'peer', 'cached_content');
  for (const key of await keys()) await blobs.delete(key);
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
  partner.set('p', '/a.txt', 'the first content');
  remote = new RemoteTree(test.database, partner);
  rules = { bytes: 8000, fileBytes: 1000, servesWhileAway: false };
  const policy = { current: () => Promise.resolve({ partnerCache: rules }) } as unknown as PolicySource;
  warnings = [];
  const logger = createLogger('warn', { write: (line) => void warnings.push(line) });
  cached = new CachedContents(test.database, blobs, remote, policy, logger);
});

const query = <T = unknown>(sql: string, ...values: unknown[]): Promise<T[]> =>
  test.database.dataSource.query<T[]>(sql, values);
async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { blobKey } of blobs.list()) found.push(blobKey);
  return found;
}
const nodeAt = async (path: string) => {
  const place = async () => (await new NodeRepository(test.database).place('bob', `/Plans${path}`))!;
  if (!(await place()).node) await remote.refresh(remotePlaceOf((await placeOfFolder())!)!, 1);
  return (await place()).node!;
};
const placeOfFolder = () => new NodeRepository(test.database).place('bob', '/Plans');

async function read(path: string, range?: ByteRange, shown?: string) {
  const node = await nodeAt(path);
  const place = { nodeId: node.id, path: path as NodePath, shown: [shown ?? node.etag] };
  return cached.read(await remote.share(shareId), place, range, UPLOAD_PERMIT);
}
const textOf = async (...asked: Parameters<typeof read>): Promise<string> =>
  (await buffer((await read(...asked)).body)).toString();
const contents = async (): Promise<number> => (await cached.figures()).contents;
async function readAndKept(path: string): Promise<string> {
  const before = await contents();
  const text = await textOf(path);
  await eventually('a content that is kept', async () => (await contents()) > before);
  return text;
}
const reads = (): string[] => partner.calls.filter((call) => call.startsWith('read'));

describe('the content of a partner’s file that was read before', () => {
  it('needs one request with a condition to the partner, and comes from the cache', async () => {
    expect(await readAndKept('/a.txt')).toBe('the first content');
    expect(await textOf('/a.txt')).toBe('the first content');
    expect(await textOf('/a.txt', { start: 4, end: 8 })).toBe('first');
    expect(reads()).toEqual(['read p /a.txt', 'readIfChanged p /a.txt', 'readIfChanged p /a.txt']);
  });

  it('is not kept if the partner may change it under the same ETag', async () => {
    partner.set('p', '/b.txt', 'another one');
    const body = Readable.from(['the first content']);
    const answer = { body, size: 17, range: undefined, etag: 'same', mtime: new Date() };
    jest.spyOn(partner, 'read').mockResolvedValueOnce({ ...answer, mayChangeUnseen: true });
    expect(await textOf('/a.txt')).toBe('the first content');
    expect(await readAndKept('/b.txt')).toBe('another one');
    expect(await contents()).toBe(1);
  });

  it('is replaced when the partner has another one', async () => {
    await readAndKept('/a.txt');
    const [old] = await keys();
    partner.set('p', '/a.txt', 'a second one');
    expect(await textOf('/a.txt')).toBe('a second one');
    await eventually('the new content alone', async () => {
      const now = await keys();
      return now.length === 1 && now[0] !== old;
    });
    expect(await textOf('/a.txt')).toBe('a second one');
    expect(reads().at(-1)).toBe('readIfChanged p /a.txt');
  });

  it('is read again if the blob store has lost it', async () => {
    await readAndKept('/a.txt');
    for (const key of await keys()) await blobs.delete(key);
    expect(await textOf('/a.txt')).toBe('the first content');
    expect(reads()).toEqual(['read p /a.txt', 'readIfChanged p /a.txt', 'read p /a.txt']);
  });

  it('is no orphan for the sweep of the blob store', async () => {
    await readAndKept('/a.txt');
    const sweep = new BlobSweep(blobs, new BlobRepository(test.database), () => Date.now() + 10_000);
    expect(await sweep.run(0)).toMatchObject({ orphans: 0 });
  });
});

describe('a content that is not read to its end', () => {
  it('is not kept', async () => {
    partner.breakOffAfter(5);
    await expect(textOf('/a.txt')).rejects.toThrow();
    partner.breakOffAfter(undefined);
    const { body } = await read('/a.txt');
    body.destroy();
    expect(await textOf('/a.txt', { start: 0, end: 2 })).toBe('the');
    await eventually('writes that have ended', async () => (await keys()).length === 0);
    expect(await contents()).toBe(0);
    expect(warnings).toEqual([]);
  });

  it('uses, together with others, no more space than one file may', async () => {
    for (const name of ['/b', '/c', '/d']) partner.set('p', name, Buffer.alloc(400, name));
    // These two are not read yet.
    const slow = [await read('/b'), await read('/c')];
    await textOf('/d');
    for (const { body } of slow) body.resume();
    await eventually('the contents that are read', async () => (await contents()) === 2);
    await textOf('/d');
    expect(reads().slice(-2)).toEqual(['read p /d', 'read p /d']);
  });
});

describe('a content that cannot be written into the store', () => {
  it('reaches its reader, and the failure is logged', async () => {
    const write = jest.spyOn(blobs, 'write').mockRejectedValueOnce(new Error('the disk is full'));
    expect(await textOf('/a.txt')).toBe('the first content');
    await eventually('a warning', () => warnings.length > 0);
    expect(warnings.join()).toContain('the disk is full');
    expect(await contents()).toBe(0);
    write.mockRestore();
  });
});

describe('while the partner is unreachable', () => {
  beforeEach(async () => {
    await readAndKept('/a.txt');
    partner.fail('barred');
  });

  it('nothing is shown by default', async () => {
    await expect(read('/a.txt')).rejects.toMatchObject({ code: 'barred' });
  });

  it('the content is shown if the setting allows it, with the time when it was current', async () => {
    rules = { ...rules, servesWhileAway: true };
    const content = await read('/a.txt');
    expect((await buffer(content.body)).toString()).toBe('the first content');
    expect(content.staleSince).toBeInstanceOf(Date);
  });

  it('no content is shown that is older than the listing', async () => {
    rules = { ...rules, servesWhileAway: true };
    await expect(read('/a.txt', undefined, 'another-etag')).rejects.toMatchObject({ code: 'barred' });
  });

  it('no content is shown when the partner answers with a refusal', async () => {
    rules = { ...rules, servesWhileAway: true };
    partner.fail('denied');
    await expect(read('/a.txt')).rejects.toMatchObject({ code: 'denied' });
  });
});

describe('the space for contents', () => {
  it('is not given to a file that is larger than its part, and to no file if the space is zero', async () => {
    partner.set('p', '/large.bin', Buffer.alloc(1001));
    await textOf('/large.bin');
    rules = { ...rules, bytes: 0, fileBytes: 0 };
    await textOf('/a.txt');
    expect([await contents(), await keys()]).toEqual([0, []]);
  });

  it('is limited by removing the contents that were current longest ago', async () => {
    for (const name of ['/b', '/c', '/d']) partner.set('p', name, Buffer.alloc(600, name));
    for (const name of ['/b', '/c', '/d']) await readAndKept(name);
    await query(`UPDATE cached_content SET checked_at = now() - id * interval '1 hour'`);
    rules = { ...rules, bytes: 1300 };
    expect(await cached.removeSurplus()).toBe(1);
    expect(await cached.figures()).toEqual({ contents: 2, bytes: 1200 });
    expect(await keys()).toHaveLength(2);
    // The last one had the earliest time.
    await textOf('/b');
    expect(reads().at(-1)).toBe('readIfChanged p /b');
  });

  it('is free again when the share has ended', async () => {
    await readAndKept('/a.txt');
    await query('DELETE FROM received_share');
    expect(await cached.removeSurplus()).toBe(1);
    expect([await contents(), await keys()]).toEqual([0, []]);
  });
});
