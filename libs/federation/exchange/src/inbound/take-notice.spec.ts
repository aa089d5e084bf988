import { FederationRefused, parseCloudId, SecretText, type PartnerNotice } from '#federation/protocol';
import { InMemoryExchange } from '../../../../testing/src/fakes/in-memory-exchange';
import type { OfferedToUs } from '../ports/received-share-changes';
import type { SenderCheck } from '../ports/sender-proof';
import { takeNotice } from './take-notice';

const HOST = 'there.example.org';
const THIRD = 'third.example.org';
const SECRET = 'abcdefghijklmnop';

/** Treats every message as unsigned, as most partners send them. */
const UNSIGNED: SenderCheck = {
  among: (hosts) => Promise.resolve({ proof: 'unsigned', hosts }),
  signers: () => Promise.resolve([]),
};
const signedBy = (host: string): SenderCheck => ({
  among: () => Promise.resolve({ proof: 'signed', hosts: [host] }),
  signers: (hosts) => Promise.resolve(hosts.filter((one) => one === host)),
});
const REFUSING: SenderCheck = {
  among: () => Promise.reject(new FederationRefused('signature-missing')),
  signers: () => Promise.reject(new FederationRefused('signature-missing')),
};

let world: InMemoryExchange;
beforeEach(() => {
  world = new InMemoryExchange();
});

const about = (id: number | string, secret: string | null = SECRET) =>
  ({
    dialect: 'ocm',
    providerId: String(id),
    sharedSecret: secret === null ? null : new SecretText(secret),
    grantee: null,
  }) as const;
const take = (notice: PartnerNotice, check = UNSIGNED) => takeNotice(world, notice, check);
const refusal = (taking: Promise<unknown>): Promise<string | undefined> =>
  taking.then(
    () => undefined,
    (error: unknown) => (error instanceof FederationRefused ? error.refusal : Promise.reject(error as Error)),
  );

