import { createLogger } from '#platform';
import { eventually, startOwnCloud, type FakePartner } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { AMONG_FAKES, hostOf, SHARES } from '../federation/outgoing-world';

type Line = Readonly<Record<string, unknown>>;

const LOOPBACK = '127.0.0.0/8';
const MADE_HERE = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe.each([LOOPBACK, ''])('with the trusted proxies %j', (trustedProxies) => {
  const lines: string[] = [];
  let partner: FakePartner;
  let world: SharingWorld;
  beforeAll(async () => {
    partner = await startOwnCloud();
    world = await SharingWorld.start({
      compatibility: 'owncloud10',
      env: { ...AMONG_FAKES, TRUSTED_PROXIES: trustedProxies },
      logger: createLogger('debug', { write: (line) => void lines.push(line) }),
    });
    await world.addUser('alice');
  });
  afterAll(async () => {
    await world.stop();
    await partner.close();
  });

  /**
   * Shares a file with a user at the partner. @returns the id in the reply, and the worker's log line about the message
   */
  async function share(
    name: string,
    requestId: string,
  ): Promise<{ id: string; replied: unknown; sent: Line }> {
    await world.put('alice', `/${name}`);
    const { headers, data } = await world.must('POST', SHARES, {
      as: 'alice',
      form: { path: `/${name}`, shareType: '6', shareWith: `bob@${hostOf(partner)}` },
      headers: { 'x-request-id': requestId },
    });
    const { id } = data as { id: string };
    return { id, replied: headers['x-request-id'], sent: await lineOf('share-create') };
  }

  /** The worker's last log line about a message of this kind. */
  const lineOf = (kind: string): Promise<Line> =>
    eventually('the line of the worker', () =>
      lines
        .map((line) => JSON.parse(line) as Line)
        .findLast((line) => line.msg === 'a message was sent' && line.kind === kind),
    );

  it('the id of a request is in its answer, in the lines of the worker, and in calls to the partner', async () => {
    const { replied, sent } = await share('one.txt', 'from-the-proxy.1');
    if (trustedProxies === LOOPBACK) expect(replied).toBe('from-the-proxy.1');
    else expect(replied).toMatch(MADE_HERE);
    expect(sent).toMatchObject({
      requestId: replied,
      subsystem: 'delivery',
      kind: 'share-create',
      partner: hostOf(partner),
      outcome: 'delivered',
    });
    const [offer] = partner.requests.filter(({ method }) => method === 'POST');
    expect(offer!.headers['x-request-id']).toBe(replied);
    expect(offer!.headers.traceparent).toBeUndefined();
  });

  it('the id is also kept for a message that a trigger writes', async () => {
    const { id } = await share('two.txt', 'the-first');
    const { headers } = await world.must('DELETE', `${SHARES}/${id}`, { as: 'alice' });
    expect((await lineOf('share-unshare')).requestId).toBe(headers['x-request-id']);
  });

  it.each(['two words', 'x'.repeat(65), '-', '"'])('%j is no id', async (given) => {
    const { headers } = await world.client.send({
      target: '/status.php',
      headers: { 'x-request-id': given },
    });
    expect(headers['x-request-id']).toMatch(MADE_HERE);
  });
});
