import {
  basicAuth,
  eventually,
  startLegacyServer,
  startOwnCloud,
  type FakePartner,
} from '../../libs/testing/src';
import { PASSWORD } from '../edge/edge-client';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';
import { readServerExchanges, type ServerExchange } from './server-exchange';

/** Hosts of the two recorded servers: the first one shared, the second one received. */
const RECORDED_SENDER = 'oc-a.test:17791';
const RECORDED_RECEIVER = 'oc-b.test:17792';

/** The only message to the partner in a recording, or the last one after discovery. */
function recorded(name: string): ServerExchange {
  const message = readServerExchanges(name).findLast(({ method }) => method === 'POST');
  if (!message) throw new Error(`${name} holds no message`);
  return message;
}

/** Compares our messages with the recorded messages of the reference server about the same share. */
describe('our messages, compared with the recorded ones field by field', () => {
  let world: OutgoingWorld;
  let ownCloud: FakePartner;
  let legacyServer: FakePartner;
  beforeAll(async () => {
    [world, ownCloud, legacyServer] = await Promise.all([
      OutgoingWorld.start(),
      startOwnCloud(),
      startLegacyServer(),
    ]);
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([ownCloud.close(), legacyServer.close()]);
  });

  const ownHost = (): string => new URL(world.sharing.gateway.url).host;
  const onOurHosts = (text: string, partner: FakePartner): string =>
    text.replaceAll(RECORDED_SENDER, ownHost()).replaceAll(RECORDED_RECEIVER, hostOf(partner));
  const lastPost = (partner: FakePartner) => partner.requests.findLast(({ method }) => method === 'POST')!;

  /** Makes the recorded share with the recorded parameters. */
  async function share(name: string, isFolder: boolean, shareWith: string): Promise<Record<string, unknown>> {
    if (!isFolder) return recordOf(await world.offer(name, shareWith));
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    await world.sharing.client.send({ method: 'MKCOL', target: `/remote.php/webdav/${name}`, headers });
    return recordOf(await world.ask('POST', '', { path: `/${name}`, shareType: '6', shareWith }));
  }

  it.each([
    ['02-create-first-share-with-discovery.s2s.txt', false],
    ['03-create-second-share.s2s.txt', false],
    ['04-create-folder.s2s.txt', true],
    ['05-create-with-scheme-and-expiry.s2s.txt', false],
  ])('an offer by OCM: %s', async (recording, isFolder) => {
    const { body, path, contentType } = recorded(recording);
    const expected = JSON.parse(onOurHosts(JSON.stringify(JSON.parse(body)), ownCloud)) as {
      name: string;
      shareWith: string;
      providerId: unknown;
      protocol: { options: { sharedSecret: unknown } };
    };
    const { id, token } = await share(expected.name, isFolder, expected.shareWith);
    expected.providerId = id;
    expected.protocol.options.sharedSecret = token;
    const sent = lastPost(ownCloud);
    expect(sent.path).toBe(path);
    expect(sent.headers['content-type']).toBe(contentType);
    expect(JSON.parse(sent.body)).toEqual(expected);
  });

  it.each(['31-create-l1.s2s.txt', '32-create-l2.s2s.txt', '33-create-ldir.s2s.txt', '34-create-l3.s2s.txt'])(
    'an offer in the legacy dialect: %s',
    async (recording) => {
      const { body, path } = recorded(`legacy/${recording}`);
      const expected = Object.fromEntries(
        new URLSearchParams(onOurHosts(decodeURIComponent(body), legacyServer)),
      );
      const shareWith = `${expected.shareWith}@${hostOf(legacyServer)}`;
      const { id, token } = await share(expected.name!, recording.includes('dir'), shareWith);
      const sent = lastPost(legacyServer);
      expect(sent.path).toBe(path);
      expect(Object.fromEntries(new URLSearchParams(sent.body))).toEqual({
        ...expected,
        token,
        remoteId: id,
        // Here the reference server omits the host of its own user.
        sharedByFederatedId: expected.ownerFederatedId,
      });
    },
  );

  it.each([
    ['21-owner-deletes-accepted-share.s2s.txt', 'ended-accepted.txt'],
    ['22-owner-deletes-pending-share.s2s.txt', 'ended-pending.txt'],
  ])('the end of a share by OCM: %s', async (recording, name) => {
    const { body, path } = recorded(recording);
    const { id, token } = await share(name, false, `bea@${hostOf(ownCloud)}`);
    await world.ask('DELETE', `/${String(id)}`);
    const sent = await eventually('the notice', () =>
      ownCloud.requests.find((request) => request.path === path && request.body.includes(`"${String(id)}"`)),
    );
    const expected = JSON.parse(body) as { notification: object };
    expect(JSON.parse(sent.body)).toEqual({
      ...expected,
      providerId: id,
      notification: { ...expected.notification, sharedSecret: token },
    });
  });
});
