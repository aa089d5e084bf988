import { startMisbehaving, startOwnCloud, type FakePartner, type FakeServer } from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { offerBody, offerForm } from './inbound-partner';
import { AMONG_FAKES, hostOf } from './outgoing-world';

const NOBODY = '127.0.0.1:9';

describe('offers if only listed partners are allowed', () => {
  let people: SharingGateway;
  let partner: FakePartner;
  let silent: FakeServer;
  beforeAll(async () => {
    [partner, silent] = await Promise.all([startOwnCloud(), startMisbehaving('hang', { at: 'discovery' })]);
    people = await SharingGateway.start({ env: AMONG_FAKES });
    await people.addUsers('alice');
    const hosts = [hostOf(partner), hostOf(silent), NOBODY];
    await people.set('federatedfilesharing/allowed_hosts', JSON.stringify(hosts));
  });
  afterAll(async () => {
    await people?.stop();
    await Promise.all([partner.close(), silent.close()]);
  });

  let count = 0;
  const offer = async (host: string): Promise<Response> => {
    const address = `rem@http://${host}`;
    const body = { ...offerBody(String(++count), `SecretNumber${count}`), owner: address, sender: address };
    return fetch(`${people.gateway.url}/ocm/shares`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  };
  const stored = (host: string): Promise<{ verified: boolean }[]> =>
    people.query(
      'SELECT r.verified FROM received_share r JOIN peer p ON p.id = r.peer_id WHERE p.host_key = $1',
      [host],
    );

  it('are accepted after one discovery from a server that is a partner', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => offer(hostOf(partner))));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(201));
    const questions = partner.seen('GET');
    expect(questions.filter((question) => question === 'GET /ocm-provider/')).toHaveLength(1);
    expect((await offer(hostOf(partner))).status).toBe(201);
    expect(partner.seen('GET')).toEqual(questions);
    expect(await stored(hostOf(partner))).toHaveLength(11);
  });

  it.each([
    ['is not there', () => NOBODY],
    ['does not answer in time', () => hostOf(silent)],
  ])('have to be repeated if their server %s', async (_what, host) => {
    const refused = await offer(host());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '120']);
    expect(await stored(host())).toEqual([]);
  });

  it('have to be repeated in the legacy dialect too', async () => {
    const body = new URLSearchParams({
      ...offerForm('77', 'SecretOfLegacy'),
      remote: `http://${NOBODY}/`,
      ownerFederatedId: `rem@${NOBODY}`,
    });
    const url = `${people.gateway.url}/ocs/v2.php/cloud/shares?format=json`;
    const refused = await fetch(url, { method: 'POST', body });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '120']);
    expect(await stored(NOBODY)).toEqual([]);
  });

  it('of other servers are refused without a request', async () => {
    const stranger = await startOwnCloud();
    try {
      expect((await offer(hostOf(stranger))).status).toBe(403);
      expect(stranger.seen('GET')).toEqual([]);
    } finally {
      await stranger.close();
    }
  });

  it('are accepted without a request if there is no list', async () => {
    await people.unset('federatedfilesharing/allowed_hosts');
    expect((await offer(NOBODY)).status).toBe(201);
    expect(await stored(NOBODY)).toEqual([{ verified: false }]);
  });
});
