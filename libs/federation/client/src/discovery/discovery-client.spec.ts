import ipaddr from 'ipaddr.js';
import { parseCloudId } from '#federation/protocol';
import { readJwks } from '#federation/signatures';
import {
  ownCloudDocument,
  reply,
  replyJson,
  startFakeServer,
  startLegacyServer,
  startMisbehaving,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  startSigningPartner,
  TEST_AUTHORITY,
  type FakeServer,
  type Handler,
  type SigningPartner,
} from '#testing';
import { GuardedClient } from '../egress/guarded-client';
import { DiscoveryClient, type DiscoveryRequestOptions, type DiscoveryReport } from './discovery-client';

describe('discovery', () => {
  const servers: FakeServer[] = [];
  const rules = { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] };
  const client = new GuardedClient({ rules, authorities: [TEST_AUTHORITY] });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  afterAll(() => client.close());

  const keep = <T extends FakeServer>(server: T): T => {
    servers.push(server);
    return server;
  };
  const discover = (
    { url }: { url: string },
    options: DiscoveryRequestOptions = {},
    written = url.replace(/^https?:\/\//, ''),
    allowHttp = true,
  ): Promise<DiscoveryReport> =>
    new DiscoveryClient(client, allowHttp).discover(parseCloudId(`bob@${written}`), options);
  const serving = async (handle: (base: () => string) => Handler, tls = false): Promise<FakeServer> => {
    let url = '';
    const server = keep(await startFakeServer((...args) => handle(() => url)(...args), { tls }));
    url = server.url;
    return server;
  };

  it.each([
    ['ownCloud', startOwnCloud, 'owncloud10', ['/.well-known/ocm', '/ocm-provider/', '/ocs-provider/']],
    ['Nextcloud', startNextcloud, 'nextcloud', ['/.well-known/ocm', '/ocs-provider/']],
    ['OpenCloud', startOpenCloud, 'opencloud', ['/.well-known/ocm', '/ocs-provider/']],
    [
      'a legacy server',
      startLegacyServer,
      'legacy',
      ['/.well-known/ocm', '/ocm-provider/', '/ocm-provider', '/ocs-provider/'],
    ],
  ] as const)('finds %s', async (_name, start, product, paths) => {
    for (const tls of [true, false]) {
      const server = keep(await start({ tls }));
      const { conclusion, steps } = await discover(server);
      expect(conclusion).toMatchObject({ kind: 'partner', profile: { product, baseUrl: server.url } });
      expect(server.seen('GET')).toEqual(paths.map((path) => `GET ${path}`));
      expect(steps.filter(({ url }) => url.startsWith(server.url)).map(({ url }) => url)).toEqual(
        paths.map((path) => `${server.url}${path}`),
      );
    }
  });

  it('tries https first, and http only if it is allowed and the address has no scheme', async () => {
    const server = keep(await startOwnCloud());
    const { steps } = await discover(server);
    expect(steps[0]).toMatchObject({
      url: expect.stringMatching(/^https:/),
      status: null,
      errorClass: 'tls',
    });
    const failure = { kind: 'inconclusive', errorClass: 'tls' };
    expect((await discover(server, {}, server.url.replace('http:', 'https:'))).conclusion).toEqual(failure);
    expect((await discover(server, {}, undefined, false)).conclusion).toEqual(failure);
    expect((await discover(server, {}, server.url)).conclusion.kind).toBe('partner');
  });

  it('never goes from https to http once a server has answered', async () => {
    const server = keep(
      await startFakeServer((_request, response) => reply(response, 404, ''), { tls: true }),
    );
    const { conclusion, steps } = await discover(server);
    expect(conclusion.kind).toBe('no-partner');
    expect(steps.every(({ url }) => url.startsWith('https:'))).toBe(true);
  });

  it('reports the failure of https if http is forbidden', async () => {
    const server = keep(await startOwnCloud());
    const strict = new GuardedClient({
      rules: { allowHttp: false, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] },
    });
    const { conclusion } = await new DiscoveryClient(strict, true).discover(
      parseCloudId(`bob@127.0.0.1:${server.port}`),
    );
    expect(conclusion).toEqual({ kind: 'inconclusive', errorClass: 'tls' });
    await strict.close();
  });

  it.each([
    ['nothing is there', 404, '', 'no-partner'],
    ['it is a page', 200, '<html></html>', 'no-partner'],
    ['it is other JSON', 200, '{"name":"x"}', 'no-partner'],
    ['it is nested too deeply', 200, `${'['.repeat(5000)}${']'.repeat(5000)}`, 'no-partner'],
    ['sharing is switched off', 501, 'disabled', 'no-partner'],
    ['the server has trouble', 500, '<html></html>', 'inconclusive'],
    ['the server is in maintenance', 503, '', 'inconclusive'],
    ['it is too much', 429, '', 'inconclusive'],
  ])('draws the right conclusion when %s', async (_what, status, body, kind) => {
    const server = keep(await startFakeServer((_request, response) => reply(response, status, body)));
    expect((await discover(server)).conclusion.kind).toBe(kind);
    expect(server.requests).toHaveLength(4);
  });

  it('does not fall back to the legacy dialect after a failure of discovery alone', async () => {
    const server = await serving(() => (request, response) => {
      if (request.path !== '/ocs-provider/') return reply(response, 500, 'trouble');
      replyJson(response, 200, {
        services: { FEDERATED_SHARING: { endpoints: { share: '/ocs/v2.php/cloud/shares' } } },
      });
    });
    expect((await discover(server)).conclusion).toEqual({
      kind: 'inconclusive',
      errorClass: 'partner-error',
    });
  });

  it('follows one redirect within the same host', async () => {
    const server = await serving((base) => (request, response) => {
      if (request.path === '/ocm') return replyJson(response, 200, ownCloudDocument(`${base()}/x`));
      if (request.path !== '/.well-known/ocm') return reply(response, 404, '');
      response.writeHead(301, { location: '/ocm' }).end();
    });
    expect((await discover(server)).conclusion).toMatchObject({ kind: 'partner' });
  });

  it.each([
    ['another port', (port: number) => `http://127.0.0.1:${port}/ocm`],
    ['itself, for ever', () => '/.well-known/ocm'],
    ['nowhere', () => 'http://'],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
  ])('follows none to %s', async (_where, location) => {
    const elsewhere = await serving((base) => (_request, response) => {
      replyJson(response, 200, ownCloudDocument(`${base()}/x`));
    });
    const server = await serving(() => (_request, response) => {
      response.writeHead(302, { location: location(elsewhere.port) }).end();
    });
    expect((await discover(server)).conclusion.kind).toBe('no-partner');
    expect(elsewhere.requests).toHaveLength(0);
    expect(server.requests.length).toBeLessThanOrEqual(8);
  });

  it('accepts no address at another host, unless an operator named it', async () => {
    const elsewhere = await serving(() => (_request, response) => reply(response, 201, '[]'));
    const server = await serving(() => (request, response) => {
      if (request.path !== '/ocm-provider/') return reply(response, 404, '');
      replyJson(response, 200, ownCloudDocument(`${elsewhere.url}/ocm`));
    });
    expect((await discover(server)).conclusion.kind).toBe('no-partner');
    const named = [`127.0.0.1:${elsewhere.port}`];
    expect((await discover(server, { named })).conclusion).toMatchObject({
      profile: { ocmEndPoint: `${elsewhere.url}/ocm` },
    });
  });

  it('gives up after one attempt on a server that hangs', async () => {
    const server = await serving(() => () => undefined);
    const impatient = new GuardedClient({ rules, limits: { headersMs: 300 } });
    const { conclusion } = await new DiscoveryClient(impatient, true).discover(
      parseCloudId(`bob@http://127.0.0.1:${server.port}`),
    );
    expect(conclusion).toEqual({ kind: 'inconclusive', errorClass: 'timeout' });
    expect(server.requests.length).toBeLessThanOrEqual(1);
    await impatient.close();
  });

  it('keeps the time limit of the caller', async () => {
    const server = await serving(() => () => undefined);
    const { conclusion } = await new DiscoveryClient(client, true).discover(
      parseCloudId(`bob@http://127.0.0.1:${server.port}`),
      { budgetMs: 200 },
    );
    expect(conclusion).toEqual({ kind: 'inconclusive', errorClass: 'timeout' });
  });

  it('finds nothing if nothing listens', async () => {
    const server = await startMisbehaving('hang');
    await server.close();
    expect((await discover(server)).conclusion).toEqual({
      kind: 'inconclusive',
      errorClass: 'not-listening',
    });
  });

  it('finds the folder of an installation', async () => {
    const server = await serving((base) => (request, response) => {
      if (request.path !== '/oc/ocm-provider/') return reply(response, 404, '');
      replyJson(response, 200, ownCloudDocument(`${base()}/oc/x`));
    });
    const { conclusion } = await discover(server, {}, `127.0.0.1:${server.port}/oc`);
    expect(conclusion).toMatchObject({
      profile: { baseUrl: `${server.url}/oc`, webdavUrl: `${server.url}/oc/public.php/webdav` },
    });
  });

  describe('a partner that signs', () => {
    const signing = async (): Promise<SigningPartner> => keep(await startSigningPartner());

    it('has the keys of its document and of its JWKS', async () => {
      const partner = await signing();
      const { keys } = await discover(partner);
      const idsIn = (text: string | null) => readJwks(text ?? '').map(({ keyId }) => keyId);
      expect(idsIn(keys.documentKeys)).toEqual([partner.keyOf('cavage').keyId]);
      expect(idsIn(keys.jwks)).toEqual([partner.keyOf('es256').keyId, partner.keyOf('ed25519').keyId]);
    });

    it('has no keys from another host, and no other host is asked', async () => {
      const other = await signing();
      const server = await serving((base) => (request, response) => {
        const document = {
          ...ownCloudDocument(`${base()}/ocm`),
          jwksUri: `${other.url}/.well-known/jwks.json`,
        };
        replyJson(response, request.path === '/ocm-provider/' ? 200 : 404, document);
      });
      expect((await discover(server)).keys).toEqual({ documentKeys: '', jwks: '' });
      expect(other.requests).toEqual([]);
    });

    it.each([
      ['fails', 503, null],
      ['is none', 404, ''],
    ])('tells whether its JWKS could be read: it %s', async (_what, status, jwks) => {
      const server = await serving((base) => (request, response) => {
        const isDocument = request.path === '/ocm-provider/';
        const document = { ...ownCloudDocument(`${base()}/ocm`), jwksUri: `${base()}/jwks` };
        const answered = request.path === '/jwks' ? status : 404;
        replyJson(response, isDocument ? 200 : answered, document);
      });
      const { conclusion, keys } = await discover(server);
      expect([conclusion.kind, keys.jwks]).toEqual(['partner', jwks]);
    });
  });
});
