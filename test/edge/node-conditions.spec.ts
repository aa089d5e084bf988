import { AppPasswords, ShareAccessTokens } from '#identity';
import { SecretBox } from '#platform';
import { basicAuth } from '../../libs/testing/src/basic-auth';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';

const VIEW_ONLY = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);
const REFUSAL = 'Access to this resource has been denied because it is in view-only mode.';

let files: FilesApp;
let run = 0;
let [alice, brian, carol] = ['', '', ''];

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian, carol] = [`alice${run}`, `brian${run}`, `carol${run}`];
  await files.addUsers(alice, brian, carol);
  await files.dav('MKCOL', alice, '/shared');
  await files.dav('PUT', alice, '/shared/f.txt', { body: 'of alice' });
});

/** A way to the content that alice shares: the address of its folder, and the headers that give access. */
interface AccessPath {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Target of an attempt to move the content out; undefined if there is no such place. */
  readonly outside?: string;
}

const userAt = (uid: string, target: string): AccessPath => ({
  base: `${files.url}/remote.php/webdav${target}`,
  headers: { authorization: files.authorizationOf(uid) },
  outside: `${files.url}/remote.php/webdav/stolen.txt`,
});
const newLink = (token: string): AccessPath => ({
  base: `${files.url}/remote.php/dav/public-files/${token}`,
  headers: {},
});
const oldLink = (token: string): AccessPath => ({
  base: `${files.url}/public.php/webdav`,
  headers: { authorization: basicAuth(token, '') },
});

async function shareWith(uid: string, attributes: string | null, permissions = 31): Promise<void> {
  await files.setAttributes(
    await files.share({ path: '/shared', owner: alice, recipient: uid, permissions }),
    attributes,
  );
  // It gets its place when its recipient looks.
  await files.dav('PROPFIND', uid, '/');
}

async function linkWith(attributes: string | null, initiator = alice): Promise<string> {
  const { id, token } = await files.link({ path: '/shared', owner: alice, initiator, permissions: 15 });
  await files.setAttributes(id, attributes);
  return token;
}

/** A federated share as the server of its recipient keeps it. */
interface Held {
  readonly id: number;
  readonly token: string;
}

async function partnerOfRecipient(attributes: string | null): Promise<Held> {
  await shareWith(brian, attributes);
  return files.federatedShare({ path: '/shared', owner: alice, initiator: brian });
}

async function partnerWithSavedLink(attributes: string | null): Promise<Held> {
  const { id } = await files.link({ path: '/shared', owner: alice, permissions: 15 });
  await files.setAttributes(id, attributes);
  const saved = await files.federatedShare({ path: '/shared', owner: alice });
  await files.database.dataSource.query('UPDATE share SET link_id = $2 WHERE id = $1', [saved.id, id]);
  return saved;
}

/** The header of an access token that the secret was exchanged for. */
function exchanged({ token }: Held): string {
  return `Bearer ${files.get(ShareAccessTokens).give(files.get(SecretBox).lookup(token)).token}`;
}

const partnerAt = (base: string, authorization: string): AccessPath => ({
  base: files.url + base,
  headers: { authorization },
});

