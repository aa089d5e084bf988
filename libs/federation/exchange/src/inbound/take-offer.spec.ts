import { FederationRefused, parseOcmOffer, type ShareOffer } from '#federation/protocol';
import { InMemoryExchange } from '../../../../testing/src/fakes/in-memory-exchange';
import type { Proof } from '../ports/sender-proof';
import { takeOffer } from './take-offer';

const HOST = 'there.example.org';
const BODY = {
  shareWith: 'alice@here.example.org',
  name: 'plans',
  providerId: '7',
  owner: `bea@${HOST}`,
  sender: `bea@${HOST}`,
  shareType: 'user',
  resourceType: 'folder',
  protocol: { name: 'webdav', options: { sharedSecret: 'abcdefghijklmnop', permissions: '{}' } },
};

let world: InMemoryExchange;
beforeEach(() => {
  world = new InMemoryExchange();
  world.addUser('alice');
});

const read = (body: object = {}): ShareOffer => parseOcmOffer({ ...BODY, ...body }, new Date());
const offer = (body: object = {}, proof: Proof = 'unsigned'): Promise<{ recipientDisplayName: string }> =>
  takeOffer(
    world,
    () => read(body),
    () => Promise.resolve(proof),
  );
const refusal = (taking: Promise<unknown>): Promise<string | undefined> =>
  taking.then(
    () => undefined,
    (error: unknown) => (error instanceof FederationRefused ? error.refusal : Promise.reject(error as Error)),
  );

