import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import type { PartnerFiles } from '#federation/client';
import type { RemoteShare } from '#federation/remote-files';
import { parsePath, ROOT } from '#storage';
import { startGateway, type TestGateway } from '../../libs/testing/src';
import { PartnerFilesStage } from '../../libs/testing/src/rigs/partner-files-stage';

const path = parsePath;
const from = (content: string): Readable => Readable.from([Buffer.from(content)]);

/** The content of a share at a real gateway, read and written as a partner's content. */
describe('files at another gateway', () => {
  let gateway: TestGateway;
  let stage: PartnerFilesStage;
  let files: PartnerFiles;
  beforeAll(async () => {
    [gateway, stage] = await Promise.all([startGateway(), PartnerFilesStage.start()]);
    files = stage.files();
    await dav('MKCOL', '/Team');
    await dav('PUT', '/Team/plan.txt', 'the plan');
    await dav('PUT', '/alone.txt', 'alone');
  }, 300_000);
  afterAll(async () => {
    await stage.end();
    await gateway.stop();
  });

  async function dav(method: string, where: string, body?: string): Promise<Response> {
    const headers = { authorization: gateway.adminAuth };
    return fetch(`${gateway.url}/remote.php/webdav${where}`, { method, headers, body });
  }

  /** A link's token opens the same as a federated share's secret. */
  async function linkTo(where: string, permissions: number): Promise<string> {
    const address = `${gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json`;
    const answer = await fetch(address, {
      method: 'POST',
      headers: { authorization: gateway.adminAuth, 'ocs-apirequest': 'true' },
      body: new URLSearchParams({ path: where, shareType: '3', permissions: String(permissions) }),
    });
    const { ocs } = (await answer.json()) as { ocs: { data: { token: string } } };
    return ocs.data.token;
  }

  let providerId = 0;
  async function received(where: string, permissions: number): Promise<RemoteShare> {
    const secret = await linkTo(where, permissions);
    const hostKey = new URL(gateway.url).host;
    return stage.shares.receive({ hostKey }, { providerId: String(++providerId), secret, root: '' });
  }

  it('are listed, read and written', async () => {
    const share = await received('/Team', 15);
    await files.greet(share, 100_000);
    const [root, plan] = await files.probe(share, ROOT, 1);
    expect(root).toMatchObject({ path: '', kind: 'folder', size: 8, permissions: 15 });
    expect(plan).toMatchObject({ path: '/plan.txt', kind: 'file', size: 8, mimetype: 'text/plain' });
    const content = await files.read(share, path('/plan.txt'), { start: 4, end: 20 });
    expect(content).toMatchObject({ size: 8, range: { start: 4, end: 7 }, etag: plan!.etag });
    expect(await text(content.body)).toBe('plan');

    await files.makeFolder(share, path('/ä b'));
    const mtime = new Date('2026-03-04T05:06:07Z');
    const written = await files.write(share, path('/ä b/#1.txt'), from('one'), {
      mtime,
      size: 3,
      expects: null,
    });
    expect(written.created).toBe(true);
    const [entry] = await files.probe(share, path('/ä b/#1.txt'), 0);
    expect(entry).toMatchObject({ etag: written.etag, mtime, size: 3 });
    expect(await (await dav('GET', '/Team/%C3%A4%20b/%231.txt')).text()).toBe('one');
    await expect(
      files.write(share, path('/ä b/#1.txt'), from('two'), { expects: 'another' }),
    ).rejects.toMatchObject({ code: 'precondition-failed' });
    await files.move(share, path('/ä b/#1.txt'), path('/moved'), false);
    await files.remove(share, path('/ä b'));
    expect((await files.probe(share, ROOT, 1)).map((one) => one.path).sort()).toEqual([
      '',
      '/moved',
      '/plan.txt',
    ]);
    await expect(files.probe(share, path('/none'), 0)).rejects.toMatchObject({ code: 'missing' });
    await expect(files.makeFolder(share, path('/moved'))).rejects.toMatchObject({ code: 'exists' });
  });

  it('can be a single file', async () => {
    const share = await received('/alone.txt', 1);
    expect(await files.probe(share, ROOT, 1)).toMatchObject([
      { path: '', kind: 'file', size: 5, permissions: 1 },
    ]);
    expect(await text((await files.read(share, ROOT)).body)).toBe('alone');
  });

  it('are not sent again while they have the ETag of the reader', async () => {
    const share = await received('/Team', 15);
    await dav('PUT', '/Team/known.txt', 'the first');
    const first = await files.read(share, path('/known.txt'));
    expect(await text(first.body)).toBe('the first');
    const part = { start: 0, end: 2 };
    expect(await files.readIfChanged(share, path('/known.txt'), first.etag!)).toBe('unchanged');
    expect(await files.readIfChanged(share, path('/known.txt'), first.etag!, part)).toBe('unchanged');
    await dav('PUT', '/Team/known.txt', 'the second');
    const second = await files.readIfChanged(share, path('/known.txt'), first.etag!);
    expect(second === 'unchanged' ? second : await text(second.body)).toBe('the second');
  });

  it('cannot be changed without permission, nor seen with a wrong secret', async () => {
    const share = await received('/Team', 1);
    for (const call of [
      files.write(share, path('/x'), from('x')),
      files.makeFolder(share, path('/x')),
      files.remove(share, path('/plan.txt')),
    ])
      await expect(call).rejects.toMatchObject({ code: 'forbidden' });
    const stranger = { ...share, sealedSecret: stage.shares.secrets.seal('nosuchtoken') };
    await expect(files.probe(stranger, ROOT, 0)).rejects.toMatchObject({ code: 'denied' });
    await expect(files.write(stranger, path('/x'), from('x'))).rejects.toMatchObject({ code: 'denied' });
  });

  it('are transferred both ways unchanged, at any size', async () => {
    const share = await received('/Team', 15);
    const piece = randomBytes(1024 * 1024);
    const [sent, back] = [createHash('sha256'), createHash('sha256')];
    const source = Readable.from(
      (function* () {
        for (let count = 0; count < 64; count++) {
          sent.update(piece);
          yield piece;
        }
      })(),
      { objectMode: false },
    ).pipe(new PassThrough());
    await files.write(share, path('/large'), source);
    const { body, size } = await files.read(share, path('/large'));
    await pipeline(body, back);
    expect(size).toBe(64 * 1024 * 1024);
    expect(back.digest('hex')).toBe(sent.digest('hex'));
  });
});