/** Every way in, with the condition or without it. */
const ACCESS_PATHS: Readonly<Record<string, (attributes: string | null) => Promise<AccessPath>>> = {
  'the tree of a recipient': async (attributes) => {
    await shareWith(brian, attributes);
    return userAt(brian, '/shared');
  },
  'the tree of a member of a recipient group': async (attributes) => {
    await files.addGroup(`group${run}`, brian);
    const share = { path: '/shared', owner: alice, recipient: `group${run}`, group: true };
    const id = await files.share(share);
    await files.setAttributes(id, attributes);
    return userAt(brian, '/shared');
  },
  'dav/files of a recipient': async (attributes) => {
    await shareWith(brian, attributes);
    return {
      base: `${files.url}/remote.php/dav/files/${brian}/shared`,
      headers: { authorization: files.authorizationOf(brian) },
      outside: `${files.url}/remote.php/dav/files/${brian}/stolen.txt`,
    };
  },
  'a link, by public-files': async (attributes) => newLink(await linkWith(attributes)),
  'a link, by public.php': async (attributes) => oldLink(await linkWith(attributes)),
  'a link that a recipient made, by public-files': async (attributes) => {
    await shareWith(brian, attributes);
    return newLink(await linkWith(null, brian));
  },
  'a link that a recipient made, by public.php': async (attributes) => {
    await shareWith(brian, attributes);
    return oldLink(await linkWith(null, brian));
  },
  'a link that was saved at a partner, by public.php': async (attributes) =>
    oldLink((await partnerWithSavedLink(attributes)).token),
  'a link that was saved at a partner, at dav/ocm with an access token': async (attributes) => {
    const saved = await partnerWithSavedLink(attributes);
    return partnerAt(`/dav/ocm/${saved.id}`, exchanged(saved));
  },
  'a partner of a recipient, by public.php': async (attributes) =>
    oldLink((await partnerOfRecipient(attributes)).token),
  'a partner of a recipient, by public.php with an access token': async (attributes) =>
    partnerAt('/public.php/webdav', exchanged(await partnerOfRecipient(attributes))),
  'a partner of a recipient, at dav/ocm': async (attributes) => {
    const { id, token } = await partnerOfRecipient(attributes);
    return partnerAt(`/dav/ocm/${id}`, `Bearer ${token}`);
  },
  'a partner of a recipient, at dav/ocm with an access token': async (attributes) => {
    const held = await partnerOfRecipient(attributes);
    return partnerAt(`/dav/ocm/${held.id}`, exchanged(held));
  },
  'a partner of a recipient, at remote.php/dav/ocm with an access token': async (attributes) => {
    const held = await partnerOfRecipient(attributes);
    return partnerAt(`/remote.php/dav/ocm/${held.id}`, exchanged(held));
  },
};

const ask = async (
  { base, headers }: AccessPath,
  method: string,
  path: string,
  more: Record<string, string> = {},
  body?: string,
): Promise<{ status: number; text: string }> => {
  const reply = await fetch(base + path, { method, headers: { ...headers, ...more }, body });
  return { status: reply.status, text: await reply.text() };
};

describe.each(Object.entries(ACCESS_PATHS))('content shared in view-only mode, through %s', (_name, open) => {
  it.each([
    ['GET', {}],
    ['GET', { range: 'bytes=0-1' }],
    ['GET', { range: 'bytes=0-0,2-2' }],
    ['GET', { 'if-none-match': '*' }],
    ['HEAD', {}],
  ])('is refused to %s with %j', async (method, headers) => {
    const { status, text } = await ask(await open(VIEW_ONLY), method, '/f.txt', headers);
    expect(status).toBe(403);
    expect(text).toContain(method === 'HEAD' ? '' : REFUSAL);
    expect(text).not.toContain('alice');
  });

  it('is refused to COPY and to MOVE out of the share, also as a part of the folder', async () => {
    const access = await open(VIEW_ONLY);
    const within = { destination: `${access.base}/copy.txt` };
    expect(await ask(access, 'COPY', '/f.txt', within)).toMatchObject({
      status: 403,
      text: expect.stringContaining(REFUSAL),
    });
    if (access.outside === undefined) return;
    const outside = { destination: access.outside };
    expect(await ask(access, 'COPY', '', outside)).toMatchObject({ status: 403 });
    expect(await ask(access, 'COPY', '/f.txt', outside)).toMatchObject({ status: 403 });
    expect(await ask(access, 'MOVE', '/f.txt', outside)).toMatchObject({
      status: 403,
      text: expect.stringContaining(REFUSAL),
    });
  });

  it('is listed, can be renamed, and can be replaced', async () => {
    const access = await open(VIEW_ONLY);
    const listed = await ask(access, 'PROPFIND', '', { depth: '1' });
    expect(listed.status).toBe(207);
    expect(listed.text).toContain('f.txt');
    const to = { destination: `${access.base}/renamed.txt` };
    expect((await ask(access, 'PUT', '/f.txt', {}, 'new')).status).toBe(204);
    expect((await ask(access, 'MOVE', '/f.txt', to)).status).toBe(201);
  });

  it('can be downloaded as soon as the condition is removed', async () => {
    const access = await open(null);
    expect(await ask(access, 'GET', '/f.txt')).toEqual({ status: 200, text: 'of alice' });
    expect((await ask(access, 'GET', '/f.txt', { range: 'bytes=0-1' })).status).toBe(206);
    expect((await ask(access, 'HEAD', '/f.txt')).status).toBe(200);
    const within = { destination: `${access.base}/copy.txt` };
    expect((await ask(access, 'COPY', '/f.txt', within)).status).toBe(201);
  });
});

