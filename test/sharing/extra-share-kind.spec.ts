import { shareRecord } from '../../apps/share-api/src/shares/share-record';
import { SHARE_KINDS, shareKinds, SharingFailed, updateShare, type Share, type ShareKind } from '#sharing';
import { createShare, deleteShare, listShares, readShare } from '#sharing';
import {
  createCommand,
  listCommand,
  outcomeOf,
  SharingScene,
  updateCommand,
} from '../../libs/testing/src/fakes/in-memory-sharing-calls';

const ROOM = 10;
const ROOMS = ['town-hall', 'garden'];

/**
 * A kind that the product does not have: shares with a room. The setting for sharing with groups switches it off too.
 */
function roomKind(scene: SharingScene): ShareKind<string> {
  const { world, ports } = scene;
  return {
    type: ROOM,
    name: 'room',
    expiryScope: 'group',
    takesLinkArguments: false,
    isOncePerRecipient: false,
    isPlacedHere: false,
    enforcesAttributes: true,
    isListed: (policy) => policy.groupSharing,
    findRecipient({ command: { shareWith } }) {
      if (!shareWith || !ROOMS.includes(shareWith)) throw new SharingFailed('group-unknown');
      return Promise.resolve(shareWith);
    },
    requestedPermissions: ({ command }) => command.permissions ?? 1,
    isCaller: () => false,
    assertAllowed(_context, room) {
      if (room === 'garden') throw new SharingFailed('group-blacklisted');
      return Promise.resolve();
    },
    assertStillAllowed: () => Promise.resolve(),
    async store({ node, caller }, room, { permissions, expiresOn }) {
      const id = world.nextId();
      const base = {
        node,
        initiatorUid: caller.uid,
        permissions,
        expiresOn,
        attributes: null,
        note: null,
        fileTarget: '',
      };
      world.shares.set(id, {
        id,
        made: { ...base, type: 1, recipient: room, initialState: 'accepted' },
        createdAtSeconds: 1_900_000_000,
        changed: { permissions, expiresOn, attributes: null, note: null, name: null, passwordHash: null },
        rows: new Map(),
        fields: { type: ROOM, room },
      });
      return (await ports.shares.find(id, caller.uid))!;
    },
    permissionsLimit: () => 3,
    decideChange: ({ command, expiry, permissions }) => ({
      ...expiry(),
      ...(command.permissions === undefined ? {} : { permissions: permissions(command.permissions) }),
    }),
    recipientFields: (share: Share & { room?: string }) => ({
      shareWith: share.room,
      shareWithDisplayname: `Room ${share.room}`,
    }),
  };
}

describe('a kind of share that only has a descriptor', () => {
  const scene = new SharingScene();
  const kinds = shareKinds(...SHARE_KINDS.values(), roomKind(scene));
  scene.world.addUsers('alice', 'bob');
  scene.world.add('alice', '/plan.txt');
  const alice = scene.world.caller('alice');
  const create = (shareWith: string, more: object = {}) =>
    createShare(
      scene.ports,
      alice,
      createCommand({ path: '/plan.txt', shareType: ROOM, shareWith, ...more }),
      kinds,
    );
  const list = async () => (await listShares(scene.ports, alice, listCommand(), kinds)).views;
  let id: number;

  it('is created with the requested recipient and permissions', async () => {
    const { share } = await create('town-hall', { expireDate: '2030-06-01' });
    id = share.id;
    expect(share).toMatchObject({ type: ROOM, room: 'town-hall', permissions: 1, expiresOn: '2030-06-01' });
  });

  it('is refused by its own rules and by the rules of all kinds', async () => {
    expect(await outcomeOf(create('cellar'))).toBe('group-unknown');
    expect(await outcomeOf(create('garden'))).toBe('group-blacklisted');
    expect(await outcomeOf(create('town-hall', { password: 'secret' }))).toBe('only-for-links');
    expect(await outcomeOf(create('town-hall', { permissions: 0 }))).toBe('permissions-none');
  });

  it('does not exist for calls that do not know the descriptor', async () => {
    const command = createCommand({ path: '/plan.txt', shareType: ROOM, shareWith: 'town-hall' });
    expect(await outcomeOf(createShare(scene.ports, alice, command))).toBe('share-type-unknown');
  });

  it('is read and listed while the policy allows it', async () => {
    expect((await readShare(scene.ports, alice, id)).share.id).toBe(id);
    expect((await list()).map(({ share }) => share.id)).toEqual([id]);
    scene.world.settings.set('core/shareapi_allow_group_sharing', 'no');
    expect(await list()).toEqual([]);
    scene.world.settings.delete('core/shareapi_allow_group_sharing');
  });

  it('is changed within the limits of its descriptor', async () => {
    const change = (permissions: number) =>
      updateShare(scene.ports, alice, updateCommand(id, { permissions }), kinds);
    expect((await change(3)).permissions).toBe(3);
    expect(await outcomeOf(change(19))).toBe('permissions-exceeded');
  });

  it('has the fields of its descriptor in its record', async () => {
    const [view] = await list();
    const context = {
      accounts: new Map(),
      additionalInfo: '',
      publicUrl: 'https://here.test',
      kinds,
    } as const;
    expect(JSON.parse(shareRecord(view!, context).toJson())).toMatchObject({
      share_type: ROOM,
      permissions: 3,
      share_with: 'town-hall',
      share_with_displayname: 'Room town-hall',
    });
  });

  it('is deleted', async () => {
    await deleteShare(scene.ports, alice, id);
    expect(await list()).toEqual([]);
  });
});
