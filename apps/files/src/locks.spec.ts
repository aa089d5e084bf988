import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { lockBody, LockClient } from '../../../libs/testing/src/rigs/lock-client';

let files: FilesApp;
let alice: LockClient;
let bob: LockClient;

beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'bob', 'carol');
  alice = new LockClient(files, 'alice');
  bob = new LockClient(files, 'bob');
});
afterAll(() => files.stop());

let run = 0;
/** Makes a folder of Alice with `/sub/deep.txt` and `/file.txt`, shared with Bob. */
async function folder(): Promise<string> {
  const path = `/docs-${++run}`;
  for (const each of [path, `${path}/sub`]) await alice.status('MKCOL', each);
  for (const each of ['/file.txt', '/sub/deep.txt']) await alice.status('PUT', path + each, {}, 'first');
  await files.share({ owner: 'alice', recipient: 'bob', path });
  return path;
}

describe('a lock of a file', () => {
  it('blocks changes by everybody without its token', async () => {
    const path = await folder();
    const file = `${path}/file.txt`;
    const token = await alice.lock(file);
    expect(token).toMatch(/^opaquelocktoken:[0-9a-f-]{36}$/);
    for (const client of [alice, bob]) {
      expect(await client.status('PUT', file, {}, 'changed')).toBe(423);
      expect(await client.status('DELETE', file)).toBe(423);
      expect(await client.move(file, `${path}/moved.txt`)).toBe(423);
      expect(await client.status('PROPPATCH', file, {}, PROPERTY)).toBe(423);
      expect(await client.copy(`${path}/sub/deep.txt`, file)).toBe(423);
      expect(await client.move(`${path}/sub/deep.txt`, file)).toBe(423);
    }
    expect(await bob.text(file)).toBe('first');
    const withToken = { if: `(<${token}>)` };
    expect(await alice.status('PROPPATCH', file, withToken, PROPERTY)).toBe(207);
    expect(await alice.status('PUT', file, withToken, 'changed')).toBe(204);
    expect(await bob.text(file)).toBe('changed');
  });

  it('is named with its address in the answer to a blocked client', async () => {
    const file = `${await folder()}/file.txt`;
    await alice.lock(file);
    const refused = await files.dav('PUT', 'bob', file, { body: 'x' });
    const body = await refused.text();
    expect(refused.status).toBe(423);
    expect(body).toContain(`<d:lock-token-submitted><d:href>/remote.php/webdav${file}</d:href>`);
    const conflict = await files.dav('LOCK', 'bob', file, { body: lockBody() });
    expect(await conflict.text()).toContain(
      `<d:no-conflicting-lock><d:href>/remote.php/webdav${file}</d:href>`,
    );
  });

  it('does not open to another person with its token, nor to the token of another lock', async () => {
    const path = await folder();
    const token = await alice.lock(`${path}/file.txt`);
    const other = await bob.lock(`${path}/sub/deep.txt`);
    expect(await bob.status('PUT', `${path}/file.txt`, { if: `(<${token}>)` }, 'x')).toBe(423);
    expect(await bob.status('PUT', `${path}/file.txt`, { if: `(<${other}>)` }, 'x')).toBe(423);
    expect(await bob.status('PUT', `${path}/file.txt`, { if: '(<opaquelocktoken:x>)' }, 'x')).toBe(412);
  });

  it('can be ended only by its maker or by the owner of the file', async () => {
    const path = await folder();
    await files.share({ owner: 'alice', recipient: 'carol', path });
    const carol = new LockClient(files, 'carol');
    const token = await bob.lock(`${path}/file.txt`);
    expect(await carol.unlock(`${path}/file.txt`, token)).toBe(403);
    expect(await bob.unlock(`${path}/sub/deep.txt`, token)).toBe(409);
    expect(await bob.unlock(`${path}/file.txt`, 'opaquelocktoken:nonsense')).toBe(409);
    expect(await bob.status('UNLOCK', `${path}/file.txt`)).toBe(400);
    expect(await bob.unlock(`${path}/file.txt`, token)).toBe(204);
    expect(await bob.unlock(`${path}/file.txt`, token)).toBe(409);
    expect(await alice.unlock(`${path}/file.txt`, await bob.lock(`${path}/file.txt`))).toBe(204);
    expect(await bob.status('PUT', `${path}/file.txt`, {}, 'x')).toBe(204);
  });

  it('creates an empty file at a free path', async () => {
    const path = await folder();
    const reply = await files.dav('LOCK', 'alice', `${path}/new.txt`, { body: lockBody() });
    expect(reply.status).toBe(201);
    expect(await alice.text(`${path}/new.txt`)).toBe('');
    expect(await bob.status('PUT', `${path}/new.txt`, {}, 'x')).toBe(423);
    expect(await alice.status('LOCK', `${path}/missing/new.txt`, {}, lockBody())).toBe(409);
    expect(await alice.status('PUT', `${path}/new.txt/below.txt`, {}, 'x')).toBe(423);
  });

  it('ends with the file, and does not move with it', async () => {
    const path = await folder();
    const token = await alice.lock(`${path}/file.txt`);
    const withToken = { if: `(<${token}>)` };
    expect(await alice.move(`${path}/file.txt`, `${path}/moved.txt`, withToken)).toBe(201);
    expect(await bob.status('PUT', `${path}/moved.txt`, {}, 'x')).toBe(204);
    const again = await alice.lock(`${path}/moved.txt`);
    expect(await alice.status('DELETE', `${path}/moved.txt`, { if: `(<${again}>)` })).toBe(204);
    expect(await alice.status('PUT', `${path}/moved.txt`, {}, 'anew')).toBe(201);
    expect(await alice.copy(`${path}/moved.txt`, `${path}/copied.txt`)).toBe(201);
    const [row] = await files.database.dataSource.query<{ count: number }[]>(
      'SELECT count(*)::integer AS count FROM node_lock k JOIN node n ON n.id = k.node_id WHERE strpos(n.path, $1) > 0',
      ['moved'],
    );
    expect(row!.count).toBe(0);
  });

  it.each(['', '/file.txt'])(
    'that ended with the right to write is not valid again beside a new one (%s)',
    async (of) => {
      const path = await folder();
      const may = (permissions: number) =>
        files.database.dataSource.query(
          `UPDATE share SET permissions = $2 WHERE node_id = (SELECT id FROM node WHERE path = $1)`,
          [path, permissions],
        );
      const ended = { if: `(<${await bob.lock(path + of)}>)` };
      await may(1);
      const token = await alice.lock(`${path}/file.txt`);
      await may(31);
      expect(await bob.status('PUT', `${path}/file.txt`, ended, 'x')).toBe(423);
      expect(await alice.status('PUT', `${path}/file.txt`, { if: `(<${token}>)` }, 'x')).toBe(204);
      expect((await alice.discovered(`${path}/file.txt`)).match(/<d:activelock>/g)).toHaveLength(1);
    },
  );

  it('lasts for the requested time, and for the same time after a refresh', async () => {
    const file = `${await folder()}/file.txt`;
    const token = await alice.lock(file, { timeout: 'Second-600' });
    expect(await alice.discovered(file)).toMatch(/<d:timeout>Second-(?:600|5\d\d)<\/d:timeout>/);
    const refresh = { if: `(<${token}>)`, timeout: 'Infinite' };
    expect(await alice.status('LOCK', file, refresh)).toBe(200);
    expect(await alice.discovered(file)).toMatch(/<d:timeout>Second-(?:86400|863\d\d)<\/d:timeout>/);
    expect(await alice.status('LOCK', file)).toBe(400);
    expect(await bob.status('LOCK', file, refresh)).toBe(412);
    await over(file);
    expect(await alice.status('LOCK', file, refresh)).toBe(412);
    expect(await alice.discovered(file)).toBe('');
    expect(await bob.status('PUT', file, {}, 'x')).toBe(204);
  });
});

