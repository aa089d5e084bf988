import { execFileSync } from 'node:child_process';
import { AccountDirectory, PasswordHasher, SignedAddresses, UserAccounts } from '#identity';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

/** Signs with PHP's own functions, as a page does. `argv` contains the address, the key and the number of rounds. */
const SIGN = 'echo hash_pbkdf2("sha512", $argv[1], $argv[2], (int)$argv[3], 64, false);';

let files: FilesApp;
let run = 0;
let alice: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  alice = `alice${++run}`;
  await files.addUsers(alice);
  await files.dav('PUT', alice, '/a b.txt', { body: 'of alice' });
});

interface Wish {
  readonly path?: string;
  readonly uid?: string;
  readonly verb?: string;
  readonly date?: Date;
  readonly expires?: number;
  readonly rounds?: number;
  readonly key?: string;
}

const keyOf = async (uid: string): Promise<string> =>
  files.get(SignedAddresses).keyOf((await files.get(AccountDirectory).find(uid))!);

/** The address with its signature, as a browser writes it. */
async function signed(wish: Wish = {}): Promise<string> {
  const { path = '/remote.php/webdav/a%20b.txt?x=a+b~', uid = alice, verb = 'GET', expires = 1200 } = wish;
  const url = new URL(files.url + path);
  url.searchParams.set('OC-Credential', uid);
  url.searchParams.set('OC-Date', (wish.date ?? new Date()).toISOString());
  url.searchParams.set('OC-Expires', String(expires));
  url.searchParams.set('OC-Verb', verb);
  const key = wish.key ?? (await keyOf(alice));
  const rounds = wish.rounds ?? 10_000;
  const digest = execFileSync('php', ['-r', SIGN, '--', url.toString(), key, String(rounds)], {
    encoding: 'utf8',
  });
  if (wish.rounds !== undefined) url.searchParams.set('OC-Algo', `PBKDF2/${rounds}-SHA512`);
  url.searchParams.set('OC-Signature', digest);
  return url.toString();
}

const statusOf = async (wish: Wish, method = 'GET'): Promise<number> =>
  (await fetch(await signed(wish), { method })).status;
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

it('an address that its user signed gives a file, parts of it, and its HEAD', async () => {
  const address = await signed();
  const reply = await fetch(address);
  expect([reply.status, await reply.text()]).toEqual([200, 'of alice']);
  expect((await fetch(address, { headers: { range: 'bytes=0-1' } })).status).toBe(206);
  expect(await statusOf({ rounds: 5 })).toBe(200);
  expect(await statusOf({ verb: 'HEAD' }, 'HEAD')).toBe(200);
  const other = `/remote.php/dav/files/${alice}/a%20b.txt`;
  expect(await statusOf({ path: other })).toBe(200);
});

it('an address with PHP’s encoding of the query is accepted', async () => {
  const written = `${files.url}/remote.php/webdav/a%20b.txt?files%5B%5D=%7Ea&OC-Credential=${alice}&OC-Date=${encodeURIComponent(new Date().toISOString())}&OC-Expires=60&OC-Verb=GET`;
  const digest = execFileSync('php', ['-r', SIGN, '--', written, await keyOf(alice), '10000'], {
    encoding: 'utf8',
  });
  const sent = written.replace('files%5B%5D=%7Ea', 'files%5B0%5D=~a');
  expect((await fetch(`${sent}&OC-Signature=${digest}`)).status).toBe(200);
});

it.each([
  ['of another method', { verb: 'POST' }],
  ['that is over', { date: ago(100), expires: 99 }],
  ['of the future', { date: ago(-400) }],
  ['that is good for more than a week', { expires: 700_000 }],
  ['of another key', { key: 'guessed' }],
  ['of a user who is not there', { uid: 'nobody' }],
  ['with more rounds than a request may cost', { rounds: 20_000 }],
])('an address with a signature %s is refused', async (_name, wish) => {
  expect(await statusOf(wish)).toBe(401);
});

it.each([
  ['another path', (address: string) => address.replace('a%20b.txt', 'c.txt')],
  ['another user', (address: string) => address.replace(`Credential=${alice}`, 'Credential=alice1000')],
  ['another parameter', (address: string) => `${address}&accept=zip`],
  ['a second date', (address: string) => `${address}&OC-Date=2090-01-01T00%3A00%3A00Z`],
  ['another algorithm', (address: string) => `${address}&OC-Algo=PBKDF2%2F10000-MD5`],
  ['an algorithm of no rounds', (address: string) => `${address}&OC-Algo=PBKDF2%2F0-SHA512`],
  ['half of its signature', (address: string) => address.slice(0, -32)],
  ['no date', (address: string) => address.replace(/OC-Date=[^&]*&/, '')],
])('a signed address that was changed to have %s is refused', async (_name, change) => {
  expect((await fetch(change(await signed()))).status).toBe(401);
});

it('a small clock difference is accepted', async () => {
  expect(await statusOf({ date: ago(-60) })).toBe(200);
});

it('a signed address is read-only, and only for the user’s own files', async () => {
  for (const method of ['PROPFIND', 'PUT', 'DELETE', 'OPTIONS']) {
    const path = method === 'PUT' ? '/remote.php/webdav/new.txt' : undefined;
    expect([method, await statusOf({ verb: method, path }, method)]).toEqual([method, 401]);
  }
  await files.addUsers(`brian${run}`);
  expect(await statusOf({ path: `/remote.php/dav/files/brian${run}/a%20b.txt` })).toBe(404);
  expect(await statusOf({ path: '/index.php/apps/files/ajax/download.php?dir=/&files=a%20b.txt' })).toBe(200);
});

it('a signed address becomes invalid when the password changes, and when the user is disabled', async () => {
  const [first, second] = [await signed(), await signed({ expires: 1100 })];
  expect((await fetch(first)).status).toBe(200);
  await files.get(UserAccounts).setEnabled(alice, false);
  expect((await fetch(first)).status).toBe(401);
  await files.get(UserAccounts).setEnabled(alice, true);
  expect((await fetch(first)).status).toBe(200);
  await files.database.dataSource.query('UPDATE user_account SET password_hash = $2 WHERE uid = $1', [
    alice,
    await files.get(PasswordHasher).hash('another-password'),
  ]);
  files.get(AccountDirectory).changed(alice);
  expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([401, 401]);
});

it('wrong signatures from one address are checked a limited number of times, then refused without a check', async () => {
  const address = await signed({ key: 'guessed' });
  const right = await signed({ expires: 900 });
  let status = 0;
  for (let attempt = 0; attempt < 1000 && status !== 503; attempt++) ({ status } = await fetch(address));
  expect(status).toBe(503);
  expect((await fetch(right)).headers.get('retry-after')).toMatch(/^\d+$/);
});
