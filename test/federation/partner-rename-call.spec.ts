import { ADMIN, eventually } from '../../libs/testing/src';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const RENAME = '/apps/drawbridge/api/v1/partners/rename';
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

let here: SharingGateway;
let there: SharingGateway;
/** The old partner, and the same server under another name. */
let host: string;
let newHost: string;

beforeAll(async () => {
  const env = { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' };
  [here, there] = await Promise.all([
    SharingGateway.start({ env }),
    SharingGateway.start({ env: AMONG_FAKES }),
  ]);
  await Promise.all([here.addUsers('alice'), there.addUsers('bea')]);
  host = new URL(there.gateway.url).host;
  newHost = `localhost:${new URL(there.gateway.url).port}`;
  const [, port] = new URL(here.gateway.url).host.split(':');
  await there.store('bea', '/plans/', '/plans/a.txt');
  const form = { path: '/plans', shareType: '6', shareWith: `alice@127.0.0.1:${port}` };
  must('share', await there.ocs('POST', SHARES, 'bea', form));
  const offered = async (): Promise<{ id: number } | undefined> =>
    (await here.ocs('GET', `${REMOTE_SHARES}/pending`, 'alice')).data[0];
  await eventually('the offer', async () => (await offered()) !== undefined);
  must('accept', await here.ocs('POST', `${REMOTE_SHARES}/pending/${(await offered())!.id}`, 'alice'));
});
afterAll(() => Promise.all([here?.stop(), there?.stop()]));

function must(what: string, { code, message, data }: Answer): Answer['data'] {
  if (code !== 200) throw new Error(`${what}: ${code} ${message}`);
  return data;
}

const plan = async (to: string): Promise<Record<string, unknown>> =>
  must('plan', await here.ocs('GET', `${RENAME}?host=${host}&newHost=${to}`, ADMIN.uid));
/** Asks again while the rename runs, like the page. */
async function rename(form: Record<string, string>): Promise<Answer> {
  const answer = await here.ocs('POST', RENAME, ADMIN.uid, { host, ...form });
  return answer.data?.state === 'waiting' ? rename(form) : answer;
}

describe('an administrator who renames a partner', () => {
  it('sees the effects before', async () => {
    expect(await plan(newHost)).toMatchObject({
      ...{ from: host, to: newHost, isDone: false, last: null },
      ...{ shares: 0, receivedShares: 1, staying: 0 },
    });
  });

  it.each([
    ['shows none of its shares', () => new URL(here.gateway.url).host, { reason: 'shows-none', words: '' }],
    ['is no server', () => '127.0.0.1:1', { reason: 'new-host', words: 'not-listening' }],
  ])('is refused if the new host %s, and nothing is moved', async (_, other, refusal) => {
    const refused = { state: 'refused', ...refusal };
    expect((await rename({ newHost: other() })).data).toEqual(refused);
    expect(await plan(other())).toMatchObject({ receivedShares: 1, last: refused });
    const { data } = await here.ocs(
      'GET',
      '/apps/audit/api/v1/events?action=partner.rename&outcome=refused',
      ADMIN.uid,
    );
    expect(data[0]).toMatchObject({ actorKind: 'user', actor: ADMIN.uid, objectId: host });
    expect(JSON.parse(data[0].detail)).toEqual({ to: other(), reason: refusal.reason });
  });

  it('lets a worker move everything to a host that shows one of its shares', async () => {
    const { data } = await rename({ newHost });
    expect(data).toMatchObject({ state: 'renamed', proven: 1, asked: 1, receivedShares: 1 });
    expect(await plan(newHost)).toMatchObject({
      ...{ isDone: true, receivedShares: 0 },
      last: { state: 'renamed', receivedShares: 1 },
    });
    const [share] = (await here.ocs('GET', REMOTE_SHARES, 'alice')).data;
    expect(share.remote).toContain(newHost);
    expect(await here.dav('GET', 'alice', `${share.mountpoint}/a.txt`)).toBe(200);
    const done = await here.ocs(
      'GET',
      '/apps/audit/api/v1/events?action=partner.rename&outcome=done',
      ADMIN.uid,
    );
    expect(done.data[0]).toMatchObject({ actorKind: 'user', actor: ADMIN.uid, objectId: host });
  });

  it.each([
    ['the same host', () => ({ newHost: host }), 400],
    ['something that is no host', () => ({ newHost: 'a b' }), 400],
    ['no host', () => ({ newHost: '' }), 400],
    ['a partner that is not known', () => ({ host: 'stranger.example', newHost: 'new.example' }), 404],
  ])('cannot name %s', async (_, form, code) => {
    expect((await rename(form())).code).toBe(code);
  });
});
