import {
  daysAfter,
  type NewLinkShare,
  type NewRecipientShare,
  type SharedNode,
  type SharedOrFound,
  type ShareOfPath,
} from '#sharing';
import { linkTo, userShareOf, usualStage, type ShareStoreStage } from './share-store-stage';

/** Contract of shares by the path of their node, for every store of shares with its tree. */
export function pathSharesContract(open: () => Promise<ShareStoreStage>): void {
  let stage: ShareStoreStage;
  let file: SharedNode;
  let folder: SharedNode;

  beforeEach(async () => {
    ({ stage, file, folder } = await usualStage(open));
  });

  const BOTH = { file: 3, folder: 15 };
  const wish = (whole: NewRecipientShare | NewLinkShare, permissions: ShareOfPath['permissions'] = BOTH) => {
    const { node: _node, ...share } = whole;
    return { share, permissions };
  };
  const withBob = (more: Partial<NewRecipientShare> = {}) => userShareOf(file, 'bob', more);
  const share = (path: string, whole: NewRecipientShare | NewLinkShare, permissions = BOTH) =>
    stage.tree.share(path, wish(whole, permissions));
  const countOf = async (uid: string): Promise<number> =>
    (
      await stage.store.listOwn(
        uid,
        { alsoOthersOfMine: false, types: undefined },
        { limit: 9, after: undefined },
      )
    ).length;
  const madeBy = (result: SharedOrFound) => {
    if (result.made === undefined || typeof result.made === 'string')
      throw new Error(`no share was made: ${JSON.stringify(result)}`);
    return result.made;
  };

  it.each([
    ['a file', '/report.txt', 3, () => file],
    ['a folder', '/docs', 15, () => folder],
  ] as const)(
    '%s has the permissions for its kind, and is read back as it was returned',
    async (_, path, permissions, node) => {
      for (const whole of [withBob(), userShareOf(file, 'team', { type: 1 }), linkTo(file)]) {
        const made = madeBy(await share(path, whole));
        expect(made).toMatchObject({ type: whole.type, permissions, node: node() });
        expect(await stage.store.find(made.id, 'alice')).toEqual(made);
      }
    },
  );

  it('a node of a kind without permissions is found, and not shared', async () => {
    const none = { file: undefined, folder: undefined };
    expect(await stage.tree.share('/docs', wish(withBob(), { ...none, file: 3 }))).toMatchObject({
      node: folder,
    });
    expect(await stage.tree.share('/report.txt', wish(linkTo(file), { ...none, folder: 15 }))).toMatchObject({
      node: file,
    });
    expect(await countOf('alice')).toBe(0);
  });

  it('a path without a node shares nothing', async () => {
    expect((await share('/nothing', withBob())).made).toBeUndefined();
    expect(await share('/nothing', withBob())).toMatchObject({ node: undefined });
    expect(await countOf('alice')).toBe(0);
  });

  describe('with a received share', () => {
    let received: SharedNode;
    beforeEach(async () => {
      received = await stage.add('carol', '/given/');
      await stage.add('carol', '/given/inside.txt');
      const toAlice = userShareOf(received, 'alice', { initiatorUid: 'carol', fileTarget: '/given' });
      expect(typeof (await stage.store.insert(toAlice))).toBe('object');
    });

    it('its node and the nodes in it are found, and not shared', async () => {
      await stage.tree.placeReceived('alice');
      for (const path of ['/given', '/given/inside.txt'])
        expect(await share(path, withBob())).toMatchObject({ node: { ownerUid: 'carol', ownerPath: path } });
      expect(await countOf('alice')).toBe(0);
    });

    it.each([
      ['contains it', () => stage.tree.placeReceived('alice')],
      ['will contain it', () => Promise.resolve(true)],
    ] as const)('a folder that %s is found, and not shared, not even as a link', async (_, place) => {
      const moved = await stage.add('carol', '/moved/');
      const intoDocs = { initiatorUid: 'carol', fileTarget: '/docs/moved' };
      expect(typeof (await stage.store.insert(userShareOf(moved, 'alice', intoDocs)))).toBe('object');
      await place();
      expect(await share('/docs', withBob())).toMatchObject({ node: folder });
      expect(await share('/docs', linkTo(folder))).toMatchObject({ node: folder });
      expect(await countOf('alice')).toBe(0);
    });

    it('another own file is shared', async () => {
      await stage.tree.placeReceived('alice');
      madeBy(await share('/report.txt', withBob()));
      expect(await countOf('alice')).toBe(1);
    });
  });

  it('a second share with the same recipient is a duplicate, unless the first one has expired', async () => {
    const past = daysAfter(stage.today(), -1);
    madeBy(await share('/report.txt', withBob({ expiresOn: past })));
    madeBy(await share('/report.txt', withBob()));
    expect(await share('/report.txt', withBob())).toEqual({ made: 'duplicate' });
    expect(await countOf('alice')).toBe(1);
  });

  it('is made once, for any number of simultaneous calls', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => share('/report.txt', withBob())));
    expect(results.filter(({ made }) => made === 'duplicate')).toHaveLength(19);
    expect(await countOf('alice')).toBe(1);
  });

  it.each([
    ['user', () => stage.removeUser('bob'), () => withBob()],
    ['group', () => stage.removeGroup('team'), () => userShareOf(file, 'team', { type: 1 })],
  ] as const)('a %s that was removed gets nothing', async (_, vanish, whole) => {
    await vanish();
    expect(await share('/report.txt', whole())).toEqual({ made: 'gone' });
    expect(await countOf('alice')).toBe(0);
  });
}