describe('a notice about a share of ours, without a database', () => {
  it('accepts the share with its id and secret', async () => {
    const id = world.addOurShare(HOST, SECRET);
    await take({ kind: 'share-accepted', ...about(id) });
    expect(world.ourShares.get(id)).toMatchObject({ accepted: true });
  });

  it('records that the share was seen', async () => {
    const id = world.addOurShare(HOST, SECRET);
    await take({ kind: 'share-seen', ...about(id) });
    expect(world.ourShares.get(id)).toMatchObject({ seen: true, accepted: false });
  });

  it.each(['share-seen', 'share-accepted', 'share-declined', 'reshare-undone'] as const)(
    'refuses %s with another secret, and changes nothing',
    async (kind) => {
      const id = world.addOurShare(HOST, SECRET);
      expect(await refusal(take({ kind, ...about(id, 'another-secret') }))).toBe('secret-wrong');
      expect(world.ourShares.get(id)).toMatchObject({ accepted: false });
    },
  );

  it('is accepted by the signature of the share’s own partner if it has no secret', async () => {
    const id = world.addOurShare(HOST, SECRET);
    const notice = { kind: 'share-accepted', ...about(id, null) } as const;
    expect(await refusal(take(notice))).toBe('fields-missing');
    expect(await refusal(take(notice, signedBy(THIRD)))).toBe('fields-missing');
    await take(notice, signedBy(HOST));
    expect(world.ourShares.get(id)).toMatchObject({ accepted: true });
  });

  it('ends a declined share, and answers the same when it is repeated', async () => {
    const id = world.addOurShare(HOST, SECRET);
    const notice = { kind: 'share-declined', ...about(id) } as const;
    await take(notice);
    await take(notice);
    expect(world.ourShares.has(id)).toBe(false);
  });

  it('does not end a share with a group when one member declines it', async () => {
    const id = world.addOurShare(HOST, SECRET, { isForGroup: true });
    await take({ kind: 'share-accepted', ...about(id) });
    await take({ kind: 'share-declined', ...about(id) });
    await take({ kind: 'share-declined', ...about(id) });
    expect(world.ourShares.get(id)).toMatchObject({ accepted: true });
    const notice = { kind: 'share-declined', ...about(id, 'another-secret') } as const;
    expect(await refusal(take(notice))).toBe('secret-wrong');
  });

  it('does not end a share at the first of two declines if the offer may have arrived twice', async () => {
    const id = world.addOurShare(HOST, SECRET, { mayBeThereTwice: true });
    await take({ kind: 'share-accepted', ...about(id) });
    await take({ kind: 'share-declined', ...about(id) });
    expect(world.ourShares.get(id)).toMatchObject({ accepted: false });
    await take({ kind: 'share-declined', ...about(id) });
    expect(world.ourShares.has(id)).toBe(false);
  });

  it('lets a requester change a reshare within its own permissions, and informs the recipient', async () => {
    const id = world.addOurShare(HOST, SECRET, { requester: THIRD, permissions: 15 });
    const change = { kind: 'reshare-permissions', exact: true, ...about(id) } as const;
    expect(await refusal(take({ ...change, permissions: 31 }))).toBe('permission-refused');
    await take({ ...change, permissions: 1 });
    expect(world.ourShares.get(id)).toMatchObject({ permissions: 1 });
    expect(world.sent).toEqual([`share ${id}: permissions 1`]);
  });

  it('ends a reshare for its recipient when its requester undoes it', async () => {
    const id = world.addOurShare(HOST, SECRET, { requester: THIRD });
    await take({ kind: 'reshare-undone', ...about(id) });
    expect(world.ourShares.has(id)).toBe(false);
    expect(world.sent).toEqual([`share ${id}: taken back`]);
  });

  it('is refused while outgoing shares are switched off, except an end by the owner’s server', async () => {
    world.settings.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    const id = world.addOurShare(HOST, SECRET);
    const granted = world.addOurShare(HOST, SECRET, { isGranted: true });
    expect(await refusal(take({ kind: 'share-accepted', ...about(id) }))).toBe('outgoing-disabled');
    await take({ kind: 'reshare-undone', ...about(granted) });
    expect([...world.ourShares.keys()]).toEqual([id]);
  });
});

describe('a request for a reshare, without a database', () => {
  const request = (
    id: number,
    shareWith = `carl@${THIRD}`,
    requesterShareId = '70',
    permissions: number | null = null,
  ): PartnerNotice => ({
    kind: 'reshare-requested',
    shareWith: parseCloudId(shareWith),
    requesterShareId,
    permissions,
    ...about(id),
  });

  it('makes one share of our own and one offer to its recipient’s server, even if it is repeated', async () => {
    const id = world.addOurShare(HOST, SECRET);
    const grant = await take(request(id));
    expect(await take(request(id))).toEqual(grant);
    expect(world.ourShares.size).toBe(2);
    expect(world.sent).toEqual([`share ${grant!.providerId}: offered to carl@${THIRD} by bea@${HOST}`]);
    expect(world.ourShares.get(Number(grant!.providerId))).toMatchObject({ requesterShareId: '70' });
  });

  it('is refused without the permission to share, for the owner, and for a denied partner', async () => {
    const plain = world.addOurShare(HOST, SECRET, { permissions: 15 });
    expect(await refusal(take(request(plain)))).toBe('reshare-refused');
    const id = world.addOurShare(HOST, SECRET);
    expect(await refusal(take(request(id, 'alice@here.example.org')))).toBe('reshare-refused');
    world.trust.set(THIRD, 'denied');
    expect(await refusal(take(request(id)))).toBe('partner-not-allowed');
    expect(world.entered.has(THIRD)).toBe(false);
    expect(world.sent).toEqual([]);
  });

  it('gets the share that was made before from a server that lost it, without a second offer', async () => {
    const id = world.addOurShare(HOST, SECRET);
    const grant = await take(request(id));
    const again = (of: number): PartnerNotice => request(of, undefined, '71', 1);
    expect(await take(again(id))).toEqual(grant);
    const share = Number(grant!.providerId);
    expect(world.ourShares.get(share)).toMatchObject({ requesterShareId: '71', permissions: 1 });
    expect(world.sent).toEqual([
      `share ${share}: offered to carl@${THIRD} by bea@${HOST}`,
      `share ${share}: permissions 1`,
    ]);
    const ofAnother = world.addOurShare(HOST, SECRET);
    expect(await refusal(take(again(ofAnother)))).toBe('field-invalid');
  });

  it('does not show the secret of a share that the recipient already has', async () => {
    const id = world.addOurShare(HOST, SECRET);
    world.addOurShare(THIRD, 'of-another-person');
    expect(await refusal(take(request(id, `bea@${THIRD}`)))).toBe('field-invalid');
  });
});

