import { RuntimeSettings } from '#settings';
import { BlobSweep } from '#storage';
import { Metrics } from '#platform';
import { FakeRemoteFiles } from '../../libs/testing/src/fakes/fake-remote-files';
import { EICAR, EICAR_FINDING, startClamd, type TestClamd } from '../../libs/testing/src/rigs/clamd';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import { describeWith } from '../clients/programs';
import {
  chunks,
  folderOfLink,
  linkTo,
  OF_OTHERS,
  OF_USERS,
  uploadOf,
  type UploadRoute,
  type Target,
} from './upload-routes';

const REFUSED = `Virus ${EICAR_FINDING} is detected in the file. Upload cannot be completed.`;
const MEGABYTE = 1024 * 1024;

describeWith(['clamd'], 'uploads that pass a scanner', () => {
  let clamd: TestClamd;
  let files: FilesApp;
  const partner = new FakeRemoteFiles();
  let tests = 0;
  let uid: string;

  beforeAll(async () => {
    clamd = await startClamd('StreamMaxLength 3M');
    files = await FilesApp.start(partner, undefined, { SCANNER: clamd.address, SCANNER_TIMEOUT: '10s' });
  });
  afterAll(async () => {
    await files?.stop();
    await clamd?.stop();
  });
  beforeEach(async () => {
    uid = `alice${++tests}`;
    await files.addUsers(uid);
    await files.dav('MKCOL', uid, '/folder');
  });
  afterEach(async () => {
    const settings = files.get(RuntimeSettings);
    for (const key of ['scan_uploads_of', 'unreachable', 'max_scan_megabytes', 'larger'])
      await settings.unset('files_antivirus', key);
  });

  const set = (key: string, value: string): Promise<void> =>
    files.get(RuntimeSettings).set('files_antivirus', key, value);
  const statusOf = async (reply: Promise<Response>): Promise<number> => (await reply).status;
  const text = async (path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
  const target = (): Target => ({ files, uid });

  const asUser = (method: string, address: string, headers: Record<string, string>) =>
    fetch(address, { method, headers: { authorization: files.authorizationOf(uid), ...headers } });
  const atLink = (token: string, method: string, path: string, body?: string) =>
    fetch(`${files.url}/remote.php/dav/public-files/${token}${path}`, { method, body });

  async function expectScanned(upload: UploadRoute): Promise<void> {
    const [stored, scans] = [files.storedFiles().length, clamd.scans()];
    const refused = await upload(target(), '/bad.txt', `an infected file: ${EICAR}`);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(REFUSED)]);
    expect((await files.dav('GET', uid, '/folder/bad.txt')).status).toBe(404);
    expect(files.storedFiles()).toHaveLength(stored);
    const taken = await upload(target(), '/good.txt', 'a file in which there is nothing');
    expect([201, 204]).toContain(taken.status);
    expect(await text('/folder/good.txt')).toBe('a file in which there is nothing');
    expect(clamd.scans() - scans).toBe(2);
  }

  it.each(Object.keys(OF_OTHERS))('are scanned once and refused with 403 by %s', async (name) => {
    await expectScanned(OF_OTHERS[name]!);
  });

  it.each(Object.keys(OF_USERS))(
    'are scanned by %s only after the setting includes everybody',
    async (name) => {
      const scans = clamd.scans();
      expect([201, 204]).toContain((await OF_USERS[name]!(target(), '/before.txt', EICAR)).status);
      expect(clamd.scans()).toBe(scans);
      await set('scan_uploads_of', 'everybody');
      await expectScanned(OF_USERS[name]!);
    },
  );

  it('do not overwrite the file', async () => {
    await files.dav('PUT', uid, '/folder/kept.txt', { body: 'kept' });
    expect(await statusOf(atLink(await linkTo(target()), 'PUT', '/kept.txt', EICAR))).toBe(403);
    expect(await text('/folder/kept.txt')).toBe('kept');
  });

  it('are refused on the page of a link with a text for visitors', async () => {
    const form = new FormData();
    form.append('files', new Blob([EICAR]), 'bad.txt');
    const refused = await fetch(`${files.url}/s/${await linkTo(target())}/files`, {
      method: 'POST',
      body: form,
    });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('Malware was found'),
    ]);
    expect(await statusOf(files.dav('GET', uid, '/folder/bad.txt'))).toBe(404);
  });

  it('are written into the audit log with the finding', async () => {
    const { id, token } = await files.link({ path: '/folder', owner: uid, permissions: 15 });
    await atLink(token, 'PUT', '/audited.txt', EICAR);
    const [event] = await files.database.dataSource.query<Record<string, unknown>[]>(
      "SELECT object_type, object_id, outcome, detail FROM audit_event WHERE action = 'upload.scan' ORDER BY id DESC LIMIT 1",
    );
    expect(event).toMatchObject({
      object_type: 'upload',
      object_id: `${uid}/folder/audited.txt`,
      outcome: 'refused',
      detail: { reason: 'finding', finding: EICAR_FINDING, share: id, size: EICAR.length },
    });
  });

  it('are not scanned again when they are copied, moved, restored or locked', async () => {
    await files.dav('PUT', uid, '/folder/own.txt', { body: EICAR });
    await set('scan_uploads_of', 'everybody');
    const scans = clamd.scans();
    expect(await statusOf(files.transfer('COPY', uid, '/folder/own.txt', '/copy.txt'))).toBe(201);
    expect(await statusOf(files.transfer('MOVE', uid, '/copy.txt', '/moved.txt'))).toBe(201);
    expect(await statusOf(files.dav('PUT', uid, '/empty.txt', { body: '' }))).toBe(201);
    expect(clamd.scans()).toBe(scans);
  });

  describe('between partners and here', () => {
    let there: string;
    beforeEach(async () => {
      there = `share-${tests}`;
      partner.set(there, '/bad.txt', EICAR);
      partner.set(there, '/good.txt', 'good');
      await files.receive({ providerId: there, recipient: uid, target: '/There' });
    });

    it('are scanned when a user copies them out of a received share', async () => {
      expect(await statusOf(files.transfer('COPY', uid, '/There/bad.txt', '/bad.txt'))).toBe(403);
      expect(await statusOf(files.transfer('MOVE', uid, '/There/bad.txt', '/bad.txt'))).toBe(403);
      expect(await statusOf(files.dav('GET', uid, '/bad.txt'))).toBe(404);
      expect(partner.content(there, '/bad.txt')).toBe(EICAR);
      expect(await statusOf(files.transfer('COPY', uid, '/There/good.txt', '/good.txt'))).toBe(201);
    });

    it('go to a partner without a scan, unless the setting says everybody', async () => {
      const scans = clamd.scans();
      expect(await statusOf(files.dav('PUT', uid, '/There/sent.txt', { body: EICAR }))).toBe(201);
      expect([clamd.scans(), partner.content(there, '/sent.txt')]).toEqual([scans, EICAR]);
      await set('scan_uploads_of', 'everybody');
      const stored = files.storedFiles().length;
      expect(await statusOf(files.dav('PUT', uid, '/There/new.txt', { body: EICAR }))).toBe(403);
      expect(partner.content(there, '/new.txt')).toBeUndefined();
      expect(await statusOf(files.dav('PUT', uid, '/There/new.txt', { body: 'fine' }))).toBe(201);
      expect(partner.content(there, '/new.txt')).toBe('fine');
      expect(files.storedFiles()).toHaveLength(stored);
    });
  });

  describe('that are large', () => {
    const clean = (bytes: number): string => 'clean '.repeat(Math.ceil(bytes / 6)).slice(0, bytes);

    it('are scanned up to the limit of the setting, and accepted or refused above it', async () => {
      await set('max_scan_megabytes', '1');
      const token = await linkTo(target());
      const put = (path: string, content: string) => statusOf(atLink(token, 'PUT', path, content));
      expect(await put('/late.bin', clean(MEGABYTE) + EICAR)).toBe(201);
      expect(await put('/early.bin', clean(MEGABYTE - EICAR.length) + EICAR + clean(10))).toBe(403);
      await set('larger', 'refuse');
      expect(await put('/late2.bin', clean(MEGABYTE) + EICAR)).toBe(413);
      expect(await put('/whole.bin', clean(MEGABYTE))).toBe(201);
    });

    it('are refused before they are sent, if their size is known and too large', async () => {
      await set('larger', 'refuse');
      await set('max_scan_megabytes', '1');
      const folder = await folderOfLink(target());
      const headers = { 'tus-resumable': '1.0.0', 'upload-metadata': 'filename YQ==' };
      const size = String(MEGABYTE + 1);
      const begun = await fetch(folder, {
        method: 'POST',
        headers: { ...headers, 'upload-length': size },
      });
      expect(begun.status).toBe(413);
      await set('scan_uploads_of', 'everybody');
      const upload = uploadOf(target(), '/large');
      expect((await asUser('MKCOL', upload, { 'oc-total-length': size })).status).toBe(413);
    });

    it('count as too large if the scanner accepts less than the setting', async () => {
      await set('max_scan_megabytes', '100');
      const token = await linkTo(target());
      const put = (path: string) => statusOf(atLink(token, 'PUT', path, clean(4 * MEGABYTE)));
      expect(await put('/larger.bin')).toBe(201);
      await set('larger', 'refuse');
      expect(await put('/refused.bin')).toBe(413);
    });
  });

  it('leave nothing in the store, and are counted in the metrics', async () => {
    await files.get(BlobSweep).run(0);
    const rendered = await files.get(Metrics).render();
    for (const verdict of ['clean', 'finding', 'too-large'])
      expect(rendered).toMatch(
        new RegExp(`drawbridge_scan_duration_seconds_count\\{verdict="${verdict}"\\} [1-9]`),
      );
  });

  it('are refused temporarily, or accepted by the setting, while the scanner is unreachable', async () => {
    await clamd.kill();
    const token = await linkTo(target());
    const put = (path: string) => atLink(token, 'PUT', path, 'content');
    const refused = await put('/refused.txt');
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 60]);
    expect(await refused.text()).not.toContain('ServiceUnavailable');
    expect(await statusOf(files.dav('GET', uid, '/folder/refused.txt'))).toBe(404);
    await set('scan_uploads_of', 'everybody');
    expect(await statusOf(chunks(target(), '/later.txt', 'a file in two chunks', true))).toBe(503);
    await set('unreachable', 'allow');
    expect(await statusOf(put('/allowed.txt'))).toBe(201);
    // The chunks remain.
    const upload = `${uploadOf(target(), '/later.txt')}/.file`;
    const destination = `${files.url}/remote.php/dav/files/${uid}/folder/later.txt`;
    expect(await statusOf(asUser('MOVE', upload, { destination }))).toBe(201);
    expect(await text('/folder/later.txt')).toBe('a file in two chunks');
    expect(await files.get(Metrics).render()).toMatch(
      /scan_duration_seconds_count\{verdict="unreachable"\} 4/,
    );
  });
});