const PERMISSIONS =
  '<propfind xmlns="DAV:"><prop><x:permissions xmlns:x="http://owncloud.org/ns"/></prop></propfind>';
const NEEDS_FACTOR = JSON.stringify([{ scope: 'authentication', key: 'second-factor', enabled: true }]);

describe.each(Object.entries(ACCESS_PATHS))(
  'content shared with people who have a second factor, through %s',
  (_name, open) => {
    it.each([
      ['GET', '/f.txt', {}],
      ['GET', '/none.txt', {}],
      ['PUT', '/new.txt', {}],
      ['PROPFIND', '', { depth: '1' }],
      ['PROPFIND', '/f.txt', { depth: '0' }],
    ])('is closed to %s of %s by a password alone', async (method, path, headers) => {
      const { status, text } = await ask(await open(NEEDS_FACTOR), method, path, headers);
      expect([status, text]).toEqual([403, expect.stringContaining('second factor')]);
    });
  },
);

it('opens with a second-factor demand to an app password made with one, and to no other', async () => {
  await shareWith(brian, NEEDS_FACTOR);
  const asked = { name: 'phone', scopes: ['files'], readOnly: false, expiresAt: null } as const;
  for (const [strength, status] of [
    ['one_factor', 403],
    ['two_factors', 200],
  ] as const) {
    const { secret } = await files.get(AppPasswords).create(brian, asked, strength);
    const headers = { authorization: basicAuth(brian, secret) };
    expect((await fetch(`${files.url}/remote.php/webdav/shared/f.txt`, { headers })).status).toBe(status);
  }
});

describe('the folder around a share that demands a second factor', () => {
  const search =
    '<oc:search-files xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><d:getetag/></d:prop><oc:search><oc:pattern>f.txt</oc:pattern></oc:search></oc:search-files>';

  async function seenBy(strength: 'one_factor' | 'two_factors'): Promise<Record<string, boolean>> {
    const asked = { name: strength, scopes: ['files'], readOnly: false, expiresAt: null } as const;
    const { secret } = await files.get(AppPasswords).create(brian, asked, strength);
    const root: AccessPath = {
      base: `${files.url}/remote.php/dav/files/${brian}`,
      headers: { authorization: basicAuth(brian, secret) },
    };
    const [found, archive] = [
      await ask(root, 'REPORT', '/', {}, search),
      await ask(root, 'GET', '/', { accept: 'application/zip' }),
    ];
    expect([found.status, archive.status]).toEqual([207, 200]);
    const permissions = await ask(root, 'PROPFIND', '/', { depth: '1' }, PERMISSIONS);
    return {
      isFound: found.text.includes('f.txt'),
      isInArchive: archive.text.includes('of alice'),
      isReadable: /shared\/<.*?permissions[^>]*>SRDNVCK</s.test(permissions.text),
    };
  }

  it('hides its content from searches, archives and listings, except for a sign-in with one', async () => {
    await files.dav('PUT', brian, '/own.txt', { body: 'of brian' });
    await shareWith(brian, NEEDS_FACTOR);
    expect(await seenBy('one_factor')).toEqual({ isFound: false, isInArchive: false, isReadable: false });
    expect(await seenBy('two_factors')).toEqual({ isFound: true, isInArchive: true, isReadable: true });
  });
});

it('gives a partner’s server access to a share with a demand, if it got the demand', async () => {
  const { id, token } = await files.federatedShare({ path: '/shared', owner: alice });
  await files.setAttributes(id, NEEDS_FACTOR);
  const access = partnerAt(`/dav/ocm/${id}`, `Bearer ${token}`);
  expect(await ask(access, 'GET', '/f.txt')).toEqual({ status: 200, text: 'of alice' });
});

