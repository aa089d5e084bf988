import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Output } from '../../apps/cli/src/command';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import { Instance } from '../../apps/cli/src/instance';
import { readConfig } from '../../libs/platform/src';
import { basicAuth, createEmptyDatabase, startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, PASSWORD } from '../edge/edge-client';
import { seededRandom } from './seeded-random';
import { isFullForm } from '../../libs/testing/src/full-form';

jest.setTimeout(600_000);

/** `npm run test:long` takes many. */
const FILES = isFullForm ? 600 : 60;
const WRITERS = 4;
const LARGEST = 60_000;
const SEED = 20260;

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-backup-'));
const authorization = basicAuth('alice', PASSWORD);
let gateway: TestGateway;
let again: TestGateway | undefined;
let database: { url: string; drop(): Promise<void> };

beforeAll(async () => {
  gateway = await startGateway();
  await new EdgeClient(gateway).makeUsers('alice');
  database = await createEmptyDatabase();
});
afterAll(async () => {
  await again?.stop();
  await gateway?.stop();
  await database?.drop();
  rmSync(directory, { recursive: true, force: true });
});

const urlOf = (at: { url: string }, name: string): string => `${at.url}/remote.php/webdav/${name}`;

async function put(name: string, content: string): Promise<void> {
  const reply = await fetch(urlOf(gateway, name), {
    method: 'PUT',
    headers: { authorization },
    body: content,
  });
  if (reply.status !== 201 && reply.status !== 204) throw new Error(`PUT ${name}: ${reply.status}`);
}

/** A content with the name of its file and a mark of its completeness. */
function contentOf(name: string, size: number): string {
  const text = `${name} ${'x'.repeat(size)}`;
  return `${createHash('sha256').update(text).digest('hex')} ${text}`;
}

function isWhole(name: string, content: string): boolean {
  const [digest] = content.split(' ', 1) as [string];
  const text = content.slice(digest.length + 1);
  return text.startsWith(`${name} `) && createHash('sha256').update(text).digest('hex') === digest;
}

/** Overwrites and removes files until `signal` ends it. */
async function disturb(seed: number, stopped: () => boolean): Promise<number> {
  const random = seededRandom(seed);
  let changes = 0;
  for (; !stopped(); changes++) {
    const name = `file-${Math.floor(random() * FILES)}.txt`;
    if (random() < 0.2) await fetch(urlOf(gateway, name), { method: 'DELETE', headers: { authorization } });
    else await put(name, contentOf(name, Math.floor(random() * LARGEST)));
  }
  return changes;
}

async function drawbridge(env: Readonly<Record<string, string>>, ...words: string[]): Promise<Output> {
  const { command, input } = parseCommandLine(words)!;
  const instance = new Instance(readConfig(env), command.anySchema ?? false);
  try {
    return await command.run(input, instance);
  } finally {
    await instance.close();
  }
}

it('a backup under load is consistent', async () => {
  for (let file = 0; file < FILES; file++)
    await put(`file-${file}.txt`, contentOf(`file-${file}.txt`, 100 * file));
  let stopped = false;
  const disturbances = Array.from({ length: WRITERS }, (_, writer) => disturb(SEED + writer, () => stopped));
  const source = { DATABASE_URL: gateway.databaseUrl, DATA_DIR: gateway.dataDirectory };
  const file = join(directory, 'backup.tar');
  const backup = await drawbridge(source, 'backup', '--with-encryption-key', file).finally(
    () => (stopped = true),
  );
  const changes = (await Promise.all(disturbances)).reduce((sum, count) => sum + count);
  expect(changes).toBeGreaterThan(WRITERS);
  expect(backup).toMatchObject({ isBad: false, record: { blobs: { missing: 0 } } });

  const target = { DATABASE_URL: database.url, DATA_DIR: join(directory, 'restored') };
  await drawbridge(target, 'restore', file);
  expect(await drawbridge(target, 'files:check')).toMatchObject({ isBad: false, record: { found: 0 } });
  again = await startGateway({ databaseUrl: database.url, env: { DATA_DIR: target.DATA_DIR } });
  const listing = await fetch(urlOf(again, ''), {
    method: 'PROPFIND',
    headers: { authorization, depth: '1' },
  });
  const names = [...(await listing.text()).matchAll(/webdav\/(file-\d+\.txt)</g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(FILES / 2);
  for (const name of names) {
    const reply = await fetch(urlOf(again, name), { headers: { authorization } });
    expect([name, isWhole(name, await reply.text())]).toEqual([name, true]);
  }
});
