import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administrationOn } from '#identity';
import { Database } from '#persistence';
import { basicAuth, REPOSITORY, startGateway, type TestGateway } from '#testing';
import { run, type Outcome } from '../../apps/cli/src/run';

const ALICE = { uid: 'alice', password: 'a-password-of-alice' };

describe('the commands on files, beside a running gateway', () => {
  let gateway: TestGateway;
  let directory: string;

  beforeAll(async () => {
    gateway = await startGateway();
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-files-commands-'));
    const database = gateway.instance.app.nest.get(Database, { strict: false });
    await administrationOn(database, { COMPATIBILITY: 'documented' }).users.create(ALICE);
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const environment = () => ({ DATABASE_URL: gateway.databaseUrl, DATA_DIR: gateway.dataDirectory });

  const drawbridge = (...words: string[]): Promise<Outcome> => run(words, () => undefined, environment());

  /** Runs a command as a process, because it writes to standard error while it works. */
  function asProcess(...words: string[]): Promise<Outcome> {
    const env = { PATH: process.env.PATH, ...environment() };
    const child = spawn(join(REPOSITORY, 'bin/drawbridge'), words, { env });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    return new Promise((ended) => child.once('close', (code) => ended({ exitCode: code!, out, err })));
  }

  it('import a directory for a user, and skip it the second time', async () => {
    const source = join(directory, 'source');
    mkdirSync(join(source, 'sub'), { recursive: true });
    writeFileSync(join(source, 'sub/file.txt'), 'from disk');
    symlinkSync('/etc/passwd', join(source, 'link'));
    const first = await asProcess('files:import', source, '--user', 'ALICE', '--to', '/disk', '--json');
    expect(first).toMatchObject({ exitCode: 0, err: `left out "${source}/link": it is a link\n` });
    expect(JSON.parse(first.out)).toMatchObject({ imported: 1, folders: 2, leftOut: 1 });
    const again = await drawbridge('files:import', source, '--user', 'alice', '--to', 'disk/', '--json');
    expect(JSON.parse(again.out)).toMatchObject({ imported: 0, unchanged: 1, folders: 0 });
    const headers = { authorization: basicAuth(ALICE.uid, ALICE.password) };
    const reply = await fetch(`${gateway.url}/remote.php/webdav/disk/sub/file.txt`, { headers });
    expect(await reply.text()).toBe('from disk');
  });

  it('refuse impossible tasks, with one sentence', async () => {
    expect(await drawbridge('files:import', directory)).toMatchObject({ exitCode: 2 });
    expect(await drawbridge('files:import', directory, '--user', 'alice', '--to', '/..')).toMatchObject({
      exitCode: 2,
    });
    expect(await drawbridge('files:import', directory, '--user', 'nobody')).toMatchObject({
      exitCode: 1,
      out: '',
    });
    const missing = await drawbridge('files:import', join(directory, 'none'), '--user', 'alice');
    expect(missing.err).toBe(`drawbridge: ${join(directory, 'none')} is not a directory.\n`);
    expect((await drawbridge('trash', 'restore', 'alice', '9')).err).toBe(
      'drawbridge: alice has no deleted file or folder 9.\n',
    );
  });

  it('check, and report problems by their exit code', async () => {
    expect(await drawbridge('files:check')).toEqual({
      exitCode: 0,
      out: '0 problems were found, 0 were repaired.\n',
      err: '',
    });
    const database = gateway.instance.app.nest.get(Database, { strict: false });
    await database.dataSource.query(`UPDATE node SET size = 1 WHERE path = '/disk/sub'`);
    const found = await asProcess('files:check', '--json');
    expect(found.exitCode).toBe(1);
    expect(JSON.parse(found.out)).toEqual({ found: 2, repaired: 0, 'wrong-size': 2 });
    expect(found.err).toContain('wrong-size "alice/disk/sub" 1 bytes in the tree, 9 in its entries\n');
    expect((await drawbridge('files:check', '--repair')).exitCode).toBe(0);
    expect((await drawbridge('files:check')).exitCode).toBe(0);
  });

  it('list, restore and expire versions of files and nodes in trash bins', async () => {
    const headers = { authorization: basicAuth(ALICE.uid, ALICE.password) };
    const file = `${gateway.url}/remote.php/webdav/history.txt`;
    for (const body of ['first', 'second']) await fetch(file, { method: 'PUT', headers, body });
    const json = async (...args: string[]): Promise<Record<string, unknown>[]> =>
      JSON.parse((await drawbridge(...args, '--json')).out);
    const [version] = await json('version', 'list', 'alice', '/history.txt');
    expect(version).toMatchObject({ size: 5, author: 'alice', label: null });
    expect(await drawbridge('version', 'restore', 'alice', 'history.txt', String(version!.id))).toMatchObject(
      {
        exitCode: 0,
        out: `/history.txt has the content of version ${String(version!.id)}, 5 bytes.\n`,
      },
    );
    expect(await (await fetch(file, { headers })).text()).toBe('first');
    expect(await drawbridge('version', 'restore', 'alice', '/history.txt', '999')).toMatchObject({
      exitCode: 1,
      err: 'drawbridge: The file has no such version.\n',
    });
    expect(await drawbridge('version', 'list', 'alice', '/disk')).toMatchObject({ exitCode: 1 });
    await fetch(file, { method: 'DELETE', headers });
    const [deleted] = await json('trash', 'list', 'alice');
    expect(deleted).toMatchObject({ path: '/history.txt', kind: 'file', size: 5, deletedBy: 'alice' });
    expect(await drawbridge('trash', 'restore', 'alice', String(deleted!.id))).toMatchObject({
      exitCode: 0,
      out: '/history.txt is back.\n',
    });
    expect(await (await fetch(file, { headers })).text()).toBe('first');
    await fetch(file, { method: 'DELETE', headers });
    const database = gateway.instance.app.nest.get(Database, { strict: false });
    await database.dataSource.query(`UPDATE trashed_node SET deleted_at = now() - interval '100 days'`);
    await database.dataSource.query(`UPDATE file_version SET stored_at = now() - interval '10 days'`);
    await drawbridge('setting', 'set', 'system', 'versions_retention_obligation', 'auto,5');
    expect(await drawbridge('version', 'expire')).toMatchObject({
      exitCode: 0,
      out: '2 versions were removed. Contents go with the next sweep of the store.\n',
    });
    expect(await drawbridge('trash', 'expire')).toMatchObject({
      exitCode: 0,
      out: '1 deletions were removed. Contents go with the next sweep of the store.\n',
    });
    expect(await json('trash', 'list', 'alice')).toEqual([]);
  });

  const asRoot = process.geteuid?.() === 0 ? it : it.skip;
  asRoot('touch no contents of another account', async () => {
    const blobs = join(gateway.dataDirectory, 'blobs');
    chownSync(blobs, 65534, 65534);
    const refused = await drawbridge('files:import', directory, '--user', 'alice');
    chownSync(blobs, 0, 0);
    expect(refused).toEqual({
      exitCode: 1,
      out: '',
      err: `drawbridge: The contents in ${blobs} belong to user id 65534: run this as that user, such as with 'sudo -u "#65534"'.\n`,
    });
  });
});
