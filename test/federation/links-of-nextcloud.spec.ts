import { eventually } from '../../libs/testing/src';
import { reply, replyJson, startFakeServer, type FakeServer } from '../../libs/testing/src/partners';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const REMOTE = '/apps/files_sharing/api/v1/remote_shares';
const CALL = '/index.php/apps/federatedfilesharing/createFederatedShare';

let here: SharingGateway;
let there: FakeServer;
/** Names of the shares that the server offers after a request for a link. */
let offers: string[] = [];
/** Whether it offers them only after it answered. */
let isLate = false;
let made = 0;

beforeAll(async () => {
  here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '15s' } });
  await here.addUsers('bob');
  there = await startNextcloud();
});
afterAll(() => Promise.all([here?.stop(), there?.close()]));
beforeEach(() => void ([offers, isLate] = [[], false]));

/** Answers like Nextcloud when a user saves one of its links: it offers a share by itself, and sends no id of it. */
function startNextcloud(): Promise<FakeServer> {
  return startFakeServer(({ method, path, body }, response) => {
    const at = path.split('?')[0]!;
    if (at === '/.well-known/ocm' || at.startsWith('/ocm-provider'))
      return replyJson(response, 200, discovery());
    if (at === CALL && method === 'POST') {
      const form = Object.fromEntries(new URLSearchParams(body));
      if (form.token !== 'AbcDefGhiJklMno')
        return replyJson(response, 400, { message: 'Wrong share ID, share does not exist' });
      if (form.password !== 'sesame')
        return replyJson(response, 400, { message: 'No permission to access the share' });
      const answer = (): void => replyJson(response, 200, { remoteUrl: form.shareWith!.split('@')[1] });
      if (isLate) answer();
      return void offerAll(form.shareWith!).then(() => isLate || answer());
    }
    reply(response, at.startsWith('/public.php') ? 401 : 404, '', 'text/plain');
  });
}

const discovery = () => ({
  ...{ enabled: true, apiVersion: '1.0-proposal1', version: '1.1.0', endPoint: `${there.url}/ocm` },
  resourceTypes: [
    { name: 'file', shareTypes: ['user', 'group'], protocols: { webdav: '/public.php/webdav/' } },
  ],
  capabilities: ['invite-accepted', 'notifications', 'shares'],
});

async function offerAll(shareWith: string): Promise<void> {
  for (const name of offers) {
    const owner = `marie@${there.url}`;
    const offer = {
      ...{ shareWith, name, providerId: String((made += 1)), owner, sender: owner, sharedBy: owner },
      ...{ ownerDisplayName: 'Marie', sharedByDisplayName: 'Marie', shareType: 'user', resourceType: 'file' },
      protocol: { name: 'webdav', options: { sharedSecret: `SecretOfShare${made}`, permissions: '{}' } },
    };
    const sent = await fetch(`${here.gateway.url}/ocm/shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(offer),
    });
    if (sent.status !== 201) throw new Error(`the offer was answered ${sent.status}: ${await sent.text()}`);
  }
}

const save = (password = 'sesame', token = 'AbcDefGhiJklMno') =>
  here.ocs('POST', REMOTE, 'bob', { url: `${there.url}/index.php/s/${token}`, password });
const names = async (list: '' | '/pending'): Promise<string[]> =>
  (await here.ocs('GET', REMOTE + list, 'bob')).data.map(({ name }: { name: string }) => name);
const clear = async (): Promise<void> => {
  await here.query('DELETE FROM received_share');
  await here.query('DELETE FROM foreign_link');
};

describe('a public link at Nextcloud', () => {
  afterEach(clear);

  it('is mounted: its server is asked once, with the password in the body, for the cloud id of the user', async () => {
    offers = ['Plans'];
    const before = there.seen('POST').length;
    expect(await save()).toMatchObject({ code: 200, data: { name: '/Plans', mountpoint: '/Plans' } });
    expect(await save()).toMatchObject({ code: 200, data: { mountpoint: '/Plans' } });
    expect(
      there
        .seen('POST')
        .slice(before)
        .filter((line) => line.includes('createFederated')),
    ).toHaveLength(1);
    const asked = there.requests.find(({ path }) => path === CALL)!;
    expect(asked.path).not.toContain('sesame');
    expect(Object.fromEntries(new URLSearchParams(asked.body))).toEqual({
      token: 'AbcDefGhiJklMno',
      password: 'sesame',
      shareWith: `bob@${here.gateway.url}`,
    });
  });

  it('is mounted if its share is offered after the answer', async () => {
    [offers, isLate] = [['Late'], true];
    expect(await save()).toMatchObject({ code: 200, data: { mountpoint: '/Late' } });
  });

  it('leaves the decision to the user if its server offers more permissions than requested', async () => {
    offers = ['Wanted', 'Smuggled'];
    void save().catch(() => undefined);
    await eventually('both offers', async () => (await names('/pending')).length === 2);
    expect(await names('')).toEqual([]);
  });

  it('does not lead to automatic acceptance of other offers of its server', async () => {
    offers = ['Plans'];
    await save();
    offers = ['Other'];
    await offerAll(`bob@${here.gateway.url}`);
    expect([await names(''), await names('/pending')]).toEqual([['/Plans'], ['/Other']]);
  });

  it.each([
    ['wrong', 'AbcDefGhiJklMno', 'No permission to access the share'],
    ['sesame', 'NoSuchLinkThere', 'Wrong share ID, share does not exist'],
  ])('is refused in the words of its server: %s %s', async (password, token, words) => {
    expect(await save(password, token)).toMatchObject({ code: 400, message: expect.stringContaining(words) });
  });
});