describe('a notice about a received share, without a database', () => {
  const offered = async (hostKey = HOST): Promise<void> => {
    const offer: Partial<OfferedToUs> = {
      peerId: world.enter(hostKey).id,
      providerId: '7',
      tokenHmac: world.secrets.lookup(SECRET),
      kind: 'file',
      permissions: 1,
    };
    await world.received.insert(offer as OfferedToUs, ['alice'], '');
  };

  it('ends the share that its owner ended, even if sharing is switched off', async () => {
    world.settings.set('files_sharing/incoming_server2server_share_enabled', 'no');
    await offered();
    await take({ kind: 'share-unshared', ...about(7) });
    expect(world.receivedShares).toMatchObject([{ state: 'gone' }]);
  });

  it('is recorded as a guess if it is about an unknown share', async () => {
    await take({ kind: 'share-unshared', ...about(7) });
    expect(world.sent).toEqual(['unknown share']);
  });

  it('puts a share in doubt, and does not end it, if its sender is not proven', async () => {
    await offered();
    expect(await refusal(take({ kind: 'share-unshared', ...about(7) }, REFUSING))).toBe('signature-missing');
    expect(world.receivedShares).toMatchObject([{ state: 'pending', inDoubt: true }]);
  });

  it('applies to the share of the server that signed it, if several have the same id and secret', async () => {
    await offered(HOST);
    await offered(THIRD);
    await take({ kind: 'share-unshared', ...about(7) }, signedBy(THIRD));
    const states = world.receivedShares.map(({ peerId, state }) => [peerId, state]);
    expect(states).toEqual([
      [world.entered.get(HOST), 'pending'],
      [world.entered.get(THIRD), 'gone'],
    ]);
  });

  it('reads changed content at once, even if another partner offered the same id', async () => {
    await offered(HOST);
    await offered(THIRD);
    const notice = { kind: 'content-changed', etag: 'e7a9', ...about(7) } as const;
    await take(notice, signedBy(THIRD));
    expect(world.receivedShares.map(({ dueFor }) => dueFor)).toEqual([null, 'e7a9']);
    expect(await refusal(take({ ...notice, ...about(8) }))).toBe('share-unknown');
  });

  it('gives no permissions that the kind of node cannot have', async () => {
    await offered();
    await take({ kind: 'share-permissions', exact: true, permissions: 31, ...about(7) });
    expect(world.receivedShares).toMatchObject([{ permissions: 19 }]);
  });

  it.each([
    ['a day', 4_102_444_800, new Date('2100-01-01')],
    ['a date after the year 9999', 1_796_169_600_000, null],
    ['a second that no date can have', 8_640_000_000_001, null],
  ])('takes %s as the new expiry like that of an offer', async (_name, expiresAt, expected) => {
    await offered();
    const change = { permissions: 1, expiresAt, ...about(7) };
    await take({ kind: 'share-permissions', exact: true, ...change });
    expect(world.receivedShares).toMatchObject([{ expiresAt: expected }]);
  });
});
