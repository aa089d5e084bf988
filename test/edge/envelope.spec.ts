import { startGateway, type TestGateway } from '../../libs/testing/src';
import { EdgeClient, readEnvelope, type EdgeReply } from './edge-client';

const UNKNOWN_ROUTE =
  /^Invalid query, please check the syntax\. API specifications are here: .* DEBUG OUTPUT:\n$/;
const SHARES = '/apps/files_sharing/api/v1/shares';

let gateway: TestGateway;
let client: EdgeClient;

beforeAll(async () => {
  gateway = await startGateway();
  client = new EdgeClient(gateway);
});
afterAll(() => gateway.stop());

const ask = (target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<EdgeReply> =>
  client.send({ method, target, headers: { authorization: gateway.adminAuth, ...headers } });

describe('the format of a reply', () => {
  const isXml = (reply: EdgeReply): boolean => reply.body.startsWith('<?xml version="1.0"?>\n<ocs>\n');
  const isJson = (reply: EdgeReply): boolean => reply.body.startsWith('{"ocs":{"meta":');

  it.each(['', '?format=', '?format=xml', '?format=json&format=xml'])('is XML for %j', async (query) => {
    const reply = await ask(`/ocs/v1.php/cloud/user${query}`);
    expect(reply.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(isXml(reply)).toBe(true);
  });

  it.each(['?a=%00&format=json', '?format=json&a=%00', '?a%00=1&format=json'])(
    'is kept in the refusal of NUL in %j',
    async (query) => {
      const reply = await ask(`/ocs/v2.php/cloud/user${query}`);
      expect([reply.status, readEnvelope(reply).code]).toEqual([400, 400]);
      expect(isJson(reply)).toBe(true);
    },
  );

  it.each(['?format=json', '?format=xml&format=json', '?a=b&format=%6Ason'])(
    'is JSON for %j',
    async (query) => {
      const reply = await ask(`/ocs/v1.php/cloud/user${query}`);
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(isJson(reply)).toBe(true);
    },
  );

  it('does not follow the Accept header', async () => {
    expect(isXml(await ask('/ocs/v1.php/cloud/user', { accept: 'application/json' }))).toBe(true);
    expect(isJson(await ask('/ocs/v1.php/cloud/user?format=json', { accept: 'application/xml' }))).toBe(true);
  });

  it.each(['yaml', 'JSON', 'json%00', '../json', '[]', '%ff'])(
    'that is unknown (%s) is refused in an envelope',
    async (format) => {
      const [one, two] = [
        await ask(`/ocs/v1.php/cloud/user?format=${format}`),
        await ask(`/ocs/v2.php/cloud/user?format=${format}`),
      ];
      expect([one.status, readEnvelope(one).code]).toEqual([200, 400]);
      expect([two.status, readEnvelope(two).code]).toEqual([400, 400]);
      expect(isXml(one)).toBe(true);
    },
  );

  it('that is unknown means XML on legacy routes', async () => {
    const reply = await ask('/ocs/v2.php/cloud/users?format=yaml');
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/xml; charset=UTF-8']);
  });

  it('may be requested in a form or a JSON body', async () => {
    const send = (type: string, body: string): Promise<EdgeReply> =>
      client.send({
        method: 'POST',
        target: `/ocs/v1.php${SHARES}`,
        headers: { authorization: gateway.adminAuth, 'content-type': type },
        body,
      });
    expect(isJson(await send('application/x-www-form-urlencoded', 'format=json'))).toBe(true);
    expect(isJson(await send('application/json', '{"format":"json"}'))).toBe(true);
    expect(isXml(await send('text/plain', 'format=json'))).toBe(true);
  });
});

describe('the headers of a reply', () => {
  it('forbid caching and content sniffing', async () => {
    for (const target of ['/ocs/v1.php/cloud/user', '/ocs/v2.php/nothing']) {
      expect((await ask(target)).headers).toMatchObject({
        'cache-control': 'no-cache, no-store, must-revalidate',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
    }
  });
});

describe('a request', () => {
  it('needs no OCS-APIRequest header, and may have one', async () => {
    expect(readEnvelope(await ask('/ocs/v1.php/cloud/users')).code).toBe(100);
    for (const value of ['true', 'false'])
      expect(readEnvelope(await ask('/ocs/v1.php/cloud/users', { 'ocs-apirequest': value })).code).toBe(100);
  });

  it('may have an absolute address in its first line, as from proxies', async () => {
    const reply = await ask('http://gateway.example.org/ocs/v2.php/cloud/user?format=json');
    expect([reply.status, readEnvelope(reply).code]).toEqual([200, 200]);
    const unknown = await ask('http://gateway.example.org/ocs/v2.php/nothing');
    expect([unknown.status, readEnvelope(unknown).code]).toEqual([404, 404]);
  });

  it('with HEAD is answered like GET, without a body', async () => {
    const reply = await ask('/ocs/v2.php/cloud/user', {}, 'HEAD');
    expect([reply.status, reply.headers['content-type'], reply.body]).toEqual([
      200,
      'application/xml; charset=utf-8',
      '',
    ]);
  });
});

describe('an unknown route', () => {
  it.each([
    ...['', '/', '/nothing', '/cloud', '/cloud/user/', '/cloud/User', `${SHARES}/pending/`],
    ...['/cloud/users/a/b/c', '/%2e%2e/cloud/user', '/apps/files_sharing/api/v2/shares', '?format=yaml'],
  ])('such as %j has its envelope, for every caller', async (path) => {
    for (const authorization of [gateway.adminAuth, '']) {
      const headers = { authorization };
      const [one, two] = [await ask(`/ocs/v1.php${path}`, headers), await ask(`/ocs/v2.php${path}`, headers)];
      expect([one.status, readEnvelope(one).code]).toEqual([200, 999]);
      expect([two.status, readEnvelope(two).code]).toEqual([404, 404]);
      expect([one, two].map((reply) => reply.headers['content-type'])).toEqual(
        Array(2).fill('text/xml; charset=UTF-8'),
      );
    }
  });

  it('has the text of deployed servers, without paging', async () => {
    const { body } = await ask('/ocs/v1.php/nothing?format=json');
    const { meta, data } = JSON.parse(body).ocs;
    expect(meta).toEqual({
      status: 'failure',
      statuscode: 999,
      message: expect.stringMatching(UNKNOWN_ROUTE),
    });
    expect(data).toEqual([]);
  });

  it.each(['/ocs', '/ocs/', '/ocs/v3.php/cloud/user', '/ocs/v1.phpx', '/nothing'])(
    'outside of both entry points (%s) is a plain 404',
    async (path) => {
      const reply = await ask(path);
      expect([reply.status, reply.body]).toEqual([404, 'Not found\n']);
    },
  );

  it.each([
    ['/nothing', 'en', 'There is nothing at this address.', 'To the start page'],
    ['/index.php/nothing/here?a=b', 'de-DE', 'An dieser Adresse ist nichts.', 'Zur Startseite'],
  ])('for a browser (%s, %s) is a page with a way back', async (path, language, words, back) => {
    const headers = { accept: 'text/html,application/xhtml+xml;q=0.9', 'accept-language': language };
    const reply = await ask(path, headers);
    expect(reply.status).toBe(404);
    expect(reply.body).toContain(words);
    expect(reply.body).toContain(`<a href="/">${back}</a>`);
    expect((await ask('/ocs/v3.php/nothing', headers)).body).toBe('Not found\n');
  });
});

describe('a known path with another verb', () => {
  it.each([
    ['POST', '/cloud/capabilities', 'GET, HEAD'],
    ['PUT', '/cloud/users', 'GET, HEAD, POST'],
    ['PATCH', `${SHARES}/1`, 'GET, HEAD, PUT, DELETE'],
    ['PROPFIND', '/cloud/user', 'GET, HEAD'],
    ['REPORT', '/cloud/user', 'GET, HEAD'],
    ['LOCK', '/cloud/groups/staff', 'GET, HEAD, DELETE'],
    ['OPTIONS', '/config', 'GET, HEAD'],
  ])('%s %s is a 405 without a body, for every caller', async (method, path, allow) => {
    for (const version of [1, 2]) {
      const reply = await client.send({ method, target: `/ocs/v${version}.php${path}` });
      expect([reply.status, reply.body]).toEqual([405, '']);
      expect(reply.headers.allow?.split(', ').sort()).toEqual(allow.split(', ').sort());
      expect(reply.headers['content-type']).toBe('text/xml; charset=UTF-8');
    }
  });

  it.each(['PUT', 'DELETE'])('reaches a route for any id there that has the verb: %s', async (method) => {
    const headers = { authorization: gateway.adminAuth };
    const reply = await client.send({ method, target: `/ocs/v2.php${SHARES}/pending`, headers });
    expect([reply.status, readEnvelope(reply).code]).toEqual([404, 404]);
  });

  it('has the content type of the requested format', async () => {
    const reply = await client.send({ method: 'DELETE', target: '/ocs/v1.php/cloud/user?format=json' });
    expect([reply.status, reply.headers['content-type']]).toEqual([405, 'application/json; charset=utf-8']);
  });
});

describe('maintenance', () => {
  const PATH = '/apps/provisioning_api/api/v1/config/apps/system/maintenance';

  it('answers every call with 503 in an envelope, in both versions, and is shown in status.php', async () => {
    await client.ocs('POST', PATH, { form: { value: 'yes' } });
    for (const [target, as] of [
      ['/ocs/v1.php/cloud/user', gateway.adminAuth],
      ['/ocs/v2.php/cloud/capabilities', ''],
      [`/ocs/v2.php${SHARES}`, 'Basic nonsense'],
    ] as const) {
      const reply = await ask(target, { authorization: as });
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '120']);
      expect(reply.headers['content-type']).toBe('text/xml; charset=UTF-8');
      expect(readEnvelope(reply)).toMatchObject({
        status: 'failure',
        code: 503,
        message: 'Service unavailable',
      });
    }
    const files = await client.send({ method: 'PROPFIND', target: '/remote.php/webdav/' });
    expect([files.status, files.headers['retry-after']]).toEqual([503, '120']);
    expect(files.body).toContain('ServiceUnavailable');
    const status = await client.send({ target: '/status.php' });
    expect(JSON.parse(status.body)).toMatchObject({ maintenance: true, installed: true });
    expect((await client.send({ target: '/health/ready' })).status).toBe(200);
  });
});
