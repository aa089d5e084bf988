import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian', 'carol');
});
afterAll(() => files.stop());

const many = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const counted = (statuses: number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(statuses)]
      .sort()
      .map((status) => [status, statuses.filter((other) => other === status).length]),
  );
const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;

describe('many writers at once', () => {
  it('create one folder with one name', async () => {
    const statuses = await many(30, () => status(files.dav('MKCOL', 'alice', '/once')));
    expect(counted(statuses)).toEqual({ 201: 1, 405: 29 });
  });

  it('create one file with one name', async () => {
    const statuses = await many(30, (index) =>
      status(files.dav('PUT', 'alice', '/one.txt', { body: `${index}` })),
    );
    expect(counted(statuses)).toEqual({ 201: 1, 204: 29 });
    const only = await many(10, (index) =>
      status(files.dav('PUT', 'alice', '/new.txt', { body: `${index}`, headers: { 'if-none-match': '*' } })),
    );
    expect(counted(only)).toEqual({ 201: 1, 412: 9 });
  });

  it('overwrite with If-Match only the content that they have read', async () => {
    await files.dav('PUT', 'alice', '/seen.txt', { body: 'first' });
    const etag = (await files.dav('HEAD', 'alice', '/seen.txt')).headers.get('etag')!;
    const statuses = await many(10, (index) =>
      status(files.dav('PUT', 'alice', '/seen.txt', { body: `${index}`, headers: { 'if-match': etag } })),
    );
    expect(counted(statuses)).toEqual({ 204: 1, 412: 9 });
  });

  it('do not stop readers', async () => {
    await files.dav('PUT', 'alice', '/read.txt', { body: 'content' });
    const writing = many(20, () => status(files.dav('PUT', 'alice', '/read.txt', { body: 'content' })));
    const reading = many(60, async () => (await files.dav('GET', 'alice', '/read.txt')).text());
    expect(new Set(await reading)).toEqual(new Set(['content']));
    await writing;
  });

  it('move folders into each other without a loss', async () => {
    await files.dav('MKCOL', 'alice', '/left');
    await files.dav('MKCOL', 'alice', '/right');
    const [first, second] = await Promise.all([
      status(files.transfer('MOVE', 'alice', '/left', '/right/left')),
      status(files.transfer('MOVE', 'alice', '/right', '/left/right')),
    ]);
    // The slower request finds that the destination's parent is gone: it is inside the moved folder.
    expect([first, second].sort()).toEqual([201, 409]);
    const found = await Promise.all(
      ['/left/right', '/right/left'].map((path) => status(files.dav('PROPFIND', 'alice', path))),
    );
    expect(found.sort()).toEqual([207, 404]);
  });

  it('keep sizes right and cause no unexpected answer', async () => {
    await files.dav('MKCOL', 'alice', '/busy');
    const statuses = await many(60, (index) => {
      const path = `/busy/${index % 7}`;
      if (index % 5 === 0) return status(files.dav('DELETE', 'alice', path));
      if (index % 5 === 1) return status(files.transfer('MOVE', 'alice', path, `/busy/moved-${index}`));
      if (index % 5 === 2) return status(files.transfer('COPY', 'alice', path, `/busy/copy-${index}`));
      return status(files.dav('PUT', 'alice', path, { body: 'x'.repeat(index + 1) }));
    });
    expect(statuses.filter((one) => ![201, 204, 404, 409, 412].includes(one))).toEqual([]);
    const [sizes] = await files.database.dataSource.query<{ folder: number; files: number }[]>(
      `SELECT folder.size AS folder, coalesce(sum(child.size), 0)::bigint AS files
       FROM node folder LEFT JOIN node child ON child.parent_id = folder.id WHERE folder.path = '/busy' GROUP BY folder.size`,
    );
    expect(sizes!.folder).toBe(sizes!.files);
  });

  it('place a share once, even with several first listings', async () => {
    await files.dav('PUT', 'alice', '/for-carol.txt', { body: 'x' });
    await files.share({ path: '/for-carol.txt', owner: 'alice', recipient: 'carol' });
    await many(10, () => status(files.dav('PROPFIND', 'carol', '/')));
    const xml = await (await files.dav('PROPFIND', 'carol', '/', { headers: { depth: '1' } })).text();
    expect(xml.match(/for-carol/g)).toHaveLength(1);
  });

  it('never make a file under the name of a share that is being placed', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `/contested-${round}.txt`;
      await files.dav('PUT', 'alice', name, { body: 'of alice' });
      await files.share({ path: name, owner: 'alice', recipient: 'brian', permissions: 1 });
      await Promise.all([
        files.dav('PUT', 'brian', name, { body: 'of brian' }),
        files.dav('PROPFIND', 'brian', '/'),
      ]);
      const own = await files.database.dataSource.query<{ path: string }[]>(
        `SELECT path FROM node WHERE owner_uid = 'brian' AND path = $1`,
        [name],
      );
      const placed = await files.database.dataSource.query<{ file_target: string }[]>(
        `SELECT file_target FROM share_recipient WHERE uid = 'brian' AND file_target = $1`,
        [name],
      );
      expect(own.length + placed.length).toBe(1);
    }
  });
});

