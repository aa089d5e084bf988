import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig, Metrics } from '#platform';
import { RuntimeSettings } from '#settings';
import { BlobSweep, Quarantine } from '#storage';
import { Instance } from '../../apps/cli/src/instance';
import { QUARANTINE_COMMANDS } from '../../apps/cli/src/commands/quarantine';
import { FakeRemoteFiles } from '../../libs/testing/src/fakes/fake-remote-files';
import { EICAR, EICAR_FINDING, startClamd, type TestClamd } from '../../libs/testing/src/rigs/clamd';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import { describeWith } from '../clients/programs';

interface Listed {
  readonly id: number;
  readonly [field: string]: unknown;
}

describeWith(['clamd'], 'the quarantine', () => {
  let clamd: TestClamd;
  let files: FilesApp;
  let instance: Instance;
  const partner = new FakeRemoteFiles();
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-quarantine-'));
  let tests = 0;
  let uid: string;
  let token: string;
  let shareId: number;

  beforeAll(async () => {
    clamd = await startClamd();
    files = await FilesApp.start(partner, undefined, { SCANNER: clamd.address });
    await set('finding', 'quarantine');
    const { url } = files.database.options;
    instance = new Instance(readConfig({ DATABASE_URL: url, DATA_DIR: dirname(files.blobDirectory) }), false);
  });
  afterAll(async () => {
    await instance?.close();
    await files?.stop();
    await clamd?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    uid = `alice${++tests}`;
    await files.addUsers(uid);
    await files.dav('MKCOL', uid, '/folder');
    ({ id: shareId, token } = await files.link({ path: '/folder', owner: uid, permissions: 15 }));
  });

  const set = (key: string, value: string): Promise<void> =>
    files.get(RuntimeSettings).set('files_antivirus', key, value);
  const put = async (path: string, body = EICAR): Promise<number> =>
    (await fetch(`${files.url}/remote.php/dav/public-files/${token}${path}`, { method: 'PUT', body })).status;
  const text = async (path: string): Promise<string> => (await files.dav('GET', uid, path)).text();

  async function command(name: string, given: Record<string, string> = {}): Promise<unknown> {
    const found = QUARANTINE_COMMANDS.find((one) => one.name === `quarantine ${name}`)!;
    const output = await found.run({ arguments: given, rest: [], options: {} }, instance);
    return output.kind === 'rows' ? output.rows : output.kind === 'done' ? output.sentence : output;
  }
  const listed = async (): Promise<Listed[]> =>
    ((await command('list')) as Listed[]).filter(({ ownerUid }) => ownerUid === uid);
  const actions = async (): Promise<string[]> =>
    (
      await files.database.dataSource.query<{ action: string }[]>(
        'SELECT action FROM audit_event WHERE object_id LIKE $1 ORDER BY id',
        [`${uid}/%`],
      )
    ).map(({ action }) => action);

  it('keeps refused uploads with their data, hidden from users', async () => {
    expect(await put('/bad.txt')).toBe(403);
    expect(await listed()).toEqual([
      {
        ...{ id: expect.any(Number), keptAt: expect.any(Date), finding: EICAR_FINDING, ownerUid: uid },
        ...{ path: '/folder/bad.txt', size: EICAR.length, sha1: expect.stringMatching(/^[0-9a-f]{40}$/) },
        ...{ authorKind: 'visitor', author: null, shareId },
      },
    ]);
    expect((await files.dav('GET', uid, '/folder/bad.txt')).status).toBe(404);
    expect(
      await (await files.dav('PROPFIND', uid, '/folder', { headers: { depth: '1' } })).text(),
    ).not.toContain('bad');
    expect(await files.property(uid, '', 'd:quota-used-bytes')).toBe('0');
  });

  it('survives the sweep of the blob store, and is in the metrics', async () => {
    await put('/bad.txt');
    const [one] = await listed();
    await files.get(BlobSweep).run(0);
    await command('save', { id: String(one!.id), file: join(directory, 'sample') });
    expect(readFileSync(join(directory, 'sample'), 'utf8')).toBe(EICAR);
    const again = command('save', { id: String(one!.id), file: join(directory, 'sample') });
    await expect(again).rejects.toThrow(/cannot be written \(EEXIST\)/);
    expect(await files.get(Metrics).render()).toMatch(/^drawbridge_quarantined_contents [1-9]/m);
    expect(await files.get(Metrics).render()).toMatch(/^drawbridge_quarantined_bytes [1-9]/m);
  });

  it('releases a content to its place, next to newer files', async () => {
    await put('/bad.txt');
    await put('/bad.txt', 'another content');
    const [one] = await listed();
    const sentence = await command('release', { id: String(one!.id) });
    expect(sentence).toBe(`Upload ${one!.id} was released to "/folder/bad (2).txt".`);
    expect(await text('/folder/bad (2).txt')).toBe(EICAR);
    expect(await text('/folder/bad.txt')).toBe('another content');
    expect(await listed()).toEqual([]);
    expect(await actions()).toEqual(['upload.scan', 'quarantine.release']);
  });

  it('permanently removes a content', async () => {
    await put('/bad.txt');
    const stored = files.storedFiles().length;
    const [one] = await listed();
    expect(await command('delete', { id: String(one!.id) })).toBe(`Upload ${one!.id} was removed.`);
    expect(files.storedFiles()).toHaveLength(stored - 1);
    for (const name of ['delete', 'release', 'save'])
      await expect(command(name, { id: String(one!.id), file: join(directory, 'none') })).rejects.toThrow(
        'There is no upload',
      );
    expect(await actions()).toEqual(['upload.scan', 'quarantine.delete']);
  });

  it('is managed only by administrators, on their page', async () => {
    for (const path of ['/bad.txt', '/worse.txt']) await put(path);
    const [bad, worse] = await listed();
    const [admin, stranger] = [`admin${tests}`, `brian${tests}`];
    await files.addUsers(admin, stranger);
    await files.database.dataSource.query(
      "WITH made AS (INSERT INTO user_group (gid) VALUES ('admin') ON CONFLICT DO NOTHING) INSERT INTO group_member (gid, uid) VALUES ('admin', $1)",
      [admin],
    );
    const decide = async (method: string, id: number | string, by: string): Promise<number> => {
      const headers = { authorization: files.authorizationOf(by) };
      return (await fetch(`${files.url}/remote.php/dav/quarantine/${id}`, { method, headers })).status;
    };
    for (const method of ['POST', 'DELETE'])
      for (const by of [uid, stranger]) expect(await decide(method, bad!.id, by)).toBe(403);
    expect(await listed()).toHaveLength(2);
    for (const method of ['GET', 'HEAD', 'PROPFIND']) expect(await decide(method, bad!.id, admin)).toBe(404);
    expect(await decide('POST', bad!.id, admin)).toBe(204);
    expect(await text('/folder/bad.txt')).toBe(EICAR);
    expect(await decide('DELETE', worse!.id, admin)).toBe(204);
    expect(await listed()).toEqual([]);
    for (const id of [bad!.id, worse!.id, 'x']) expect(await decide('POST', id, admin)).toBe(404);
    const decisions = 'SELECT action FROM audit_event WHERE actor = $1 ORDER BY id';
    expect(await files.database.dataSource.query(decisions, [admin])).toEqual([
      { action: 'quarantine.release' },
      { action: 'quarantine.delete' },
    ]);
  });

  it('releases an upload for a partner to its sender', async () => {
    await set('scan_uploads_of', 'everybody');
    partner.set('there', '/x.txt', 'x');
    await files.receive({ providerId: 'there', recipient: uid, target: '/There' });
    expect((await files.dav('PUT', uid, '/There/sent.txt', { body: EICAR })).status).toBe(403);
    await set('scan_uploads_of', 'guests-and-partners');
    const [one] = await listed();
    expect(one).toMatchObject({ path: '/sent.txt', authorKind: 'user', author: uid });
    await command('release', { id: String(one!.id) });
    expect(await text('/sent.txt')).toBe(EICAR);
  });

  it('removes contents after the days of the setting', async () => {
    await put('/old.txt');
    await put('/young.txt');
    const old =
      "UPDATE quarantined_content SET kept_at = now() - interval '31 days' WHERE path = '/folder/old.txt'";
    await files.database.dataSource.query(old);
    expect(await files.get(Quarantine).removeOld(30)).toBe(1);
    expect((await listed()).map(({ path }) => path)).toEqual(['/folder/young.txt']);
  });

  it('refuses contents without space, and those that the setting does not keep', async () => {
    for (const { id } of (await command('list')) as Listed[]) await command('delete', { id: String(id) });
    await set('quarantine_max_megabytes', '1');
    const large = 'x'.repeat(700_000) + EICAR;
    const stored = files.storedFiles().length;
    expect([await put('/one.bin', large), await put('/two.bin', large)]).toEqual([403, 403]);
    expect((await listed()).map(({ path }) => path)).toEqual(['/folder/one.bin']);
    expect(files.storedFiles()).toHaveLength(stored + 1);
    await set('finding', 'refuse');
    expect(await put('/three.txt')).toBe(403);
    expect(await listed()).toHaveLength(1);
  });
});
