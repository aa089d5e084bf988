import { basicAuth, startOwnCloud, type FakePartner } from '../../libs/testing/src';
import { PASSWORD, type EdgeReply } from '../edge/edge-client';
import { hasForm, readCapture, type WireReply } from '../shapes/capture';
import { goldenOf } from '../shapes/golden';
import { MANIFEST } from '../shapes/manifest';
import { hostOf, OutgoingWorld } from './outgoing-world';

/** Address of the recipient's server in the recordings. */
const RECORDED_HOST = 'oc-b.test:17792';

/** In the order of their recording. */
const CALLS: readonly string[] = [
  ...['create.file.v1.json', 'create.file2.v2.json', 'create.folder.v1.xml', 'create.with-expiry.v1.json'],
  ...['create.dup.v1.json', 'create.dup.v2.json', 'create.nosharewith.v1.json'],
  ...['owner.get.v1.json', 'owner.get.v1.xml', 'owner.list.v1.json', 'owner.get.after-accept.v1.json'],
  ...['update.permissions.v1.json', 'update.expireDate.v1.json'],
  ...['owner.get.after-decline.v1.json', 'owner.get.after-unshare.v1.json'],
  ...['owner.delete.v1.json', 'owner.delete.pending.v1.json'],
];

/** Fields that deployed servers do not have. */
const OWN =
  'delivery_state|delivery_attempts|delivery_next_attempt|delivery_error|acceptance|acceptance_source';

const withoutOwn = (body: string): string =>
  body
    .replace(new RegExp(`,"(?:${OWN})":(?:"[^"]*"|null|\\d+)`, 'g'), '')
    .replace(new RegExp(`\\n\\s*<(${OWN})(?:/>|>[^<]*</\\1>)`, 'g'), '');

/** The calls of an owner about shares with people of another server, compared with the recorded ones byte by byte. */
describe('calls of an owner to a deployed server', () => {
  let world: OutgoingWorld;
  let partner: FakePartner;
  /** Our shares, by the recorded ids. */
  const shares = new Map<string, { readonly id: string; readonly token: string }>();

  beforeAll(async () => {
    [world, partner] = await Promise.all([
      OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '10s' }),
      startOwnCloud(),
    ]);
    const form = { key: 'display', value: 'Alice Example' };
    await world.sharing.must('PUT', '/cloud/users/alice', { form });
    for (const name of ['f1.txt', 'f2.txt', 'f3.txt', 'f4.txt']) await world.sharing.put('alice', `/${name}`);
    await world.sharing.makeFolder('alice', '/fdir');
  });
  afterAll(async () => {
    await world.stop();
    await partner.close();
  });

  /** The recorded call, with our host and share id. */
  async function replay(name: string): Promise<EdgeReply> {
    const capture = readCapture('federation', name);
    const { method, target, body } = capture;
    const reply = await world.sharing.client.send({
      method,
      target: target.replace(/(?<=\/shares\/)\d+/, (id) => shares.get(id)?.id ?? id),
      headers: {
        authorization: basicAuth('alice', PASSWORD),
        ...(hasForm(capture) && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: body?.replace(encodeURIComponent(RECORDED_HOST), encodeURIComponent(hostOf(partner))),
    });
    const made = idAndToken(capture.reply.body);
    const ours = idAndToken(reply.body);
    if (method === 'POST' && made && ours) shares.set(made.id, ours);
    return reply;
  }

  function idAndToken(body: string): { id: string; token: string } | undefined {
    const id = /"id":"(\d+)"|<id>(\d+)</.exec(body);
    const token = /"token":"(\w+)"|<token>(\w+)</.exec(body);
    return id && token ? { id: (id[1] ?? id[2])!, token: (token[1] ?? token[2])! } : undefined;
  }

  /** The recipient's server gives a share back. */
  async function declined(recordedId: string): Promise<void> {
    const { id, token } = shares.get(recordedId)!;
    const body = JSON.stringify({
      notificationType: 'SHARE_DECLINED',
      resourceType: 'file',
      providerId: id,
      notification: { sharedSecret: token, message: 'Recipient declined the share' },
    });
    const headers = { 'content-type': 'application/json' };
    const target = '/ocm/notifications';
    const { status } = await world.sharing.client.send({ method: 'POST', target, headers, body });
    if (status !== 201) throw new Error(`the notification got HTTP ${status}`);
  }

  const BEFORE: Readonly<Record<string, () => Promise<void>>> = {
    'owner.get.after-decline.v1.json': () => declined('54'),
    'owner.get.after-unshare.v1.json': () => declined('55'),
  };

  it('include all recorded calls', () => {
    const compared = MANIFEST['federation']!.compared.filter((name) => /^(create|owner|update)\./.test(name));
    expect([...CALLS].sort()).toEqual([...compared].sort());
  });

  it.each(CALLS)('%s', async (name) => {
    await BEFORE[name]?.();
    const { status, headers, body } = await replay(name);
    const recorded = readCapture('federation', name).reply;
    const ours = { status, headers: headers as WireReply['headers'], body: withoutOwn(body) };
    const expected = { ...recorded, body: recorded.body.replaceAll(RECORDED_HOST, hostOf(partner)) };
    expect(goldenOf(ours)).toEqual(goldenOf(expected));
  });
});
