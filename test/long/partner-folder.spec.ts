import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { BlobRepository } from '#persistence';
import { BlobSweep, DiskBlobStore } from '#storage';
import { basicAuth, eventually } from '#testing';
import { FederationOutbox } from '../../libs/testing/src/rigs/federation-outbox';
import { PASSWORD } from '../edge/edge-client';
import { SHARES } from '../federation/outgoing-world';
import { hurry } from './faults';
import { PartnerFolderModel, type Outcome } from './partner-folder-model';
import { seededRandom, shuffled } from './seeded-random';
import { WholeInstance } from './whole-instance';
import { isFullForm } from '../../libs/testing/src/full-form';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const SIZE = isFullForm
  ? { writers: 4, changes: 250, faultsOfKind: 8, largestBytes: 6 * 1024 * 1024 }
  : { writers: 3, changes: 16, faultsOfKind: 1, largestBytes: 1024 * 1024 };
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const REQUEST_MS = 60_000;
const END_MS = 10 * 60_000;

/** Every content waits here for its delivery; none is read from a cache; versions are not thinned out. */
const SETTINGS = {
  'files/partner_writes_at_once_megabytes': '0',
  'files/partner_cache_megabytes': '0',
  'system/versions_retention_obligation': 'disabled',
};

jest.setTimeout(40 * 60_000);

let a: WholeInstance;
let b: WholeInstance;
const random = seededRandom(seed);
const model = new PartnerFolderModel();
const ending = new AbortController();
let hurried: Promise<unknown>;

const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
const digestOf = (content: Buffer): string => createHash('sha1').update(content).digest('hex');

/** Never the same twice. */
let contents = 0;
function freshContent(): Buffer {
  const start = `${seed} ${(contents += 1)} `;
  return Buffer.alloc(start.length + Math.floor(random() ** 3 * SIZE.largestBytes), start);
}

const addressOf = (instance: WholeInstance, path: string): string =>
  `${instance.url}/remote.php/webdav${path}`;
function ask(instance: WholeInstance, uid: string, method: string, path: string, init: RequestInit = {}) {
  const headers = { authorization: basicAuth(uid, PASSWORD), ...(init.headers as Record<string, string>) };
  const signal = AbortSignal.timeout(REQUEST_MS);
  return fetch(addressOf(instance, path), { ...init, method, headers, signal });
}

