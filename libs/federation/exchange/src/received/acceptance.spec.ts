import type { PartnerTrust } from '#sharing';
import { InMemoryExchange } from '../../../../testing/src/fakes/in-memory-exchange';
import type { OfferedToUs } from '../ports/received-share-changes';
import { acceptAwaited } from './accept-awaited';
import { autoAccept } from './auto-accept';
import { acceptReceived, declineReceived } from './decide-received';

const HOST = 'there.example.org';

let world: InMemoryExchange;
beforeEach(() => {
  world = new InMemoryExchange();
  world.addUser('alice');
});

/** Stores an offer of the host. */
async function offered(providerId: string, given: Partial<OfferedToUs> = {}): Promise<number> {
  const person = { owner: `bea@${HOST}`, sender: `bea@${HOST}`, ownerDisplayName: '', senderDisplayName: '' };
  const offer: OfferedToUs = {
    ...{ peerId: world.enter(HOST).id, providerId, name: 'plans', description: '' },
    ...{
      tokenHmac: Buffer.from(providerId),
      tokenEnc: Buffer.from('sealed'),
      kind: 'folder',
      permissions: 31,
    },
    ...{ ...person, expiresAt: null, dialect: 'ocm-webdav', access: {}, verified: true },
    webappTokenEnc: null,
    ...given,
  };
  return (await world.received.insert(offer, ['alice'], 'an offer')).get('alice') as number;
}
const shareOf = (id: number) => world.receivedShares.find((share) => share.id === id)!;

describe('a decision on a received share, without a database', () => {
  it('gives an accepted share its place, and sends the acceptance to its owner’s server', async () => {
    const id = await offered('7');
    const placed = await acceptReceived(world.acceptance, shareOf(id), '/Shares');
    expect(placed).toEqual({ fileTarget: '/Shares/plans', revision: 1 });
    expect(shareOf(id)).toMatchObject({ state: 'accepted', fileTarget: '/Shares/plans' });
    expect(world.sent.slice(1)).toEqual([
      `to alice: nothing more about ${id}`,
      `to partner ${world.enter(HOST).id}: received-accept of alice@https://here.example.org`,
    ]);
  });

  it('gives a share without files no place', async () => {
    const id = await offered('7', { access: { hasFiles: false } });
    expect(await acceptReceived(world.acceptance, shareOf(id), '/Shares')).toEqual({
      fileTarget: null,
      revision: 1,
    });
    expect(shareOf(id)).toMatchObject({ state: 'accepted', fileTarget: null });
  });

  it('gives a share another name if its own is taken', async () => {
    const [first, second] = [await offered('7'), await offered('8')];
    await acceptReceived(world.acceptance, shareOf(first), '/');
    await acceptReceived(world.acceptance, shareOf(second), '/');
    expect(shareOf(second).fileTarget).toBe('/plans (2)');
  });

  it('removes the place of a share that the recipient left', async () => {
    const id = await offered('7');
    await acceptReceived(world.acceptance, shareOf(id), '/');
    await declineReceived(world.acceptance, shareOf(id), null);
    expect(shareOf(id)).toMatchObject({ state: 'declined', fileTarget: null });
    expect(world.sent.at(-1)).toContain('received-decline');
  });

  it('sends no message to the server of a group share, which continues for other members', async () => {
    const id = await offered('7', { access: { group: 'team' } });
    await acceptReceived(world.acceptance, shareOf(id), '/');
    await declineReceived(world.acceptance, shareOf(id), null);
    const told = world.sent.filter((line) => line.startsWith('to partner'));
    expect(told).toEqual([expect.stringContaining('received-accept')]);
  });

  it('sends no message to the server of a public link', async () => {
    const id = await offered('7', { dialect: 'public-link' });
    await acceptReceived(world.acceptance, shareOf(id), '/');
    expect(world.sent.some((line) => line.startsWith('to partner'))).toBe(false);
  });
});

describe('a verified offer, without a database', () => {
  const verified = async (given: Partial<OfferedToUs> = {}): Promise<string> => {
    const receivedShareId = await offered('7', given);
    const { peerId, recipientUid } = shareOf(receivedShareId);
    await autoAccept(world.acceptance, { receivedShareId, recipientUid, peerId });
    return shareOf(receivedShareId).state;
  };
  beforeEach(() => {
    world.settings.set('federatedfilesharing/auto_accept_trusted', 'yes');
    world.trust.set(HOST, 'trusted');
  });

  it('is accepted automatically', async () => {
    expect(await verified()).toBe('accepted');
    expect(world.acceptance.acceptor).toBe('gateway');
  });

  it.each<PartnerTrust>(['unknown', 'allowed', 'invited', 'denied'])(
    'waits if its partner is only %s',
    async (trust) => {
      world.trust.set(HOST, trust);
      expect(await verified()).toBe('pending');
    },
  );

  it('waits if the administrator does not allow it', async () => {
    world.settings.set('federatedfilesharing/auto_accept_trusted', 'no');
    expect(await verified()).toBe('pending');
  });

  it('waits if its recipient wants to decide', async () => {
    world.acceptance.preferences.set('alice', { 'federatedfilesharing/auto_accept_share_trusted': 'no' });
    expect(await verified()).toBe('pending');
  });

  it('waits if its recipient is not known', async () => {
    expect(await verified({ access: { senderUnknown: true } })).toBe('pending');
  });

  it('keeps the decision that its recipient made meanwhile', async () => {
    const receivedShareId = await offered('7');
    await declineReceived(world.acceptance, shareOf(receivedShareId), null);
    const { peerId } = shareOf(receivedShareId);
    await autoAccept(world.acceptance, { receivedShareId, recipientUid: 'alice', peerId });
    expect(shareOf(receivedShareId).state).toBe('declined');
  });
});

describe('offers for links that a user saves, without a database', () => {
  const accept = (): Promise<void> => acceptAwaited(world.acceptance, 'alice', world.enter(HOST).id);
  const states = (): string[] => world.receivedShares.map(({ state }) => state);
  const link = (providerId: string | null): number =>
    world.acceptance.addLink('alice', world.enter(HOST).id, providerId);
  const savedAs = (): (number | null)[] => world.acceptance.links.map(({ shareId }) => shareId);

  it('are accepted on behalf of the user', async () => {
    link('8');
    const [, second] = [await offered('7'), await offered('8')];
    await accept();
    expect(states()).toEqual(['pending', 'accepted']);
    expect(savedAs()).toEqual([second]);
    expect(world.acceptance.acceptor).toEqual({ uid: 'alice' });
  });

  it('wait for the user if the server sent no id and offers more permissions than requested', async () => {
    link(null);
    await offered('7');
    await offered('8');
    await accept();
    expect(states()).toEqual(['pending', 'pending']);
  });

  it('are matched in the order of arrival if the server sent no ids', async () => {
    link(null);
    link(null);
    const shares = [await offered('7'), await offered('8')];
    await accept();
    expect(savedAs()).toEqual(shares);
  });

  it('wait if their user is not known', async () => {
    link('7');
    await offered('7', { access: { senderUnknown: true } });
    await accept();
    expect(states()).toEqual(['pending']);
  });

  it('save the link again if the share is already mounted', async () => {
    const id = await offered('7');
    await acceptReceived(world.acceptance, shareOf(id), '/');
    link('7');
    await accept();
    expect(savedAs()).toEqual([id]);
  });
});