it('allows the download if one of two shares of a folder allows it', async () => {
  await shareWith(brian, VIEW_ONLY);
  await files.addGroup(`group${run}`, brian);
  await files.share({ path: '/shared', owner: alice, recipient: `group${run}`, group: true, permissions: 4 });
  expect((await files.dav('GET', brian, '/shared/f.txt')).status).toBe(403);
  await files.database.dataSource.query('UPDATE share SET permissions = 1 WHERE recipient = $1', [
    `group${run}`,
  ]);
  expect((await files.dav('GET', brian, '/shared/f.txt')).status).toBe(200);
});

it('gives no access to a partner’s stored share with an unmet requirement', async () => {
  const requiring = async (name: string, ...requirements: string[]): Promise<void> => {
    const id = await files.receive({ providerId: `${name}${run}`, recipient: brian, target: `/${name}` });
    await files.database.dataSource.query('UPDATE received_share SET access = $2 WHERE id = $1', [
      id,
      JSON.stringify({ requirements }),
    ]);
  };
  await requiring('plain', 'must-exchange-token');
  await requiring('strict', 'must-use-mfa');
  await requiring('unknown', 'must-dance');
  expect(await files.property(brian, '/plain', 'oc:permissions')).toBe('SRDNVCK');
  for (const path of ['/strict', '/unknown'])
    expect(await files.property(brian, path, 'oc:permissions')).toBe('SDNV');
});

it('lists a view-only file among the received shares as view-only', async () => {
  const id = await files.share({ path: '/shared/f.txt', owner: alice, recipient: brian, permissions: 17 });
  await files.setAttributes(id, VIEW_ONLY);
  const body =
    '<propfind xmlns="DAV:"><prop><x:permissions xmlns:x="http://owncloud.org/ns"/><x:downloadURL xmlns:x="http://owncloud.org/ns"/></prop></propfind>';
  const reply = await files.dav('PROPFIND', brian, '/', { body, headers: { depth: '1' } });
  const listed = await reply.text();
  expect(listed).toMatch(/permissions[^>]*>SRDNV</);
  expect(listed).toContain('/f.txt');
  expect(listed).not.toMatch(/downloadURL[^>]*>http/);
});

it.each([
  ['download address', 'oc:downloadURL', '/shared/f.txt'],
  ['checksum, by which a content could be guessed', 'oc:checksums', 'SHA1:'],
])('has no %s', async (_, name, shown) => {
  const withDemand = await files.share({ path: '/shared/f.txt', owner: alice, recipient: carol });
  await files.setAttributes(withDemand, NEEDS_FACTOR);
  await shareWith(brian, VIEW_ONLY);
  expect(await files.property(brian, '/shared/f.txt', name)).toBeNull();
  expect(await files.property(carol, '/f.txt', name)).toBeNull();
  expect(await files.property(alice, '/shared/f.txt', name)).toContain(shown);
});

it('shows a view-only link on a page without its content', async () => {
  const token = await linkWith(VIEW_ONLY);
  const folder = await fetch(`${files.url}/s/${token}`);
  expect([folder.status, await folder.text()]).toEqual([200, expect.stringContaining('f.txt')]);
  const file = await (await fetch(`${files.url}/s/${token}?path=/f.txt`)).text();
  expect(file).toContain('view-only');
  expect(file.slice(file.indexOf('<main'))).not.toMatch(/href|src=|<form/);
  const { id, token: ofFile } = await files.link({ path: '/shared/f.txt', owner: alice });
  await files.setAttributes(id, VIEW_ONLY);
  const download = await fetch(`${files.url}/s/${ofFile}/download`, { redirect: 'manual' });
  expect([download.status, await download.text()]).toEqual([403, expect.stringContaining('view-only')]);
});

describe.each(Object.entries(ACCESS_PATHS))(
  'an archive of a folder shared in view-only mode, through %s',
  (_name, open) => {
    it('is refused', async () => {
      const archive = { accept: 'application/zip' };
      const refused = await ask(await open(VIEW_ONLY), 'GET', '', archive);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(REFUSAL)]);
    });
  },
);
