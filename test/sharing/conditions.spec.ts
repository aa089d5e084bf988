import { basicAuth } from '../../libs/testing/src/basic-auth';
import { SharingGateway, type Form, type ShareRecord } from './sharing-gateway';

const download = (enabled: boolean): Form => ({
  attributes: JSON.stringify([{ scope: 'permissions', key: 'download', enabled }]),
});
const VIEW_ONLY = download(false);

describe.each(['documented', 'owncloud10'] as const)('a share in view-only mode, %s', (compatibility) => {
  let people: SharingGateway;
  let run = 0;
  let path: string;

  beforeAll(async () => {
    people = await SharingGateway.start({ compatibility });
    await people.addUsers('alice', 'bob', 'carol', 'dan');
  });
  afterAll(() => people?.stop());
  beforeEach(async () => {
    path = `/docs${++run}`;
    await people.store('alice', `${path}/`, `${path}/a.txt`);
    await people.shareId('alice', { path, shareWith: 'bob', permissions: '31', ...VIEW_ONLY });
  });

  const linkStatus = async (token: string): Promise<number[]> => {
    const { url } = people.gateway;
    const replies = await Promise.all([
      fetch(`${url}/remote.php/dav/public-files/${token}/a.txt`),
      fetch(`${url}/public.php/webdav/a.txt`, {
        headers: { authorization: basicAuth(token, ''), 'x-requested-with': 'XMLHttpRequest' },
      }),
    ]);
    return replies.map((reply) => reply.status);
  };

  it('stays view-only for people with whom its recipient shares it', async () => {
    await people.shareId('bob', { path, shareWith: 'carol', permissions: '17', ...VIEW_ONLY });
    await people.shareId('carol', { path, shareWith: 'dan', permissions: '1', ...VIEW_ONLY });
    for (const uid of ['bob', 'carol', 'dan']) {
      expect(await people.dav('GET', uid, `${path}/a.txt`)).toBe(403);
      expect(await people.entries(uid, path)).toEqual([`${path}/a.txt`]);
    }
    expect(await people.dav('GET', 'alice', `${path}/a.txt`)).toBe(200);
  });

  it('stays view-only for a link that its recipient makes', async () => {
    const { data } = await people.share('bob', { path, shareType: '3', permissions: '1', ...VIEW_ONLY });
    expect(await linkStatus((data as ShareRecord & { token: string }).token)).toEqual([403, 403]);
  });

  it.each([
    ['a user', { shareWith: 'carol' }],
    ['a link', { shareType: '3' }],
    ['another server', { shareType: '6', shareWith: 'dora@cloud.partner.example' }],
  ])(
    'cannot be shared again with %s without its condition, nor with the opposite one',
    async (_kind, form) => {
      const message = `Cannot set the requested share attributes for /bob/files${path}`;
      for (const attributes of [{}, { attributes: '[]' }, download(true)])
        expect(await people.share('bob', { path, permissions: '1', ...form, ...attributes })).toMatchObject({
          http: 404,
          code: 404,
          message,
        });
      expect(await people.list('bob', `path=${path}`)).toEqual([]);
    },
  );

  it('cannot lose its condition when its recipient changes the reshare', async () => {
    const id = await people.shareId('bob', { path, shareWith: 'carol', permissions: '17', ...VIEW_ONLY });
    expect(await people.shares('PUT', `/${id}`, 'bob', { attributes: '[]' })).toMatchObject({ code: 404 });
    expect(await people.dav('GET', 'carol', `${path}/a.txt`)).toBe(403);
    expect(await people.shares('PUT', `/${id}`, 'alice', { attributes: '[]' })).toMatchObject({ code: 200 });
    expect(await people.dav('GET', 'carol', `${path}/a.txt`)).toBe(200);
  });

  it('may be shared again without its condition by a recipient who also has it without', async () => {
    await people.shareId('alice', { path: `${path}/a.txt`, shareWith: 'bob', permissions: '17' });
    expect(await people.dav('GET', 'bob', '/a.txt')).toBe(200);
    expect(await people.share('bob', { path: '/a.txt', shareWith: 'carol', permissions: '1' })).toMatchObject(
      {
        code: 200,
      },
    );
    expect(await people.dav('DELETE', 'bob', '/a.txt')).toBe(204);
  });

  it('cannot be shared with another server, which would not enforce it', async () => {
    const form = {
      path,
      shareType: '6',
      shareWith: 'dora@cloud.partner.example',
      permissions: '1',
      ...VIEW_ONLY,
    };
    for (const uid of ['alice', 'bob'])
      expect(await people.share(uid, form)).toMatchObject({
        http: 400,
        code: 400,
        message: 'A share with another server cannot carry the attribute download',
      });
  });
});

const printing = (enabled: boolean): Form => ({
  attributes: JSON.stringify([{ scope: 'documents', key: 'print', enabled }]),
});

describe('an attribute of a share that is not enforced here', () => {
  let people: SharingGateway;

  beforeAll(async () => {
    people = await SharingGateway.start();
    await people.addUsers('alice', 'bob', 'carol');
    await people.store('alice', '/docs/', '/docs/a.txt');
  });
  afterAll(() => people?.stop());

  it.each([true, false])('is refused by its name, enabled: %s', async (enabled) => {
    const forms: Form[] = [{ shareWith: 'bob' }, { shareType: '3' }];
    for (const form of forms)
      expect(
        await people.share('alice', { path: '/docs', permissions: '1', ...form, ...printing(enabled) }),
      ).toMatchObject({ http: 400, code: 400, message: 'The attribute documents/print is not supported' });
  });

  it('may be repeated by a recipient of a stored one', async () => {
    const id = await people.shareId('alice', { path: '/docs', shareWith: 'bob', permissions: '17' });
    await people.query('UPDATE share SET attributes = $2 WHERE id = $1', [id, printing(false).attributes]);
    const reshare = { path: '/docs', shareWith: 'carol', permissions: '1' };
    expect(await people.share('bob', reshare)).toMatchObject({ code: 404 });
    expect(await people.share('bob', { ...reshare, ...printing(false) })).toMatchObject({ code: 200 });
  });
});
