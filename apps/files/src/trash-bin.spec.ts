import { RestoredOffers, ShareEventRepository } from '#persistence';
import { SecretBox } from '#platform';
import { RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, '/folder/file.txt', { body: 'of alice' });
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);

interface Listed {
  readonly href: string;
  readonly xml: string;
  value(name: string): string | undefined;
}

const send = (
  method: string,
  uid: string,
  address: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(files.url + address, { method, headers: { authorization: files.authorizationOf(uid), ...headers } });

const INFINITE = ['system', 'dav.propfind.depth_infinity'] as const;

const PROPERTIES = `<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"><d:prop>
  <d:resourcetype/><d:getcontentlength/><oc:fileid/><oc:size/><oc:trashbin-original-filename/><oc:trashbin-original-location/>
  <oc:trashbin-delete-timestamp/><oc:trashbin-delete-datetime/><nc:trashbin-filename/><nc:trashbin-original-location/>
  <nc:trashbin-deletion-time/><nc:trashbin-title/><nc:trashbin-deleted-by-id/><nc:trashbin-deleted-by-display-name/></d:prop></d:propfind>`;

/** The entries in the answer to a PROPFIND of a trash bin's collection. */
async function listed(uid: string, address = `/remote.php/dav/trash-bin/${uid}`): Promise<Listed[]> {
  const reply = await fetch(files.url + address, {
    method: 'PROPFIND',
    headers: { authorization: files.authorizationOf(uid), depth: '1' },
    body: PROPERTIES,
  });
  expect(reply.status).toBe(207);
  const responses = [...(await reply.text()).matchAll(/<d:response>(.*?)<\/d:response>/gs)].slice(1);
  return responses.map(([, xml]) => ({
    href: /<d:href>(.*?)<\/d:href>/.exec(xml!)![1]!,
    xml: xml!,
    value: (name) => new RegExp(`<(?:\\w+:)?${name}(?: [^>]*[^/])?>(.*?)</`).exec(xml!)?.[1],
  }));
}

/** The only entry with this name. */
function named(entries: readonly Listed[], name: string): Listed {
  const found = entries.filter(
    (entry) => (entry.value('trashbin-original-filename') ?? entry.value('trashbin-filename')) === name,
  );
  expect(found.length).toBe(1);
  return found[0]!;
}

const locations = async (uid: string): Promise<(string | undefined)[]> =>
  (await listed(uid)).map((entry) => entry.value('trashbin-original-location'));

const to = (path: string, more: Record<string, string> = {}): Record<string, string> => ({
  destination: files.addressOf(path),
  ...more,
});

describe('the trash bin at the addresses of ownCloud', () => {
  it('lists a deleted file and folder with name, place, time and size, and the nodes below', async () => {
    await files.dav('PUT', alice, '/größe & co.txt', { body: '12345' });
    const id = await files.property(alice, '/größe & co.txt', 'oc:fileid');
    const before = Math.floor(Date.now() / 1000);
    expect(await status(files.dav('DELETE', alice, '/größe & co.txt'))).toBe(204);
    expect(await status(files.dav('DELETE', alice, '/folder'))).toBe(204);
    expect(await status(files.dav('GET', alice, '/folder/file.txt'))).toBe(404);

    const tops = await listed(alice);
    const [folder, file] = [named(tops, 'folder'), named(tops, 'größe &amp; co.txt')];
    expect(file.href).toBe(`/remote.php/dav/trash-bin/${alice}/${id}`);
    expect(file.value('trashbin-original-filename')).toBe('größe &amp; co.txt');
    expect(file.value('trashbin-original-location')).toBe('größe &amp; co.txt');
    expect(file.value('getcontentlength')).toBe('5');
    const second = Number(file.value('trashbin-delete-timestamp'));
    expect(second).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(file.value('trashbin-delete-datetime')!)).toBe(second * 1000);
    expect(folder.xml).toContain('<d:resourcetype><d:collection/></d:resourcetype>');
    expect(folder.value('size')).toBe('8');

    const [below] = await listed(alice, folder.href);
    expect(below!.href).toMatch(new RegExp(`^${folder.href}\\d+$`));
    expect(below!.value('trashbin-original-filename')).toBe('file.txt');
    expect(below!.value('trashbin-original-location')).toBe('folder/file.txt');
    expect(await listed(alice, below!.href)).toEqual([]);
  });

  it('lists all deleted nodes at any depth, if a setting allows it', async () => {
    await files.dav('MKCOL', alice, '/folder/sub');
    await files.dav('PUT', alice, '/folder/sub/deep.txt', { body: 'deep' });
    await files.dav('DELETE', alice, '/folder');
    const ask = (address: string) => send('PROPFIND', alice, address, { depth: 'infinity' });
    const bin = `/remote.php/dav/trash-bin/${alice}`;
    const hrefs = async (address: string): Promise<string[]> =>
      [...(await (await ask(address)).text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map(([, href]) => href!);
    expect((await ask(bin)).status).toBe(403);
    await files.get(RuntimeSettings).set(...INFINITE, 'yes');
    const ids = Object.fromEntries(
      (
        await query<{ id: string; name: string }>(
          `SELECT id, name FROM node WHERE starts_with(path, '~') AND owner_uid = $1`,
          alice,
        )
      ).map(({ id, name }) => [name, id]),
    );
    const below = ['', `/${ids['file.txt']}`, `/${ids.sub}/`, `/${ids.sub}/${ids['deep.txt']}`];
    const folder = `${bin}/${ids.folder}`;
    expect((await hrefs(bin)).toSorted()).toEqual(
      [`${bin}/`, ...below.map((end) => (end === '' ? `${folder}/` : `${folder}${end}`))].toSorted(),
    );
    expect((await hrefs(`${folder}/${ids.sub}`)).toSorted()).toEqual([
      `${folder}/${ids.sub}/`,
      `${folder}/${ids.sub}/${ids['deep.txt']}`,
    ]);
    const names = await hrefs(`/remote.php/dav/trashbin/${alice}/trash`);
    expect(names.map((href) => href.replace(/\.d\d+/, '')).toSorted()).toEqual(
      ['', 'folder/', 'folder/file.txt', 'folder/sub/', 'folder/sub/deep.txt'].map(
        (end) => `/remote.php/dav/trashbin/${alice}/trash/${end}`,
      ),
    );
    await files.get(RuntimeSettings).unset(...INFINITE);
  });

  it('restores a file to its place with its id, and answers with its ETag', async () => {
    const id = await files.property(alice, '/folder/file.txt', 'oc:fileid');
    await files.dav('DELETE', alice, '/folder/file.txt');
    expect(await files.property(alice, '/folder', 'oc:size')).toBe('0');
    const [entry] = await listed(alice);
    const reply = await send('MOVE', alice, entry!.href, to('/folder/file.txt'));
    expect([reply.status, reply.headers.get('etag')]).toEqual([201, expect.stringMatching(/^"\w+"$/)]);
    expect(await text(alice, '/folder/file.txt')).toBe('of alice');
    expect(await files.property(alice, '/folder/file.txt', 'oc:fileid')).toBe(id);
    expect(await files.property(alice, '/folder', 'oc:size')).toBe('8');
    expect(await listed(alice)).toEqual([]);
  });

  it('restores a node inside of a deleted folder alone, and keeps the rest', async () => {
    await files.dav('PUT', alice, '/folder/other.txt', { body: 'other' });
    await files.dav('DELETE', alice, '/folder');
    const [folder] = await listed(alice);
    const entries = await listed(alice, folder!.href);
    expect(await status(send('MOVE', alice, entries[0]!.href, to('/file.txt')))).toBe(201);
    expect(await text(alice, '/file.txt')).toBe('of alice');
    const [left] = await listed(alice);
    expect(left!.value('size')).toBe('5');
    expect(
      (await listed(alice, left!.href)).map((entry) => entry.value('trashbin-original-location')),
    ).toEqual(['folder/other.txt']);
  });

  it('puts the node at the destination into the trash bin, or refuses because of Overwrite', async () => {
    await files.dav('DELETE', alice, '/folder/file.txt');
    await files.dav('PUT', alice, '/folder/file.txt', { body: 'newer' });
    const [entry] = await listed(alice);
    const forbidden = to('/folder/file.txt', { overwrite: 'F' });
    expect(await status(send('MOVE', alice, entry!.href, forbidden))).toBe(412);
    expect(await status(send('MOVE', alice, entry!.href, to('/folder/file.txt')))).toBe(204);
    expect(await text(alice, '/folder/file.txt')).toBe('of alice');
    const [overwritten] = await listed(alice);
    await send('MOVE', alice, overwritten!.href, to('/newer.txt'));
    expect(await text(alice, '/newer.txt')).toBe('newer');
  });

  it('refuses a restore without a destination, into a missing folder, and to another user', async () => {
    await files.dav('DELETE', alice, '/folder/file.txt');
    const [entry] = await listed(alice);
    expect(await status(send('MOVE', alice, entry!.href))).toBe(400);
    expect(await status(send('MOVE', alice, entry!.href, to('/gone/file.txt')))).toBe(409);
    const elsewhere = { destination: `${files.url}/remote.php/dav/files/${brian}/file.txt` };
    expect(await status(send('MOVE', alice, entry!.href, elsewhere))).toBe(404);
    expect(await locations(alice)).toEqual(['folder/file.txt']);
  });

  it('distinguishes two files of one name that are deleted in the same second', async () => {
    for (const body of ['first', 'second', 'third']) {
      await files.dav('PUT', alice, '/same.txt', { body });
      await files.dav('DELETE', alice, '/same.txt');
    }
    const entries = await listed(alice);
    expect(new Set(entries.map((entry) => entry.value('trashbin-delete-timestamp'))).size).toBe(3);
    await send('MOVE', alice, entries[2]!.href, to('/first.txt'));
    expect(await text(alice, '/first.txt')).toBe('first');
  });

  it('removes one entry, a part of one, and all, with their contents', async () => {
    await files.dav('PUT', alice, '/folder/other.txt', { body: 'other' });
    await files.dav('PUT', alice, '/single.txt', { body: 'single' });
    await files.dav('PUT', alice, '/last.txt', { body: 'last' });
    for (const path of ['/folder', '/single.txt', '/last.txt']) await files.dav('DELETE', alice, path);
    const stored = files.storedFiles().length;
    const tops = await listed(alice);
    const [single, folder] = [named(tops, 'single.txt'), named(tops, 'folder')];
    const [below] = await listed(alice, folder.href);
    expect(await status(send('DELETE', alice, single.href))).toBe(204);
    expect(await status(send('DELETE', alice, below!.href))).toBe(204);
    expect((await locations(alice)).sort()).toEqual(['folder', 'last.txt']);
    expect(files.storedFiles().length).toBe(stored - 2);
    expect(await (await send('DELETE', alice, single.href)).text()).toMatch(/NotFound[^]*has no such entry/);
    expect(await status(send('DELETE', alice, `/remote.php/dav/trash-bin/${alice}`))).toBe(204);
    expect(await listed(alice)).toEqual([]);
    expect(files.storedFiles().length).toBe(stored - 4);
  });

  it('answers no GET and no PUT', async () => {
    await files.dav('DELETE', alice, '/folder/file.txt');
    const [entry] = await listed(alice);
    expect(await status(send('GET', alice, entry!.href))).toBe(403);
    for (const method of ['PUT', 'MKCOL', 'COPY', 'PROPPATCH'])
      expect(await status(send(method, alice, entry!.href, to('/x')))).toBeGreaterThanOrEqual(400);
    expect(await locations(alice)).toEqual(['folder/file.txt']);
  });

  it('belongs to its owner only: others get 404 for every request', async () => {
    await files.dav('DELETE', alice, '/folder');
    const [entry] = await listed(alice);
    const id = entry!.href.split('/').at(-2);
    for (const address of [
      `/remote.php/dav/trash-bin/${alice}`,
      entry!.href,
      `/remote.php/dav/trash-bin/${brian}/${id}`,
      `/remote.php/dav/trash-bin/nobody`,
      `/remote.php/dav/trashbin/${alice}/trash`,
    ])
      for (const method of ['PROPFIND', 'DELETE', 'MOVE'])
        expect([address, await status(send(method, brian, address, to('/mine', { depth: '0' })))]).toEqual([
          address,
          address.endsWith(`${brian}`) ? 207 : 404,
        ]);
    expect(await status(fetch(files.url + entry!.href, { method: 'PROPFIND' }))).toBe(401);
    expect(await locations(alice)).toEqual(['folder']);
  });
});

describe('the trash bin at the addresses of Nextcloud', () => {
  const bin = (uid: string): string => `/remote.php/dav/trashbin/${uid}`;

  it('lists deleted nodes by name and time, with the person who deleted them, and sends content', async () => {
    await files.dav('PUT', alice, '/a%b é.txt', { body: '0123456789' });
    await files.dav('DELETE', alice, '/a%b é.txt');
    await files.dav('DELETE', alice, '/folder');
    expect((await listed(alice, bin(alice))).map(({ href }) => href)).toEqual([
      `${bin(alice)}/restore/`,
      `${bin(alice)}/trash/`,
    ]);
    const tops = await listed(alice, `${bin(alice)}/trash`);
    const [folder, file] = [named(tops, 'folder'), named(tops, 'a%b é.txt')];
    const second = file.value('trashbin-deletion-time');
    expect(file.href).toBe(`${bin(alice)}/trash/${encodeURIComponent('a%b é.txt')}.d${second}`);
    expect(file.value('trashbin-filename')).toBe('a%b é.txt');
    expect(file.value('trashbin-title')).toBe('a%b é.txt');
    expect(file.value('trashbin-deleted-by-id')).toBe(alice);
    expect(await (await send('GET', alice, file.href)).text()).toBe('0123456789');
    const part = await send('GET', alice, file.href, { range: 'bytes=2-4' });
    expect([part.status, await part.text()]).toEqual([206, '234']);
    expect((await send('HEAD', alice, file.href)).headers.get('content-length')).toBe('10');
    const [below] = await listed(alice, folder.href);
    expect(below!.href).toBe(`${folder.href}file.txt`);
    expect(await (await send('GET', alice, below!.href)).text()).toBe('of alice');
    expect(await status(send('GET', brian, below!.href))).toBe(404);
  });

  it('restores into the old folder, and avoids a name that is taken', async () => {
    await files.dav('DELETE', alice, '/folder/file.txt');
    await files.dav('PUT', alice, '/folder/file.txt', { body: 'newer' });
    const [entry] = await listed(alice, `${bin(alice)}/trash`);
    const back = { destination: `${files.url}${bin(alice)}/restore/anything` };
    expect(await status(send('MOVE', alice, entry!.href, back))).toBe(201);
    expect([await text(alice, '/folder/file.txt'), await text(alice, '/folder/file (2).txt')]).toEqual([
      'newer',
      'of alice',
    ]);
  });

  it('restores into the root folder if the old one is gone', async () => {
    await files.dav('DELETE', alice, '/folder/file.txt');
    await files.dav('DELETE', alice, '/folder');
    const entry = named(await listed(alice, `${bin(alice)}/trash`), 'file.txt');
    const back = { destination: `${files.url}${bin(alice)}/restore/file.txt` };
    expect(await status(send('MOVE', alice, entry.href, back))).toBe(201);
    expect(await text(alice, '/file.txt')).toBe('of alice');
  });

  it('moves nothing within the trash bin, and empties it', async () => {
    await files.dav('DELETE', alice, '/folder');
    const [entry] = await listed(alice, `${bin(alice)}/trash`);
    const within = { destination: `${files.url}${bin(alice)}/trash/other.d5` };
    expect(await status(send('MOVE', alice, entry!.href, within))).toBe(403);
    expect(await status(send('DELETE', alice, bin(alice)))).toBe(403);
    expect(await status(send('DELETE', alice, `${bin(alice)}/trash`))).toBe(204);
    expect(await listed(alice, `${bin(alice)}/trash`)).toEqual([]);
  });
});

describe('deletions by others', () => {
  it('by a recipient, is in the trash bin of its owner, with the recipient and the share', async () => {
    const shareId = await files.share({ path: '/folder', owner: alice, recipient: brian });
    expect(await status(files.dav('DELETE', brian, '/folder/file.txt'))).toBe(204);
    expect(await listed(brian)).toEqual([]);
    const [entry] = await listed(alice);
    expect(entry!.value('trashbin-deleted-by-id')).toBe(brian);
    expect(
      await query('SELECT actor_kind, actor, share_id FROM trashed_node WHERE owner_uid = $1', alice),
    ).toEqual([{ actor_kind: 'user', actor: brian, share_id: shareId }]);
    await send('MOVE', alice, entry!.href, to('/folder/file.txt'));
    expect(await text(brian, '/folder/file.txt')).toBe('of alice');
    expect(
      await query(
        `SELECT actor, action FROM audit_event WHERE object_type = 'file' AND detail ->> 'owner' = $1 ORDER BY id`,
        alice,
      ),
    ).toEqual([
      { actor: brian, action: 'file.delete' },
      { actor: alice, action: 'file.restore' },
    ]);
  });

  it('by a visitor of a link or by a partner, is in the trash bin of its owner too', async () => {
    const link = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const byLink = await fetch(`${files.url}/remote.php/dav/public-files/${link.token}/file.txt`, {
      method: 'DELETE',
    });
    expect(byLink.status).toBe(204);
    await files.dav('PUT', alice, '/folder/second.txt', { body: 'second' });
    const partner = await files.federatedShare({ path: '/folder', owner: alice });
    const byPartner = await fetch(`${files.url}/public.php/webdav/second.txt`, {
      method: 'DELETE',
      headers: { authorization: `Basic ${Buffer.from(`${partner.token}:`).toString('base64')}` },
    });
    expect(byPartner.status).toBe(204);
    expect(
      await query(
        'SELECT name, actor_kind, actor, share_id FROM trashed_node WHERE owner_uid = $1 ORDER BY node_id',
        alice,
      ),
    ).toEqual([
      { name: 'file.txt', actor_kind: 'visitor', actor: null, share_id: link.id },
      { name: 'second.txt', actor_kind: 'partner', actor: 'cloud.partner.example', share_id: partner.id },
    ]);
    expect((await listed(alice)).map((entry) => entry.value('trashbin-deleted-by-id'))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('by overwriting it with MOVE and COPY, is in the trash bin of its owner too', async () => {
    await files.dav('PUT', alice, '/one.txt', { body: 'one' });
    await files.transfer('COPY', alice, '/one.txt', '/folder/file.txt', { overwrite: 'T' });
    await files.transfer('MOVE', alice, '/one.txt', '/folder/file.txt', { overwrite: 'T' });
    expect(await locations(alice)).toEqual(['folder/file.txt', 'folder/file.txt']);
  });
});

describe('shares of nodes in the trash bin', () => {
  const linked = (token: string): Promise<number> =>
    status(
      fetch(`${files.url}/remote.php/dav/public-files/${token}`, {
        method: 'PROPFIND',
        headers: { depth: '0' },
      }),
    );

  it('are hidden from recipients and visitors, and return with the node, renamed or moved', async () => {
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    const { token } = await files.link({ path: '/folder', owner: alice });
    expect([await text(brian, '/folder/file.txt'), await linked(token)]).toEqual(['of alice', 207]);
    await files.dav('DELETE', alice, '/folder');
    expect([await status(files.dav('PROPFIND', brian, '/folder')), await linked(token)]).toEqual([404, 404]);
    const [entry] = await listed(alice);
    await send('MOVE', alice, entry!.href, to('/elsewhere'));
    expect([await text(brian, '/folder/file.txt'), await linked(token)]).toEqual(['of alice', 207]);
  });

  it('are next to the recipient’s new node at their place', async () => {
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    await files.dav('DELETE', alice, '/folder');
    expect(await status(files.dav('PUT', brian, '/folder', { body: 'of brian' }))).toBe(201);
    const [entry] = await listed(alice);
    await send('MOVE', alice, entry!.href, to('/folder'));
    expect([await text(brian, '/folder'), await text(brian, '/folder (2)/file.txt')]).toEqual([
      'of brian',
      'of alice',
    ]);
  });

  it('lose their place to a share of a new folder with the same name, and get another name when they return', async () => {
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    await files.dav('DELETE', alice, '/folder');
    await files.dav('MKCOL', alice, '/folder');
    await files.dav('PUT', alice, '/folder/file.txt', { body: 'new of alice' });
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    expect(await text(brian, '/folder/file.txt')).toBe('new of alice');
    const [entry] = await listed(alice);
    await send('MOVE', alice, entry!.href, to('/old'));
    expect([await text(brian, '/folder/file.txt'), await text(brian, '/folder (2)/file.txt')]).toEqual([
      'new of alice',
      'of alice',
    ]);
  });

  it('cannot be created', async () => {
    await files.dav('DELETE', alice, '/folder');
    await expect(
      query(
        `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
         SELECT 0, node_id, owner_uid, owner_uid, $2, $2, 1 FROM trashed_node WHERE owner_uid = $1`,
        alice,
        brian,
      ),
    ).rejects.toThrow('in the trash bin');
  });

  it('with partners end: they are notified, and get a new offer with another secret when the node is restored', async () => {
    const before = await files.federatedShare({ path: '/folder', owner: alice, permissions: 15 });
    const offers = new RestoredOffers(files.database, files.get(SecretBox));
    await files.dav('DELETE', alice, '/folder');
    await offers.renew();
    await new ShareEventRepository(files.database).handleAll();
    expect(
      await query(
        `SELECT m.kind FROM outbox_message m JOIN trashed_node t ON t.owner_uid = $1 WHERE m.payload ->> 'grantee' = 'bea@cloud.partner.example'
         ORDER BY m.id DESC LIMIT 1`,
        alice,
      ),
    ).toEqual([{ kind: 'share-unshare' }]);
    expect(await query('SELECT id FROM share WHERE owner_uid = $1', alice)).toEqual([]);

    const [entry] = await listed(alice);
    await send('MOVE', alice, entry!.href, to('/renamed'));
    await offers.renew();
    await offers.renew();
    const shares = await query<{ id: number; permissions: number; recipient: string; is_new: boolean }>(
      `SELECT s.id, s.permissions, s.recipient, s.token_hmac <> $2 AS is_new FROM share s WHERE s.owner_uid = $1`,
      alice,
      files.get(SecretBox).lookup(before.token),
    );
    expect(shares).toEqual([
      { id: expect.any(Number), permissions: 15, recipient: 'bea@cloud.partner.example', is_new: true },
    ]);
    expect(
      await query(
        `SELECT kind, payload ->> 'name' AS name FROM outbox_message WHERE subject_id = $1`,
        shares[0]!.id,
      ),
    ).toEqual([{ kind: 'share-create', name: 'renamed' }]);
  });

  it('with partners that had declined them are not offered again', async () => {
    const { id } = await files.federatedShare({ path: '/folder', owner: alice });
    await query(`UPDATE share SET acceptance = 'declined' WHERE id = $1`, id);
    await files.dav('DELETE', alice, '/folder');
    expect(
      await query(
        'SELECT o.id FROM trashed_offer o JOIN node n ON n.id = o.node_id WHERE n.owner_uid = $1',
        alice,
      ),
    ).toEqual([]);
  });
});

it('a restore into a share needs the permission to create there, and gives the node to its owner', async () => {
  await files.dav('MKCOL', brian, '/reading');
  await files.dav('MKCOL', brian, '/writing');
  await files.share({ path: '/reading', owner: brian, recipient: alice, permissions: 1 });
  await files.share({ path: '/writing', owner: brian, recipient: alice, permissions: 31 });
  await files.dav('PROPFIND', alice, '/');
  await files.dav('DELETE', alice, '/folder');
  const [entry] = await listed(alice);
  expect(await status(send('MOVE', alice, entry!.href, to('/reading/folder')))).toBe(403);
  expect(await status(send('MOVE', alice, entry!.href, to('/writing/folder')))).toBe(201);
  expect(await text(brian, '/writing/folder/file.txt')).toBe('of alice');
  expect(
    await query(
      'SELECT DISTINCT owner_uid FROM node WHERE name = $1 AND owner_uid IN ($2, $3)',
      'folder',
      alice,
      brian,
    ),
  ).toEqual([{ owner_uid: brian }]);
});
