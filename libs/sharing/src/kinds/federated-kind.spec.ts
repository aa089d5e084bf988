import {
  createCommand,
  listCommand,
  outcomeOf,
  SharingScene,
  updateCommand,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import { OWN_HOST } from '../../../testing/src/fakes/in-memory-sharing-ports';
import type { SharingFailed } from '../domain/sharing-failed';
import type { PartnerVerdict } from '../ports/ports';
import { createShare } from '../use-cases/create-share';
import type { CreateShareCommand } from './create-share-command';
import { listShares } from '../use-cases/read-shares';
import { updateShare } from '../use-cases/update-share';

const BEA = 'bea@cloud.example.org';

describe('a share with a user of another instance', () => {
  let scene: SharingScene;
  beforeEach(() => {
    scene = new SharingScene();
    scene.world.addUsers('alice', 'bob');
    scene.world.add('alice', '/a.txt');
  });

  const offer = (given: Partial<CreateShareCommand> = {}) =>
    createShare(
      scene.ports,
      scene.world.caller('alice'),
      createCommand({ path: '/a.txt', shareType: 6, shareWith: BEA, ...given }),
    );
  const listed = async (): Promise<number> =>
    (await listShares(scene.ports, scene.world.caller('alice'), listCommand())).views.length;

  it.each<PartnerVerdict>([{ kind: 'taken' }, { kind: 'later' }])(
    'stays with the result %o',
    async (verdict) => {
      scene.world.verdict = verdict;
      const { share, fileTarget } = await offer();
      expect(share).toMatchObject({ type: 6, recipient: BEA, permissions: 19, attributes: null });
      expect(fileTarget).toBe('');
      expect(await listed()).toBe(1);
    },
  );

  it.each<[PartnerVerdict, string]>([
    [{ kind: 'failed', failure: 'remote-refused', words: 'no' }, 'remote-refused'],
    [{ kind: 'failed', failure: 'remote-not-listening', words: '' }, 'remote-not-listening'],
  ])('does not remain if the verdict is %o, and can be made again', async (verdict, failure) => {
    scene.world.verdict = verdict;
    expect(await outcomeOf(offer())).toBe(failure);
    expect(await listed()).toBe(0);
    scene.world.verdict = { kind: 'taken' };
    expect(await outcomeOf(offer())).toBe('done');
  });

  it('shows the partner’s text', async () => {
    scene.world.verdict = {
      kind: 'failed',
      failure: 'remote-user-unknown',
      words: 'User ghost does not exist',
    };
    const refusal = await offer().catch((error: unknown) => error);
    expect((refusal as SharingFailed).details).toMatchObject({
      words: 'User ghost does not exist',
      host: 'cloud.example.org',
    });
  });

  it.each<[string, Partial<CreateShareCommand>, string]>([
    ['no recipient', { shareWith: undefined }, 'remote-recipient-invalid'],
    ['no cloud id', { shareWith: 'bea' }, 'remote-unreachable'],
    ['oneself', { shareWith: `alice@${OWN_HOST}` }, 'remote-same-user'],
    ['oneself in other letters', { shareWith: `Alice@${OWN_HOST}` }, 'remote-same-user'],
    ['no permission', { permissions: 4 }, 'permissions-none'],
    ['the root', { path: '/' }, 'root'],
  ])('is refused for %s', async (_what, given, failure) => {
    expect(await outcomeOf(offer(given))).toBe(failure);
  });

  it('may be with another account of this instance', async () => {
    expect(await outcomeOf(offer({ shareWith: `bob@${OWN_HOST}` }))).toBe('done');
  });

  it('is made once per recipient', async () => {
    await offer();
    expect(await outcomeOf(offer())).toBe('remote-duplicate');
  });

  it('is refused while outgoing shares are off, before its recipient is checked', async () => {
    scene.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect(await outcomeOf(offer({ shareWith: undefined }))).toBe('remote-disabled');
  });

  it('is in no list while outgoing shares are off', async () => {
    await offer();
    scene.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect(await listed()).toBe(0);
  });

  it('has its own expiry rules', async () => {
    scene.set('core/shareapi_default_expire_date_remote_share', 'yes');
    scene.set('core/shareapi_enforce_expire_date_remote_share', 'yes');
    expect((await offer()).share.expiresOn).toBe('2030-05-22');
  });

  it.each<[string, boolean, string]>([
    ['download', false, 'attributes-not-carried'],
    ['download', true, 'done'],
    ['watermark', true, 'attributes-not-carried'],
  ])(
    'is refused with a condition that no other instance would enforce: %s %s',
    async (key, enabled, outcome) => {
      const attributes = [{ scope: 'permissions', key, enabled }];
      expect(await outcomeOf(offer({ permissions: 1, attributes }))).toBe(outcome);
    },
  );

  it('cannot get this kind of condition later', async () => {
    const { share } = await offer({ permissions: 1 });
    const change = (enabled: boolean) => {
      const attributes = [{ scope: 'permissions', key: 'download', enabled }];
      const command = updateCommand(share.id, { permissions: 3, attributes, argumentCount: 1 });
      return updateShare(scene.ports, scene.world.caller('alice'), command);
    };
    expect(await outcomeOf(change(false))).toBe('attributes-not-carried');
    expect((await change(true)).share).toMatchObject({ attributes: null, permissions: 3 });
  });

  it('is not created for a node with restrictions, because the other instance would not enforce them', async () => {
    scene.world.add('bob', '/secret.txt');
    const attributes = [{ scope: 'permissions', key: 'download', enabled: false }];
    await scene.share('bob', { path: '/secret.txt', shareWith: 'alice', permissions: 17, attributes });
    const given = { path: '/secret.txt', permissions: 1 };
    expect(await outcomeOf(offer(given))).toBe('attributes-exceeded');
    expect(await outcomeOf(offer({ ...given, attributes }))).toBe('attributes-not-carried');
  });

  describe('a share of a node on another instance', () => {
    const OWNER = 'olga@owner.example.org';
    const received = (isRoot: boolean): void => {
      const { nodeId } = scene.world.add('alice', '/theirs');
      scene.world.sources.set(nodeId, { receivedShareId: 7, owner: OWNER, isRoot, needsSecondFactor: false });
    };

    it('is requested from its owner’s server', async () => {
      received(true);
      expect((await offer({ path: '/theirs' })).share).toMatchObject({ remoteOwner: OWNER });
    });

    it('is made here if that server has no share of the node', async () => {
      received(false);
      expect((await offer({ path: '/theirs' })).share).toMatchObject({ remoteOwner: null });
    });

    it.each([true, false])('is not made with its owner (itself: %s)', async (isRoot) => {
      received(isRoot);
      expect(await outcomeOf(offer({ path: '/theirs', shareWith: OWNER }))).toBe('remote-same-user');
    });

    it('can be reduced, but not raised again, because its owner’s server accepts only less', async () => {
      received(true);
      const { share } = await offer({ path: '/theirs', permissions: 3 });
      const change = (permissions: number) =>
        outcomeOf(
          updateShare(
            scene.ports,
            scene.world.caller('alice'),
            updateCommand(share.id, { permissions, argumentCount: 1 }),
          ),
        );
      expect([await change(1), await change(1), await change(3)]).toEqual([
        'done',
        'done',
        'permissions-exceeded',
      ]);
    });
  });

  describe('with partners that have a trust setting', () => {
    it.each([
      [{ trust: 'denied' }, false, 'remote-not-allowed'],
      [{ trust: 'denied' }, true, 'remote-not-allowed'],
      [{ trust: 'trusted' }, false, 'done'],
      [{ trust: 'invited' }, false, 'remote-not-invited'],
      [{ trust: 'invited' }, true, 'done'],
      [{ trust: 'denied', outgoingTrust: 'allowed' }, false, 'done'],
    ] as const)('%j, and a contact %s: %s', async (regarded, isContact, outcome) => {
      scene.world.regarded.set('cloud.example.org', regarded);
      if (isContact) scene.world.contacts.add(BEA);
      expect(await outcomeOf(offer())).toBe(outcome);
    });

    it('use the default', async () => {
      scene.set('federatedfilesharing/outgoing_default_trust', 'invited');
      expect(await outcomeOf(offer())).toBe('remote-not-invited');
    });
  });

  describe('with hosts that are listed', () => {
    it.each([
      ['denied', '["cloud.example.org"]', BEA, 'remote-not-allowed'],
      ['denied', '["cloud.example.org"]', 'bea@cloud.example.org:8443', 'remote-not-allowed'],
      ['denied', '["example.org"]', BEA, 'done'],
      ['allowed', '["cloud.example.org"]', BEA, 'done'],
      ['allowed', '["cloud.example.org"]', 'bea@cloud.example.org:8443', 'remote-not-allowed'],
      ['allowed', '["example.org"]', BEA, 'remote-not-allowed'],
    ])('%s %s: %s is %s', async (list, hosts, shareWith, outcome) => {
      scene.set(`federatedfilesharing/${list}_hosts`, hosts);
      expect(await outcomeOf(offer({ shareWith }))).toBe(outcome);
    });
  });
});