describe('shared locks', () => {
  it('exist together, and each of their owners may change the file', async () => {
    const file = `${await folder()}/file.txt`;
    const one = await alice.lock(file, {}, lockBody('shared'));
    const other = await bob.lock(file, {}, lockBody('shared'));
    expect(await alice.status('LOCK', file, {}, lockBody())).toBe(423);
    expect(await alice.status('PUT', file, { if: `(<${one}>)` }, 'x')).toBe(204);
    expect(await bob.status('PUT', file, { if: `(<${other}>)` }, 'x')).toBe(204);
    expect(await bob.status('PUT', file, {}, 'x')).toBe(423);
    expect(await alice.unlock(file, one)).toBe(204);
    expect(await alice.status('PUT', file, {}, 'x')).toBe(423);
    expect((await alice.discovered(file)).match(/<d:activelock>/g)).toHaveLength(1);
  });
});

describe('a lock of a folder', () => {
  it('applies to everything below, also to new entries', async () => {
    const path = await folder();
    const token = await alice.lock(path);
    for (const [method, target] of [
      ['PUT', '/file.txt'],
      ['PUT', '/sub/deep.txt'],
      ['PUT', '/sub/new.txt'],
      ['MKCOL', '/sub/new'],
      ['DELETE', '/sub'],
    ] as const)
      expect([target, await bob.status(method, path + target)]).toEqual([target, 423]);
    expect(await bob.status('LOCK', `${path}/file.txt`, {}, lockBody('shared'))).toBe(423);
    expect(await alice.status('PUT', `${path}/sub/new.txt`, { if: `(<${token}>)` }, 'x')).toBe(201);
    expect(await alice.discovered(`${path}/sub/new.txt`)).toContain(token);
    expect(await bob.discovered(`${path}/sub`)).toContain(`<d:href>/remote.php/webdav${path}</d:href>`);
    expect(await alice.unlock(`${path}/sub`, token)).toBe(204);
    expect(await bob.status('PUT', `${path}/file.txt`, {}, 'x')).toBe(204);
  });

  it('with depth 0 applies to its list of entries, but not to their contents', async () => {
    const path = await folder();
    await alice.lock(path, { depth: '0' });
    expect(await bob.status('PUT', `${path}/file.txt`, {}, 'x')).toBe(204);
    expect(await bob.status('PUT', `${path}/sub/new.txt`, {}, 'x')).toBe(201);
    expect(await bob.status('PUT', `${path}/new.txt`, {}, 'x')).toBe(423);
    expect(await bob.status('DELETE', `${path}/file.txt`)).toBe(423);
    expect(await alice.status('LOCK', path, { depth: '1' }, lockBody())).toBe(400);
  });

  it('is refused, like its removal and move, if an entry below is locked, which is named', async () => {
    const path = await folder();
    const token = await bob.lock(`${path}/sub/deep.txt`);
    const below = `<d:href>/remote.php/webdav${path}/sub/deep.txt</d:href><d:status>HTTP/1.1 423 Locked</d:status>`;
    for (const method of ['LOCK', 'DELETE'] as const) {
      const reply = await files.dav(method, 'alice', path, method === 'LOCK' ? { body: lockBody() } : {});
      expect([reply.status, await reply.text()]).toEqual([207, expect.stringContaining(below)]);
    }
    expect(await alice.move(path, `${path}-moved`)).toBe(207);
    expect(await alice.status('LOCK', path, { depth: '0' }, lockBody())).toBe(200);
    expect(await bob.text(`${path}/sub/deep.txt`)).toBe('first');
    expect(await bob.status('DELETE', `${path}/sub`, { if: `(<${token}>)` })).toBe(423);
  });
});

