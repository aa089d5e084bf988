import {
  daysAfter,
  type NewLinkShare,
  type NewRecipientShare,
  type Share,
  type SharedNode,
  type ShareStore,
} from '#sharing';
import { linkTo, userShareOf, usualStage, type ShareStoreStage } from './share-store-stage';

const ALL = { limit: 100, after: undefined };
const OWN = { alsoOthersOfMine: false, types: undefined };
const RECEIVED = { state: undefined, types: undefined };

/** Contract of every store of shares, which a spec of each store runs. `open` returns a new stage. */
export function shareStoreContract(open: () => Promise<ShareStoreStage>): void {
  let stage: ShareStoreStage;
  let file: SharedNode;
  let folder: SharedNode;

  beforeEach(async () => {
    ({ stage, file, folder } = await usualStage(open));
  });

  const withUser = (recipient = 'bob', more: Partial<NewRecipientShare> = {}) =>
    userShareOf(file, recipient, more);
  const withGroup = (more: Partial<NewRecipientShare> = {}) => withUser('team', { type: 1, ...more });
  const asLink = (more: Partial<NewLinkShare> = {}) => linkTo(file, more);
  const insert = async (share: NewRecipientShare | NewLinkShare): Promise<Share> => {
    const made = await stage.store.insert(share);
    if (typeof made === 'string') throw new Error(`the share was not stored: ${made}`);
    return made;
  };
  const idsOwn = async (uid: string, more = {}) =>
    (await stage.store.listOwn(uid, { ...OWN, ...more }, ALL)).map((share) => share.id);
  const received = (uid: string, groups: string[] = [], more = {}) =>
    stage.store.listReceived(uid, groups, { ...RECEIVED, ...more }, ALL);

  describe('a share that was stored', () => {
    it('is read back as it was returned, with the row of its recipient', async () => {
      const made = await insert(withUser());
      expect(await stage.store.find(made.id, 'alice')).toEqual(made);
      expect(made).toMatchObject({
        type: 0,
        recipientUid: 'bob',
        permissions: 19,
        mailSent: false,
        node: file,
      });
      expect(made).toMatchObject({ personal: { state: 'accepted', target: null, folderId: null } });
    });

    it('has the row of the viewer if it is with a group', async () => {
      const made = await insert(withGroup({ initialState: 'pending' }));
      expect(made).toMatchObject({ recipientGid: 'team', initialState: 'pending', personal: undefined });
      await stage.tree.decide('bob', { id: made.id, nodeId: file.nodeId }, 'declined');
      expect(await stage.store.find(made.id, 'bob')).toMatchObject({ personal: { state: 'declined' } });
      expect(await stage.store.find(made.id, 'carol')).toMatchObject({ personal: undefined });
    });

    it('keeps the fields of a link, but not the text of its password', async () => {
      const made = await insert(asLink({ name: 'for the press', passwordHash: 'a hash', attributes: '[]' }));
      expect(made).toMatchObject({ type: 3, name: 'for the press', hasPassword: true, attributes: '[]' });
      expect(await stage.store.find(made.id, 'alice')).toEqual(made);
      expect(JSON.stringify(made)).not.toContain('a hash');
    });

    it('has its time of creation, in seconds', async () => {
      const { createdAtSeconds } = await insert(asLink());
      expect(Number.isInteger(createdAtSeconds)).toBe(true);
    });
  });

  describe('a second share of a node', () => {
    it('is refused for the same user or group', async () => {
      await insert(withUser());
      await insert(withGroup());
      expect(await stage.store.insert(withUser())).toBe('duplicate');
      expect(await stage.store.insert(withGroup({ initiatorUid: 'bob' }))).toBe('duplicate');
    });

    it('is made once, for any number of simultaneous calls', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => stage.store.insert(withUser())));
      expect(answers.filter((answer) => answer === 'duplicate')).toHaveLength(19);
      expect(await idsOwn('alice')).toHaveLength(1);
    });

    it('may be another link, or with another recipient', async () => {
      const made = [asLink(), asLink(), withUser(), withUser('carol'), withGroup()];
      for (const share of made) await insert(share);
      expect(await idsOwn('alice')).toHaveLength(made.length);
    });

    it('replaces an expired share', async () => {
      const past = daysAfter(stage.today(), -1);
      const old = await insert(withUser('bob', { expiresOn: past }));
      const made = await insert(withUser());
      expect(made.id).not.toBe(old.id);
      expect(await idsOwn('alice')).toEqual([made.id]);
    });
  });

  describe('a share whose node or user is removed before it is stored', () => {
    it.each([
      ['the node', () => stage.removeNode(file.nodeId), () => withUser()],
      ['the recipient', () => stage.removeUser('bob'), () => withUser()],
      ['the owner', () => stage.removeUser('alice'), () => withUser()],
      ['the group', () => stage.removeGroup('team'), () => withGroup()],
      ['the node of a link', () => stage.removeNode(file.nodeId), () => asLink()],
      ['the initiator', () => stage.removeUser('carol'), () => withUser('bob', { initiatorUid: 'carol' })],
    ] as const)('%s: nothing is stored', async (_, vanish, share) => {
      await vanish();
      expect(await stage.store.insert(share())).toBe('gone');
      expect(await idsOwn('alice')).toEqual([]);
      expect(await received('bob', ['team'])).toEqual([]);
    });
  });

  describe('the end of shares whose node, account or group vanishes', () => {
    it.each([
      ['the node', () => stage.removeNode(file.nodeId)],
      ['the recipient', () => stage.removeUser('bob')],
      ['the group', () => stage.removeGroup('team')],
      ['the initiator', () => stage.removeUser('alice')],
    ] as const)('%s', async (what, vanish) => {
      const made = [await insert(withUser()), await insert(withGroup())];
      await vanish();
      const left = await Promise.all(made.map((share) => stage.store.find(share.id, 'carol')));
      const user = what === 'the group' ? made[0]!.id : undefined;
      const group = what === 'the recipient' ? made[1]!.id : undefined;
      expect(left.map((share) => share?.id)).toEqual([user, group]);
    });

    it('a membership: the member no longer has the share', async () => {
      await insert(withGroup());
      await stage.tree.placeReceived('bob');
      expect(await stage.store.coverage('bob', [file.nodeId])).toHaveLength(1);
      await stage.leave('team', 'bob');
      expect(await stage.store.coverage('bob', [file.nodeId])).toEqual([]);
      expect(await received('bob', [])).toEqual([]);
    });

    it('a share: the links of its recipient remain', async () => {
      const received = await insert(withUser());
      const link = await insert(asLink({ initiatorUid: 'bob' }));
      expect(await stage.store.remove(received.id)).toBe(true);
      expect(await stage.store.find(link.id, 'bob')).toBeDefined();
    });
  });

  describe('the day of a share', () => {
    it('is its last one: on the next day no call shows the share', async () => {
      const today = await insert(withUser('bob', { expiresOn: stage.today() }));
      await insert(withUser('carol', { expiresOn: daysAfter(stage.today(), -1) }));
      const link = await insert(asLink({ expiresOn: daysAfter(stage.today(), -1) }));
      await stage.tree.placeReceived('bob');
      await stage.tree.placeReceived('carol');
      expect(await idsOwn('alice')).toEqual([today.id]);
      expect((await received('bob')).map((share) => share.id)).toEqual([today.id]);
      expect(await received('carol')).toEqual([]);
      expect(await stage.store.coverage('carol', [file.nodeId])).toEqual([]);
      expect(await stage.store.find(link.id, 'alice')).toBeUndefined();
      expect(await stage.store.update(link.id, 'alice', () => ({ expiresOn: null }))).toBeUndefined();
      expect(await stage.store.remove(link.id)).toBe(false);
      expect(await stage.store.removeManaged(link.id, 'alice')).toBe(false);
    });
  });

  describe('a list of own shares', () => {
    it('is ordered by type and id, and contains the user’s shares', async () => {
      const link = await insert(asLink());
      const group = await insert(withGroup());
      const user = await insert(withUser());
      await insert(withUser('carol', { initiatorUid: 'bob' }));
      expect(await idsOwn('alice')).toEqual([user.id, group.id, link.id]);
    });

    it('has other users’ shares of the user’s files on request', async () => {
      const passedOn = await insert(withUser('carol', { initiatorUid: 'bob' }));
      expect(await idsOwn('alice')).toEqual([]);
      expect(await idsOwn('alice', { alsoOthersOfMine: true })).toEqual([passedOn.id]);
      expect(await idsOwn('bob')).toEqual([passedOn.id]);
    });

    it('can be limited to a node, to a folder’s children, or to some types', async () => {
      const inside = await stage.add('alice', '/docs/inside.txt');
      const shares = [
        withUser(),
        withUser('bob', { node: folder }),
        withUser('bob', { node: inside }),
        asLink(),
      ];
      const [one, two, three, link] = await Promise.all(shares.map(insert));
      expect(await idsOwn('alice', { nodeId: folder.nodeId })).toEqual([two!.id]);
      expect(await idsOwn('alice', { parentNodeId: folder.nodeId })).toEqual([three!.id]);
      expect(new Set(await idsOwn('alice', { types: [0] }))).toEqual(new Set([one!.id, two!.id, three!.id]));
      expect(await idsOwn('alice', { types: [3, 99] })).toEqual([link!.id]);
      expect(await idsOwn('alice', { types: [] })).toEqual([]);
    });

    it('has pages that together contain each share once', async () => {
      const nodes = await Promise.all(['/docs/b.txt', '/docs/a.txt'].map((path) => stage.add('alice', path)));
      for (const node of nodes) for (const uid of ['bob', 'carol']) await insert(withUser(uid, { node }));
      for (const node of nodes) await insert(asLink({ node }));
      for (const filter of [
        OWN,
        { ...OWN, nodeId: nodes[0]!.nodeId },
        { ...OWN, parentNodeId: folder.nodeId },
      ]) {
        const whole = await stage.store.listOwn('alice', filter, ALL);
        const inPages: Share[] = [];
        for (let after = undefined as Parameters<ShareStore['listOwn']>[2]['after']; ;) {
          const page = await stage.store.listOwn('alice', filter, { limit: 2, after });
          inPages.push(...page);
          const last = page.at(-1);
          if (!last || page.length < 2) break;
          const nodeName = 'parentNodeId' in filter ? last.node.name : '';
          after = { nodeName, shareType: last.type, shareId: last.id };
        }
        expect(inPages).toEqual(whole);
      }
    });
  });

  describe('a list of received shares', () => {
    it('has shares with the user and their groups in every requested state', async () => {
      const second = await stage.add('alice', '/second.txt');
      const direct = await insert(withUser());
      const group = await insert(withGroup({ node: second, initialState: 'pending' }));
      await stage.tree.placeReceived('bob');
      const ids = async (more = {}) => (await received('bob', ['team'], more)).map((share) => share.id);
      expect(await ids()).toEqual([direct.id, group.id]);
      expect(await ids({ state: 'accepted' })).toEqual([direct.id]);
      expect(await ids({ state: 'pending' })).toEqual([group.id]);
      expect(await ids({ nodeId: second.nodeId })).toEqual([group.id]);
      expect(await ids({ types: [1] })).toEqual([group.id]);
      expect((await received('bob', [])).map((share) => share.id)).toEqual([direct.id]);
      expect(await received('alice', ['team'])).toEqual([]);
    });

    it('is read after shares without a place got theirs, whether it was empty before or not', async () => {
      const place = () => stage.tree.placeReceived('bob');
      const ids = async () =>
        (await stage.store.listReceived('bob', ['team'], RECEIVED, ALL, place)).map((share) => share.id);
      expect(await ids()).toEqual([]);
      const group = await insert(withGroup());
      expect(await ids()).toEqual([group.id]);
      const second = await insert(withGroup({ node: folder }));
      expect(await ids()).toEqual([group.id, second.id]);
    });

    it('has pages, first of shares with the user, then of shares with their groups', async () => {
      const [second, third, fourth] = [
        await stage.add('alice', '/second.txt'),
        await stage.add('alice', '/third.txt'),
        await stage.add('alice', '/fourth.txt'),
      ];
      const group = [await insert(withGroup()), await insert(withGroup({ node: second }))];
      const direct = [];
      for (const node of [folder, third, fourth]) direct.push(await insert(withUser('bob', { node })));
      await stage.tree.placeReceived('bob');

      const pages: number[][] = [];
      let after: { nodeName: string; shareType: number; shareId: number } | undefined;
      do {
        const page = await stage.store.listReceived('bob', ['none', 'team'], RECEIVED, { limit: 2, after });
        pages.push(page.map(({ id }) => id));
        const last = page.at(-1);
        after = last && { nodeName: '', shareType: last.type, shareId: last.id };
      } while (after);
      const ids = [...direct, ...group].map(({ id }) => id);
      expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []]);
    });

    it('shows the place of the share in the user’s tree', async () => {
      await stage.add('bob', '/report.txt');
      await insert(withUser());
      await stage.tree.placeReceived('bob');
      const [share] = await received('bob');
      expect(share).toMatchObject({ personal: { state: 'accepted', target: '/report (2).txt' } });
      expect(share).toMatchObject({ personal: { folderId: expect.any(Number) as number } });
    });
  });

  describe('coverage', () => {
    it('names every accepted share that shows the node or a folder above it', async () => {
      const inside = await stage.add('alice', '/docs/inside.txt');
      const direct = await insert(withUser('bob', { node: inside, permissions: 1 }));
      const above = await insert(withUser('bob', { node: folder, permissions: 31, attributes: '[]' }));
      await insert(withUser('bob', { initialState: 'pending' }));
      await stage.tree.placeReceived('bob');
      const found = await stage.store.coverage('bob', [inside.nodeId, file.nodeId]);
      expect(found).toMatchObject([
        { shareId: direct.id, path: '/inside.txt', mountTarget: '/inside.txt', permissions: 1, direct: true },
        { shareId: above.id, path: '/docs/inside.txt', mountTarget: '/docs', permissions: 31, direct: false },
      ]);
      expect(found[1]).toMatchObject({ nodeId: inside.nodeId, attributes: '[]' });
    });
  });

  describe('a change', () => {
    it('changes only the named fields', async () => {
      const before = await insert(
        asLink({ name: 'old', passwordHash: 'hash', expiresOn: stage.today(), attributes: '[]' }),
      );
      const changed = await stage.store.update(before.id, 'alice', () => ({ permissions: 15 }));
      expect(changed).toEqual({ ...before, permissions: 15 });
      const cleared = { expiresOn: null, attributes: null, name: null, passwordHash: null };
      await stage.store.update(before.id, 'alice', () => cleared);
      const left = { permissions: 15, expiresOn: null, attributes: null, name: null, hasPassword: false };
      expect(await stage.store.find(before.id, 'alice')).toEqual({ ...before, ...left });
    });

    it('without fields changes nothing', async () => {
      const before = await insert(withUser());
      expect(await stage.store.update(before.id, 'alice', () => ({}))).toEqual(before);
    });

    it('that is refused does not change the share', async () => {
      const before = await insert(withUser());
      const refuse = () => {
        throw new Error('refused');
      };
      await expect(stage.store.update(before.id, 'alice', refuse)).rejects.toThrow('refused');
      expect(await stage.store.find(before.id, 'alice')).toEqual(before);
    });

    it('sees the result of the change before it', async () => {
      const made = await insert(withUser('bob', { permissions: 1 }));
      const add = (bit: number) =>
        stage.store.update(made.id, 'alice', ({ permissions }) => ({ permissions: permissions | bit }));
      await Promise.all([2, 16, 4, 8].map(add));
      expect(await stage.store.find(made.id, 'alice')).toMatchObject({ permissions: 31 });
    });

    it.each([
      ['who made it', 'bob', true],
      ['whose file it is', 'alice', true],
      ['who received it', 'carol', false],
      ['who has nothing to do with it', 'dora', false],
    ])('is removed by the user %s: %s, %s', async (_who, uid, isRemoved) => {
      const made = await insert(withUser('carol', { initiatorUid: 'bob' }));
      expect(await stage.store.removeManaged(made.id, uid)).toBe(isRemoved);
      expect((await stage.store.find(made.id, 'alice')) === undefined).toBe(isRemoved);
      expect(await stage.store.removeManaged(made.id, uid)).toBe(false);
    });

    it('a change of a deleted share changes nothing', async () => {
      const made = await insert(withUser());
      expect(await stage.store.remove(made.id)).toBe(true);
      expect(await stage.store.remove(made.id)).toBe(false);
      expect(await stage.store.update(made.id, 'alice', () => ({ permissions: 1 }))).toBeUndefined();
    });
  });

  it.each([0, -1, 1.5, 999_999_999, Number.MAX_SAFE_INTEGER, Number.NaN])('knows no share %d', async (id) => {
    expect(await stage.store.find(id, 'alice')).toBeUndefined();
    expect(await stage.store.removeManaged(id, 'alice')).toBe(false);
  });
}
