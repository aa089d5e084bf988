import { replyJson, startFakeServer, type FakeServer } from '../../libs/testing/src';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const API = '/apps/ocm/api/v1';

let here: SharingGateway;
beforeAll(async () => {
  here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' } });
  await here.addUsers('ann');
});
afterAll(() => here?.stop());

const contactsOf = async (uid: string): Promise<Record<string, unknown>[]> =>
  (await here.ocs('GET', `${API}/contacts`, uid)).data;

describe('accepting an invitation of another product', () => {
  let server: FakeServer;
  let answer: { status: number; body: unknown };
  beforeAll(async () => {
    server = await startFakeServer((request, response) => {
      if (request.path === '/ocm/invite-accepted') return replyJson(response, answer.status, answer.body);
      if (request.path !== '/.well-known/ocm') return replyJson(response, 404, {});
      return replyJson(response, 200, {
        enabled: true,
        apiVersion: '1.1.0',
        endPoint: `${server.url}/ocm`,
        provider: 'OpenCloud',
        resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/ocm' } }],
        capabilities: ['/invite-accepted'],
      });
    });
  });
  afterAll(() => server.close());

  const acceptOf = (token: string): Promise<Answer> =>
    here.ocs('POST', `${API}/invitations/accept`, 'ann', {
      token,
      providerDomain: `127.0.0.1:${server.port}`,
    });

  it('adds the inviting user as a contact, with the id from their server', async () => {
    answer = {
      status: 200,
      body: { userID: 'YjFmNzRlYzQ=', email: 'alan@example.org', name: 'Alan Turing' },
    };
    const { code, data } = await acceptOf('1ddd0b88-02bd-4800-b85a-a30747e81f2e');
    expect([code, data.share_with]).toEqual([200, `YjFmNzRlYzQ=@127.0.0.1:${server.port}`]);
    const call = server.requests.find(({ path }) => path === '/ocm/invite-accepted')!;
    expect(JSON.parse(call.body)).toEqual({
      recipientProvider: new URL(here.gateway.url).host,
      token: '1ddd0b88-02bd-4800-b85a-a30747e81f2e',
      userID: 'ann',
      email: '',
      name: 'ann',
    });
  });

  it.each([
    [400, { message: 'expired' }, 404],
    [404, { code: 'RESOURCE_NOT_FOUND', message: 'token not found' }, 404],
    [403, { code: 'UNTRUSTED_SERVICE', message: 'provider not trusted' }, 403],
    [409, {}, 409],
    [500, {}, 503],
    [200, { email: 'nobody@example.org' }, 400],
    [200, [], 400],
  ])('is refused with the answer of its server: %i %j', async (status, body, code) => {
    answer = { status, body };
    const before = await contactsOf('ann');
    expect((await acceptOf('token-that-is-refused')).code).toBe(code);
    expect(await contactsOf('ann')).toEqual(before);
  });

  it.each([
    ['no invitation', { invitation: 'bm90aGluZw==' }, 400],
    ['no host', { token: 'abc' }, 400],
    ['a token with a line break', { token: 'a\nb', providerDomain: 'cloud.example.org' }, 400],
    ['nobody there', { token: 'abc', providerDomain: '127.0.0.1:9' }, 503],
  ])('is refused with %s', async (_what, form, code) => {
    expect((await here.ocs('POST', `${API}/invitations/accept`, 'ann', form)).code).toBe(code);
  });
});