async function outcomeOf(reply: Promise<Response>): Promise<Outcome> {
  try {
    const { status, body } = await reply;
    await body?.cancel();
    return status < 300 ? 'done' : status < 500 ? 'refused' : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Changes files of its own, one after the other; the owner of the folder changes those named `both` as well. */
async function writer(number: number): Promise<void> {
  const names = [`own-${number}-0`, `own-${number}-1`, `own-${number}-2`, `both-${number}`];
  const { counts } = model;
  for (let change = 0; change < SIZE.changes; change += 1) {
    const unknown = counts.unknown;
    const name = pick(names);
    const roll = random();
    if (roll < 0.65) {
      const body = freshContent();
      const put = ask(b, 'bob', 'PUT', `/Team/${name}`, { body: new Uint8Array(body) });
      model.write(name, digestOf(body), await outcomeOf(put));
    } else if (roll < 0.8) {
      model.remove(name, await outcomeOf(ask(b, 'bob', 'DELETE', `/Team/${name}`)));
    } else {
      // The owner's file is not moved: its content would be unknown.
      const [from, to] = shuffled(names.slice(0, 3), random) as [string, string];
      const headers = { destination: addressOf(b, `/Team/${to}`), overwrite: 'T' };
      model.move(from, to, await outcomeOf(ask(b, 'bob', 'MOVE', `/Team/${from}`, { headers })));
    }
    // A program that is away would otherwise use up the changes.
    await pause(counts.unknown > unknown ? 1000 : random() * 150);
  }
}

async function owner(): Promise<void> {
  for (let change = 0; change < SIZE.changes / 2; change += 1) {
    const name = `both-${Math.floor(random() * SIZE.writers)}`;
    const body = random() < 0.75 ? freshContent() : undefined;
    const changed = body
      ? ask(a, 'alice', 'PUT', `/Team/${name}`, { body: new Uint8Array(body) })
      : ask(a, 'alice', 'DELETE', `/Team/${name}`);
    model.changeByOwner(name, body ? digestOf(body) : null, await outcomeOf(changed));
    await pause(random() * 400);
  }
}

const CONFLICTS = ['changed-0', 'changed-1', 'changed-2'];

/** The owner makes files with names for which contents wait: these are refused. Pauses between attempts still have their length. */
async function conflict(): Promise<void> {
  await folderAt(b, 'bob');
  await a.kill('files');
  for (const name of CONFLICTS) {
    const body = freshContent();
    const put = ask(b, 'bob', 'PUT', `/Team/${name}`, { body: new Uint8Array(body) });
    model.write(name, digestOf(body), await outcomeOf(put));
  }
  const waiting = await b.call('bob', 'GET', '/apps/drawbridge/api/v1/stored-writes');
  expect((waiting as { path: string }[]).map(({ path }) => path).sort()).toEqual(
    CONFLICTS.map((name) => `/Team/${name}`),
  );
  await a.startApp('files');
  for (const name of CONFLICTS) {
    const body = freshContent();
    const put = ask(a, 'alice', 'PUT', `/Team/${name}`, { body: new Uint8Array(body) });
    model.changeByOwner(name, digestOf(body), await outcomeOf(put));
  }
}

/** Kills, cuts and silences, in a random order at random moments. */
async function strikeAll(): Promise<Record<string, number>> {
  const awayMs = (): number => random() * (isFullForm ? 3000 : 1000);
  const restart =
    (instance: WholeInstance, app: 'files' | 'federation-worker') => async (): Promise<void> => {
      await instance.kill(app);
      await pause(awayMs());
      await instance.startApp(app);
    };
  const faults: Record<string, () => Promise<unknown> | void> = {
    'files killed': restart(b, 'files'),
    'worker killed': restart(b, 'federation-worker'),
    'partner killed': restart(a, 'files'),
    'partner cut': () => a.cut(),
    'partner silent': () => a.freeze('files', awayMs()),
  };
  const kinds = Object.keys(faults);
  const plan = shuffled(
    kinds.flatMap((kind) => Array.from({ length: SIZE.faultsOfKind }, () => kind)),
    random,
  );
  for (const kind of plan) {
    await pause(random() * 2000);
    await faults[kind]!();
  }
  return Object.fromEntries(kinds.map((kind) => [kind, SIZE.faultsOfKind]));
}

/** Ends the pauses between attempts. */
async function makeDue(): Promise<void> {
  while (!ending.signal.aborted) {
    await b.query('UPDATE stored_write SET due_at = now() WHERE due_at > now() AND held_until IS NULL');
    await pause(500);
  }
}

beforeAll(async () => {
  process.stderr.write(`partner folder: SEED=${seed}\n`);
  [a, b] = await Promise.all([WholeInstance.start('alice', SETTINGS), WholeInstance.start('bob', SETTINGS)]);
  expect(await outcomeOf(ask(a, 'alice', 'MKCOL', '/Team'))).toBe('done');
  const shareWith = `bob@${new URL(b.url).host}`;
  await a.call('alice', 'POST', SHARES, { path: '/Team', shareType: '6', shareWith, permissions: '15' });
  const [pending] = (await b.call('bob', 'GET', `${REMOTE_SHARES}/pending`)) as { id: number }[];
  await b.call('bob', 'POST', `${REMOTE_SHARES}/pending/${pending!.id}`);
  await conflict();
  const outboxes = [a, b].map(({ test }) => ({ outbox: new FederationOutbox(test.database) }));
  hurried = Promise.all([hurry(outboxes, ending.signal), makeDue()]);
});
afterAll(async () => {
  ending.abort();
  await hurried?.catch(() => undefined);
  await Promise.all([a?.stop(), b?.stop()]);
});

async function digests(instance: WholeInstance, sql: string): Promise<string[]> {
  const rows = await instance.query<{ sha1: string }>(sql);
  return rows.map(({ sha1 }) => sha1);
}
const sha1 = (column: string): string => `substring(${column} FROM 'SHA1:([0-9a-f]+)')`;

/** The files of a folder, read byte by byte. */
async function folderAt(instance: WholeInstance, uid: string): Promise<Map<string, string>> {
  const listing = await (await ask(instance, uid, 'PROPFIND', '/Team', { headers: { depth: '1' } })).text();
  const names = [...listing.matchAll(/<d:href>[^<]*\/Team\/([^<]+)<\/d:href>/g)].map((match) => match[1]!);
  const found = new Map<string, string>();
  for (const name of names.sort()) {
    const reply = await ask(instance, uid, 'GET', `/Team/${name}`);
    if (reply.ok) found.set(name, digestOf(Buffer.from(await reply.arrayBuffer())));
  }
  return found;
}

it(`loses and doubles no content of a partner's folder while its programs are killed (SEED=${seed})`, async () => {
  const startedAt = performance.now();
  const working = [...Array.from({ length: SIZE.writers }, (_, number) => writer(number)), owner()];
  const struck = await strikeAll();
  await Promise.all(working);
  await eventually(
    'the end of all deliveries',
    async () => (await b.query('SELECT FROM stored_write')).length === 0,
    END_MS,
  );
  expect(await b.call('bob', 'GET', '/apps/drawbridge/api/v1/stored-writes')).toEqual([]);

  const folder = await folderAt(a, 'alice');
  const history = [
    ...(await digests(a, `SELECT ${sha1('checksum')} AS sha1 FROM file_version`)),
    ...(await digests(
      a,
      `SELECT ${sha1('checksum')} AS sha1 FROM node WHERE kind = 'file' AND starts_with(path, '~')`,
    )),
  ];
  const copyNames = await b.query<{ path: string }>(
    `SELECT path FROM node WHERE received_share_id IS NULL AND kind = 'file'`,
  );
  const copies: string[] = [];
  for (const { path } of copyNames) {
    const reply = await ask(b, 'bob', 'GET', encodeURI(path));
    copies.push(digestOf(Buffer.from(await reply.arrayBuffer())));
  }
  const { counts } = model;
  process.stderr.write(
    `partner folder: ${JSON.stringify({ seed, ...counts, copies: copies.length, files: folder.size, ...struck })}, ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`,
  );
  expect(model.problems({ folder, history, copies })).toEqual([]);
  expect(counts.done).toBeGreaterThan(SIZE.changes / 2);
  expect(copies.length).toBeGreaterThan(0);

  await eventually('the same folder at both', async () => {
    const there = await folderAt(b, 'bob');
    return JSON.stringify([...there]) === JSON.stringify([...folder]);
  });
  const notices = await b.query(`SELECT FROM notification WHERE object_type = 'stored_write'`);
  expect(notices).toHaveLength(copies.length);
  const blobs = await DiskBlobStore.open(b.blobDirectory);
  await new BlobSweep(blobs, new BlobRepository(b.test.database)).run(0);
  let stored = 0;
  for await (const _blob of blobs.list()) stored += 1;
  expect(stored).toBe(copies.length);
});
