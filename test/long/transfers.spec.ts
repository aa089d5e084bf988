import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { basicAuth, eventually } from '#testing';
import { PASSWORD } from '../edge/edge-client';
import { DistantOrganisation, WITH_FILES } from './distant-organisation';
import { NetworkLink } from './network-link';

const MEGABYTE = 1024 * 1024;
/** More than all buffers on the way hold. */
const LARGE = randomBytes(48 * MEGABYTE);
const SMALL = randomBytes(4 * MEGABYTE);
/** A partner that sends nothing for half a minute counts as gone; then the rest is requested. */
const CUT_MS = 34_000;
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

jest.setTimeout(600_000);

const hindrance = NetworkLink.hindrance();
const title = `transfers between two networks${hindrance ? ` (skipped: ${hindrance})` : ''}`;

(hindrance ? describe.skip : describe)(title, () => {
  let link: NetworkLink;
  let owner: DistantOrganisation;
  let recipient: DistantOrganisation;

  beforeAll(async () => {
    link = NetworkLink.open();
    [owner, recipient] = await Promise.all([
      DistantOrganisation.found(link.ends[0], (world) => world.addUser('rita'), WITH_FILES),
      DistantOrganisation.found(link.ends[1], (world) => world.addUser('bob'), WITH_FILES),
    ]);
    await dav(owner, 'rita', 'MKCOL', '/room');
    expect((await dav(owner, 'rita', 'PUT', '/room/large.bin', LARGE)).status).toBe(201);
    await owner.client.ocs('POST', '/apps/files_sharing/api/v1/shares', {
      as: 'rita',
      form: { path: '/room', shareType: '6', shareWith: `bob@${recipient.host}`, permissions: '31' },
    });
    const offered = await eventually('the offer', async () => {
      const { data } = await recipient.client.ocs('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' });
      return (data as { id: unknown }[])[0];
    });
    await recipient.client.ocs('POST', `${REMOTE_SHARES}/pending/${String(offered.id)}`, { as: 'bob' });
    await eventually('the folder', async () => (await etag('/room/large.bin')) !== undefined);
  });
  afterAll(async () => {
    await Promise.all([owner?.close(), recipient?.close()]);
    link?.close();
  });

  const dav = (
    { url }: DistantOrganisation,
    uid: string,
    method: string,
    path: string,
    body?: Buffer,
  ): Promise<Response> =>
    fetch(`${url}/remote.php/webdav${path}`, {
      method,
      headers: { authorization: basicAuth(uid, PASSWORD), depth: '0' },
      body: body && new Uint8Array(body),
    });

  /** The ETag at the recipient. */
  async function etag(path: string): Promise<string | undefined> {
    const reply = await dav(recipient, 'bob', 'PROPFIND', path);
    return /getetag>([^<]*)</.exec(await reply.text())?.[1];
  }

  const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

  it('continue a read after the link was cut for longer than a partner may be silent', async () => {
    const reply = await dav(recipient, 'bob', 'GET', '/room/large.bin');
    expect(reply.status).toBe(200);
    const hash = createHash('sha256');
    let [received, isCut] = [0, false];
    for await (const piece of reply.body as unknown as AsyncIterable<Uint8Array>) {
      hash.update(piece);
      received += piece.length;
      if (isCut || received < MEGABYTE) continue;
      isCut = true;
      link.cut();
      void pause(CUT_MS).then(() => link.clear());
    }
    expect(isCut).toBe(true);
    expect(received).toBe(LARGE.length);
    expect(hash.digest('hex')).toBe(digest(LARGE));
  });

  it('take a file for the other side while the link is cut, show it under one ETag, and deliver it once afterwards', async () => {
    link.cut();
    const put = await dav(recipient, 'bob', 'PUT', '/room/written.bin', SMALL);
    expect(put.status).toBe(201);
    const stored = await etag('/room/written.bin');
    expect(stored).toBeDefined();
    const back = await dav(recipient, 'bob', 'GET', '/room/written.bin');
    expect(digest(Buffer.from(await back.arrayBuffer()))).toBe(digest(SMALL));
    link.clear();
    await eventually(
      'the file at its owner',
      async () => (await dav(owner, 'rita', 'GET', '/room/written.bin')).status === 200,
      300_000,
    );
    const there = await dav(owner, 'rita', 'GET', '/room/written.bin');
    expect(digest(Buffer.from(await there.arrayBuffer()))).toBe(digest(SMALL));
    const listing = await fetch(`${owner.url}/remote.php/webdav/room`, {
      method: 'PROPFIND',
      headers: { authorization: basicAuth('rita', PASSWORD), depth: '1' },
    });
    const names = [...(await listing.text()).matchAll(/<d:href>[^<]*\/room\/([^<]+)</g)].map(
      ([, name]) => name,
    );
    expect(names.sort()).toEqual(['large.bin', 'written.bin']);
    expect(await etag('/room/written.bin')).toBe(stored);
  });
});