describe('a quota', () => {
  const put = (uid: string, path: string, bytes: number) =>
    status(files.dav('PUT', uid, path, { body: 'x'.repeat(bytes) }));

  it('of the owner applies to uploads, not the quota of the writer', async () => {
    await files.database.dataSource.query(`UPDATE user_account SET quota_bytes = 100 WHERE uid = 'carol'`);
    await files.dav('MKCOL', 'carol', '/full');
    await files.share({ path: '/full', owner: 'carol', recipient: 'brian' });
    expect(await put('carol', '/full/a', 60)).toBe(201);
    expect(await put('carol', '/full/b', 60)).toBe(507);
    expect(await put('brian', '/full/b', 60)).toBe(507);
    expect(await put('brian', '/full/b', 40)).toBe(201);
    expect(await put('brian', '/full/b', 41)).toBe(507);
    expect(await put('brian', '/full/b', 40)).toBe(204);
    expect(await status(files.transfer('COPY', 'carol', '/full/a', '/full/c'))).toBe(507);
    await put('brian', '/mine', 50);
    expect(await status(files.transfer('MOVE', 'brian', '/mine', '/full/mine'))).toBe(507);
    expect(await files.property('carol', '/', 'd:quota-available-bytes')).toBe('0');
    expect(await files.property('brian', '/full', 'd:quota-used-bytes')).toBe('100');
    expect(await put('carol', '/full/a', 10)).toBe(204);
    expect(await status(files.transfer('MOVE', 'brian', '/mine', '/full/mine'))).toBe(201);
  });

  it('applies to simultaneous writers, and to bodies of unknown size', async () => {
    await files.database.dataSource.query(`UPDATE user_account SET quota_bytes = 1000 WHERE uid = 'alice'`);
    await files.dav('DELETE', 'alice', '/busy');
    const statuses = await many(20, (index) => put('alice', `/q-${index}`, 200));
    expect(statuses.every((one) => one === 201 || one === 507)).toBe(true);
    const [root] = await files.database.dataSource.query<{ size: number }[]>(
      `SELECT size FROM node WHERE owner_uid = 'alice' AND path = ''`,
    );
    expect(root!.size).toBeLessThanOrEqual(1000);
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    });
    const reply = await fetch(files.addressOf('/endless'), {
      method: 'PUT',
      headers: { authorization: files.authorizationOf('alice') },
      body: endless,
      duplex: 'half',
    }).then(
      (answer) => answer.status,
      () => 'cut off',
    );
    expect([507, 'cut off']).toContain(reply);
    expect(await status(files.dav('PROPFIND', 'alice', '/endless'))).toBe(404);
  });
});
