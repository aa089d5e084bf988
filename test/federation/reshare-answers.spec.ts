import {
  eventually,
  ownCloudDocument,
  replyJson,
  startFakeServer,
  startOwnCloud,
  type FakePartner,
} from '../../libs/testing/src';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const OCM = '/index.php/apps/federatedfilesharing';
const LEGACY = '/ocs/v2.php/cloud/shares';

interface PartnerAnswer {
  readonly status: number;
  readonly body: unknown;
}

const no = (status: number, message = ''): PartnerAnswer => ({ status, body: { message } });
const PAGE: PartnerAnswer = { status: 404, body: undefined };
const legacy = (statuscode: number, message: string | null, data: unknown = []): PartnerAnswer => ({
  status: statuscode,
  body: { ocs: { meta: { status: '', statuscode, message }, data } },
});

/** Like ownCloud, except for its answers to requests for reshares. */
class Owner {
  ocm: PartnerAnswer = PAGE;
  legacy: PartnerAnswer = PAGE;

  start() {
    return startFakeServer(({ method, path }, response) => {
      const { ocm, legacy: old } = this;
      const base = `http://${response.req.headers.host}`;
      if (path === '/ocm-provider/') return replyJson(response, 200, ownCloudDocument(`${base}${OCM}`));
      if (path === '/ocs-provider/')
        return replyJson(response, 200, {
          services: { FEDERATED_SHARING: { endpoints: { share: LEGACY, webdav: '/public.php/webdav/' } } },
        });
      const said = path.startsWith(`${OCM}/notifications`) ? ocm : path.includes('/reshare') ? old : PAGE;
      if (method !== 'POST' || said.body === undefined) {
        response.writeHead(404, { 'content-type': 'text/html' });
        response.end('<html>nothing here</html>');
      } else replyJson(response, said.status, said.body);
    });
  }
}

describe('the answer of a server to a request for a reshare', () => {
  const owner = new Owner();
  let server: Awaited<ReturnType<Owner['start']>>;
  let third: FakePartner;
  let world: OutgoingWorld;
  beforeAll(async () => {
    [world, server, third] = await Promise.all([
      OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '10s' }),
      owner.start(),
      startOwnCloud(),
    ]);
    owner.ocm = { status: 201, body: [] };
    await fetch(`${world.sharing.gateway.url}/ocm/shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{
          shareWith: `alice@${hostOf({ url: world.sharing.gateway.url })}`,
          name: 'theirs',
          providerId: '55',
        },
        ...{
          owner: `olga@${server.url}`,
          sender: `olga@${server.url}`,
          shareType: 'user',
          resourceType: 'file',
        },
        protocol: { name: 'webdav', options: { sharedSecret: 'SecretOf55' } },
      }),
    });
    const { data } = await world.sharing.must('GET', `${REMOTE_SHARES}/pending`, { as: 'alice' });
    const [{ id }] = data as [{ id: number }];
    await world.sharing.must('POST', `${REMOTE_SHARES}/pending/${id}`, { as: 'alice' });
    await eventually('the acceptance', () => server.seen('POST').length > 0);
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([server.close(), third.close()]);
  });
  beforeEach(async () => {
    for (const { id } of await world.list({})) await world.ask('DELETE', `/${String(id)}`);
  });

  const share = () =>
    world.ask('POST', '', { path: '/theirs', shareType: '6', shareWith: `bob@${hostOf(third)}` });
  const requests = (): number =>
    server.requests.filter(({ body, path }) => body.includes('REQUEST_RESHARE') || path.includes('/reshare'))
      .length;

  it.each<[string, PartnerAnswer, PartnerAnswer]>([
    ['a server error', no(500), PAGE],
    ['a refusal because it does not support the request', no(501, 'unsupported'), PAGE],
    [
      'a refusal because it does not support the request, in both dialects',
      no(501),
      legacy(501, 'unsupported'),
    ],
    ['an HTML page', PAGE, PAGE],
  ])('%s: this server makes the share itself', async (_what, ocm, old) => {
    Object.assign(owner, { ocm, legacy: old });
    const before = third.taken.length;
    const record = recordOf(await share());
    expect(record).toMatchObject({
      delivery_state: 'delivered',
      uid_file_owner: 'alice',
      delivery_error: null,
    });
    expect(third.taken.slice(before)).toMatchObject([{ providerId: record.id, recipient: 'bob' }]);
  });

  it('a grant without the secret: the request is repeated once, in the other dialect', async () => {
    owner.ocm = { status: 201, body: [] };
    owner.legacy = legacy(200, null, { token: 'GrantedByLegacy22', remoteId: '77' });
    const [before, taken] = [requests(), third.taken.length];
    expect(recordOf(await share())).toMatchObject({
      token: 'GrantedByLegacy22',
      uid_file_owner: `olga@${server.url}`,
    });
    expect([requests() - before, third.taken.length - taken]).toEqual([2, 0]);
  });

  it.each<[string, PartnerAnswer, PartnerAnswer, RegExp]>([
    ['a refusal', no(403, 'Sharing on is not allowed'), PAGE, /Sharing on is not allowed/],
    [
      'a refusal because the account is unknown',
      no(400, 'User bob does not exist'),
      PAGE,
      /User bob does not exist/,
    ],
    [
      'an incomplete grant in both dialects',
      { status: 201, body: [] },
      legacy(400, null),
      /without its secret/,
    ],
  ])('%s: the call fails with the same text, and no share remains', async (_what, ocm, old, words) => {
    Object.assign(owner, { ocm, legacy: old });
    const taken = third.taken.length;
    const { code, message } = await share();
    expect(code).toBe(403);
    expect(message).toMatch(words);
    expect([await world.list({}), third.taken.length]).toEqual([[], taken]);
  });

  it('a busy server: the share waits, and the request is repeated', async () => {
    Object.assign(owner, { ocm: { status: 503, body: { message: 'later' } }, legacy: PAGE });
    const { id, delivery_state: state } = recordOf(await share());
    expect(state).toBe('retrying');
    owner.ocm = { status: 201, body: { sharedSecret: 'GrantedLater22', providerId: '78' } };
    const record = await world.settled(id, { delivery_state: 'delivered' });
    expect(record).toMatchObject({ token: 'GrantedLater22' });
  });
});