describe('an offer of a partner, without a database', () => {
  it('waits for its recipient, who gets a notification about its sender', async () => {
    await expect(offer()).resolves.toEqual({ recipientDisplayName: 'ALICE' });
    expect(world.receivedShares).toMatchObject([
      { providerId: '7', recipientUid: 'alice', name: 'plans', state: 'pending', verified: false },
    ]);
    expect(world.sent).toEqual([`to alice: You received "/plans" as a remote share from bea@${HOST}`]);
  });

  it('changes nothing if it is repeated, and gets the same answer', async () => {
    const first = await offer();
    await expect(offer()).resolves.toEqual(first);
    expect(world.receivedShares).toHaveLength(1);
  });

  describe('with a group', () => {
    const group = { shareType: 'group', shareWith: 'team@here.example.org' };
    const recipients = (): string[] => world.receivedShares.map(({ recipientUid }) => recipientUid);
    beforeEach(() => {
      world.addUser('bob');
      world.groups.set('team', ['alice', 'bob']);
      world.settings.set('files_sharing/incoming_server2server_group_share_enabled', 'yes');
    });

    it.each(['group', 'federation'])('is offered to each member once: %s', async (shareType) => {
      await expect(offer({ ...group, shareType })).resolves.toEqual({ recipientDisplayName: 'team' });
      await offer({ ...group, shareType });
      expect(recipients()).toEqual(['alice', 'bob']);
      expect(world.receivedShares[0]!.access).toMatchObject({ group: 'team' });
    });

    it('leaves out members who do not accept the partner', async () => {
      world.trust.set(HOST, 'invited');
      expect(await refusal(offer(group))).toBe('invitation-needed');
      world.contacts.add(`bob bea@${world.enter(HOST).id}`);
      await offer(group);
      expect(recipients()).toEqual(['bob']);
    });

    it('leaves out members who block its sender, and is refused if all of them do', async () => {
      world.blocked.add(`alice ${HOST}`);
      await expect(offer(group)).resolves.toEqual({ recipientDisplayName: 'team' });
      expect(recipients()).toEqual(['bob']);
      world.blocked.add(`bob ${HOST}`);
      expect(await refusal(offer({ ...group, providerId: '8' }))).toBe('partner-not-allowed');
      expect(recipients()).toEqual(['bob']);
    });

    it('leaves out members without room, and is refused if nobody has room', async () => {
      world.withoutRoom.add('alice');
      await expect(offer(group)).resolves.toEqual({ recipientDisplayName: 'team' });
      expect(recipients()).toEqual(['bob']);
      world.withoutRoom.add('bob');
      await expect(offer(group)).resolves.toEqual({ recipientDisplayName: 'team' });
      expect(await refusal(offer({ ...group, providerId: '8' }))).toBe('temporarily-unavailable');
    });

    it('reaches later members if it is repeated, and changes nothing for the others', async () => {
      world.groups.set('team', ['bob']);
      await offer(group);
      const before = world.receivedShares[0];
      world.groups.set('team', ['alice', 'bob']);
      await offer(group);
      expect(recipients()).toEqual(['bob', 'alice']);
      expect(world.receivedShares[0]).toEqual(before);
      expect(world.sent.map((text) => text.split(':')[0])).toEqual(['to bob', 'to alice']);
    });

    it('is accepted automatically for each new recipient, and not again if it is repeated', async () => {
      world.trust.set(HOST, 'trusted');
      await offer(group, 'signed');
      world.settings.set('federatedfilesharing/auto_accept_trusted', 'yes');
      await offer(group, 'signed');
      expect(world.receivedShares.map(({ state }) => state)).toEqual(['pending', 'pending']);
      await offer({ ...group, providerId: '8' }, 'signed');
      const places = world.receivedShares.slice(2).map(({ state, fileTarget }) => [state, fileTarget]);
      expect(places).toEqual([
        ['accepted', '/plans'],
        ['accepted', '/plans'],
      ]);
    });

    it('is accepted at once for a member who is saving a link of that server, and waits for the others', async () => {
      world.acceptance.addLink('bob', world.enter(HOST).id, '7');
      await offer(group);
      expect(world.receivedShares.map(({ recipientUid, state }) => [recipientUid, state])).toEqual([
        ['alice', 'pending'],
        ['bob', 'accepted'],
      ]);
    });

    it('is refused if the group has more members than an offer may reach', async () => {
      const uids = Array.from({ length: 201 }, (_, number) => `member${number}`);
      for (const uid of uids) world.addUser(uid);
      world.groups.set('team', uids);
      expect(await refusal(offer(group))).toBe('share-type-unsupported');
      expect(world.receivedShares).toEqual([]);
      world.groups.set('team', uids.slice(1));
      await offer(group);
      expect(world.receivedShares).toHaveLength(200);
    });

    it('is refused if offers to groups are switched off, and if the group does not exist', async () => {
      expect(await refusal(offer({ ...group, shareWith: 'nobody@here.example.org' }))).toBe(
        'recipient-unknown',
      );
      world.settings.set('files_sharing/incoming_server2server_group_share_enabled', 'no');
      expect(await refusal(offer(group))).toBe('share-type-unsupported');
      expect(recipients()).toEqual([]);
    });
  });

  it('stores the shared secret encrypted', async () => {
    await offer();
    expect(world.receivedShares[0]!.tokenEnc).toEqual(world.secrets.seal('abcdefghijklmnop'));
  });

  it('may be accepted automatically only if its server signed it', async () => {
    world.trust.set(HOST, 'trusted');
    world.settings.set('federatedfilesharing/auto_accept_trusted', 'yes');
    await offer({}, 'unknown');
    await offer({ providerId: '8' }, 'unsigned');
    await offer({ providerId: '9' }, 'signed');
    expect(world.receivedShares[0]!.access).toMatchObject({ senderUnknown: true });
    expect(world.receivedShares.map(({ state }) => state)).toEqual(['pending', 'pending', 'accepted']);
    expect(world.actedAs).toEqual({ peerId: world.entered.get(HOST) });
  });

  it('is accepted at once if its recipient is saving a link of that server', async () => {
    const { acceptance } = world;
    const link = acceptance.addLink('alice', world.enter(HOST).id, '7');
    await offer({ providerId: '8' });
    await offer();
    expect(world.receivedShares.map(({ state }) => state)).toEqual(['pending', 'accepted']);
    expect(acceptance.links.find(({ id }) => id === link)!.shareId).toBe(world.receivedShares[1]!.id);
  });

  it('is not read while incoming shares are switched off', async () => {
    world.settings.set('files_sharing/incoming_server2server_share_enabled', 'no');
    const taking = takeOffer(
      world,
      () => {
        throw new Error('it was read');
      },
      () => Promise.resolve('signed'),
    );
    expect(await refusal(taking)).toBe('incoming-disabled');
  });

  it('is refused for a missing or disabled account', async () => {
    expect(await refusal(offer({ shareWith: 'zoe@here.example.org' }))).toBe('recipient-unknown');
    world.users.get('alice')!.enabled = false;
    expect(await refusal(offer())).toBe('recipient-unknown');
  });

  it('gets the same refusal for known and unknown accounts and groups unless its server may offer something', async () => {
    world.settings.set('files_sharing/incoming_server2server_group_share_enabled', 'yes');
    world.groups.set('team', ['alice']);
    const named = (id: string, shareType: string) => ({ shareType, shareWith: `${id}@here.example.org` });
    const all = [
      ...['alice', 'nobody'].map((id) => named(id, 'user')),
      ...['team', 'no-team'].map((id) => named(id, 'group')),
    ];
    const refusals = async (more: object = {}): Promise<unknown[]> => {
      const answers = all.map((about) => offer({ ...about, ...more }));
      return [...new Set(await Promise.all(answers.map(refusal)))];
    };
    const odd = {
      protocol: { webdav: { uri: '/', sharedSecret: 'abcdefghijklmnop', requirements: ['odd'] } },
    };
    expect(await refusals(odd)).toEqual(['requirement-unsupported']);
    world.trust.set(HOST, 'invited');
    expect(await refusals()).toEqual(['invitation-needed']);
    world.trust.set(HOST, 'denied');
    expect(await refusals()).toEqual(['partner-not-allowed']);
  });

  it('stores no partner if the offer is refused', async () => {
    world.trust.set(HOST, 'denied');
    expect(await refusal(offer())).toBe('partner-not-allowed');
    world.trust.set(HOST, 'invited');
    expect(await refusal(offer())).toBe('invitation-needed');
    const unproven = takeOffer(
      world,
      () => read(),
      () => Promise.reject(new FederationRefused('signature-missing')),
    );
    world.trust.set(HOST, 'allowed');
    expect(await refusal(unproven)).toBe('signature-missing');
    expect(world.entered.size).toBe(0);
    expect(world.receivedShares).toEqual([]);
  });

  it.each([HOST, `bea@${HOST}`])('is refused if its recipient blocked %s', async (blocked) => {
    world.blocked.add(`alice ${blocked}`);
    expect(await refusal(offer())).toBe('partner-not-allowed');
    expect(world.receivedShares).toEqual([]);
    world.blocked.clear();
    world.blocked.add(`bob ${blocked}`);
    expect(await refusal(offer())).toBeUndefined();
  });

  it('is accepted from a contact if invitations are needed', async () => {
    world.trust.set(HOST, 'invited');
    const { id } = world.enter(HOST);
    world.contacts.add(`alice bea@${id}`);
    expect(await refusal(offer())).toBeUndefined();
    expect(await refusal(offer({ owner: `zoe@${HOST}`, sender: `zoe@${HOST}` }))).toBe('invitation-needed');
  });
});