describe('an If header', () => {
  it('refuses a request if its etags or tokens do not match', async () => {
    const path = await folder();
    const file = `${path}/file.txt`;
    const etag = (await files.dav('HEAD', 'alice', file)).headers.get('etag')!;
    expect(await alice.status('PUT', file, { if: '(["wrong"])' }, 'x')).toBe(412);
    expect(await alice.status('GET', file, { if: '(["wrong"])' })).toBe(412);
    expect(await alice.status('PUT', file, { if: `([${etag}])` }, 'x')).toBe(204);
    expect(await alice.status('PUT', file, { if: `([${etag}])` }, 'x')).toBe(412);
    expect(await alice.status('PUT', file, { if: '(Not <DAV:no-lock>)' }, 'x')).toBe(204);
    const elsewhere = `<${files.addressOf(`${path}/sub`)}>`;
    expect(await alice.status('PUT', file, { if: `${elsewhere} (Not ["wrong"])` }, 'x')).toBe(204);
    expect(await alice.status('PUT', file, { if: `${elsewhere} (["wrong"])` }, 'x')).toBe(412);
    expect(await alice.status('PUT', file, { if: '(nonsense' }, 'x')).toBe(400);
    const many = Array.from({ length: 21 }, (_, each) => `<${files.addressOf(`/${each}`)}> (["a"])`).join('');
    expect(await alice.status('PUT', file, { if: many }, 'x')).toBe(400);
  });

  it('with the token of the target folder admits the move', async () => {
    const path = await folder();
    const token = await alice.lock(`${path}/sub`);
    expect(await alice.move(`${path}/file.txt`, `${path}/sub/file.txt`)).toBe(423);
    const tagged = `<${files.addressOf(`${path}/sub`)}> (<${token}>)`;
    expect(await alice.move(`${path}/file.txt`, `${path}/sub/file.txt`, { if: tagged })).toBe(201);
    expect(await alice.copy(`${path}/sub/file.txt`, `${path}/sub/copy.txt`, { if: `(<${token}>)` })).toBe(
      201,
    );
  });
});

const PROPERTY =
  '<d:propertyupdate xmlns:d="DAV:" xmlns:x="urn:x"><d:set><d:prop><x:y>z</x:y></d:prop></d:set></d:propertyupdate>';

/** Lets all locks of a file expire. */
async function over(path: string): Promise<void> {
  await files.database.dataSource.query(
    "UPDATE node_lock SET expires_at = now() - interval '1 second' WHERE node_id = (SELECT id FROM node WHERE path = $1)",
    [path],
  );
}
