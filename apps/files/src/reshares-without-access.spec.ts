import { ShareEventRepository } from '#persistence';
import { RuntimeSettings } from '#settings';
import { LEGACY, type KeptShare } from '../../../libs/testing/src/partners/reading-partner';
import { sharedFolderStage } from '../../../libs/testing/src/rigs/shared-folder-stage';

const stage = sharedFolderStage();
beforeEach(() => stage.sql('TRUNCATE throttle, call_budget'));

/** Alice shared a folder with Brian, and Brian shared it on in each way. */
interface PassedOn {
  readonly received: number;
  readonly local: number;
  readonly link: { readonly id: number; readonly token: string };
  readonly federated: KeptShare;
}

let carol: string;
let group: string;
let tests = 0;

async function passOn(toGroup = false): Promise<PassedOn> {
  const { files, alice, brian } = stage;
  tests++;
  [carol, group] = [`carol-${tests}`, `team-${tests}`];
  await files.addUsers(carol);
  await files.addGroup(group, brian);
  const path = '/folder';
  const recipient = toGroup ? group : brian;
  const received = await files.share({ path, owner: alice, recipient, group: toGroup });
  await files.dav('PROPFIND', brian, '/');
  return {
    received,
    local: await files.share({ path, owner: alice, initiator: brian, recipient: carol }),
    link: await files.link({ path, owner: alice, initiator: brian, permissions: 15 }),
    federated: await files.federatedShare({ path, owner: alice, initiator: brian }),
  };
}

/** HTTP statuses of reading through the local reshare, the link and the federated share. */
async function reads({ link, federated }: PassedOn): Promise<number[]> {
  const byLink = await fetch(`${stage.files.url}/remote.php/dav/public-files/${link.token}/file.txt`);
  await byLink.text();
  return [
    (await stage.files.dav('GET', carol, '/folder/file.txt')).status,
    byLink.status,
    await stage.partner.statusOf(LEGACY, federated, 'GET', '/file.txt'),
  ];
}

const permissionsOf = async ({ local, link, federated }: PassedOn): Promise<(number | undefined)[]> => {
  const rows = await stage.sql<{ id: string; permissions: number }>(
    'SELECT id, permissions FROM share WHERE id = ANY($1)',
    [[local, link.id, federated.id]],
  );
  const byId = new Map(rows.map((row) => [Number(row.id), row.permissions]));
  return [local, link.id, federated.id].map((id) => byId.get(Number(id)));
};

const losses: readonly (readonly [string, (share: PassedOn) => Promise<unknown>, boolean])[] = [
  [
    'its owner ends the share',
    ({ received }) => stage.sql('DELETE FROM share WHERE id = $1', [received]),
    false,
  ],
  [
    'the share expires',
    ({ received }) => stage.sql('UPDATE share SET expires_on = current_date - 1 WHERE id = $1', [received]),
    false,
  ],
  ['the recipient leaves the share', () => stage.files.dav('DELETE', stage.brian, '/folder'), false],
  [
    'the recipient leaves the group',
    () => stage.sql('DELETE FROM group_member WHERE gid = $1 AND uid = $2', [group, stage.brian]),
    true,
  ],
  ['the group is removed', () => stage.sql('DELETE FROM user_group WHERE gid = $1', [group]), true],
];

const handleEvents = (): Promise<void> => new ShareEventRepository(stage.files.database).handleAll();
const follow = (): Promise<void> =>
  stage.files.get(RuntimeSettings).set('files_sharing', 'reshares_without_access', 'follow');
afterEach(() => stage.files.get(RuntimeSettings).unset('files_sharing', 'reshares_without_access'));

describe('a reshare whose initiator loses access remains', () => {
  it.each(losses)('when %s', async (_how, lose, toGroup) => {
    const shares = await passOn(toGroup);
    expect(await reads(shares)).toEqual([200, 200, 200]);
    await lose(shares);
    expect((await stage.files.dav('PROPFIND', stage.brian, '/folder')).status).toBe(404);
    expect(await reads(shares)).toEqual([200, 200, 200]);
    expect(await permissionsOf(shares)).toEqual([31, 15, 31]);
    await handleEvents();
    const notifications = await stage.sql<{ uid: string; subject: string }>(
      `SELECT uid, subject FROM notification WHERE uid = ANY($1) AND subject NOT LIKE '%accepted your share%' ORDER BY id`,
      [[stage.alice, stage.brian, carol]],
    );
    const about = (how: string) => ({
      uid: stage.alice,
      subject: `${stage.brian} lost access to "folder", but still shares it ${how}`,
    });
    expect(notifications).toEqual([
      about(`with ${carol}`),
      about('by a public link'),
      about('with bea@cloud.partner.example'),
    ]);
  });

  it('and its owner gets one notification, until it ends', async () => {
    const shares = await passOn();
    const decline = `UPDATE share_recipient SET state = 2 WHERE share_id = $1`;
    await stage.sql(decline, [shares.received]);
    const notifications = async () => {
      await handleEvents();
      return stage.sql(`SELECT id FROM notification WHERE uid = $1 ORDER BY id`, [stage.alice]);
    };
    const [first, ...others] = await notifications();
    await stage.sql('DELETE FROM notification WHERE id = $1', [(first as { id: string }).id]);
    await stage.sql(`UPDATE share_recipient SET state = 0 WHERE share_id = $1`, [shares.received]);
    await stage.sql(decline, [shares.received]);
    expect(await notifications()).toEqual(others);
    await stage.sql('DELETE FROM share WHERE id = ANY($1)', [[shares.link.id, shares.federated.id]]);
    expect(await notifications()).toEqual([]);
  });

  it('and is still view-only if the share of its initiator was view-only', async () => {
    const shares = await passOn();
    const attributes = '[{"scope":"permissions","key":"download","enabled":false}]';
    await stage.sql('UPDATE share SET attributes = $2 WHERE id = $1', [shares.received, attributes]);
    expect(await reads(shares)).toEqual([200, 403, 403]);
    expect((await stage.files.dav('DELETE', stage.brian, '/folder')).status).toBe(204);
    expect(await reads(shares)).toEqual([200, 403, 403]);
  });

  it.each([
    ['while they see its folder', true, ['accepted', 'undelivered', 'ended']],
    ['no more without access', false, []],
  ])('and its initiator hears of its recipient %s', async (_when, isSeen, told) => {
    const shares = await passOn();
    await handleEvents();
    await stage.sql('DELETE FROM notification WHERE uid = $1', [stage.brian]);
    if (!isSeen) await stage.sql('DELETE FROM share WHERE id = $1', [shares.received]);
    const changes = [
      ['forgotten', `UPDATE share SET acceptance = 'unknown' WHERE id = $1`],
      ['accepted', `UPDATE share SET acceptance = 'accepted' WHERE id = $1`],
      ['undelivered', `UPDATE share SET delivery_state = 'dead' WHERE id = $1`],
      ['left', `UPDATE share SET acceptance = 'left' WHERE id = $1`],
      ['ended', 'DELETE FROM share WHERE id = $1'],
    ] as const;
    const heard: string[] = [];
    for (const [change, sql] of changes) {
      await stage.sql(sql, [shares.federated.id]);
      await handleEvents();
      const rows = await stage.sql('SELECT id FROM notification WHERE uid = $1', [stage.brian]);
      heard.push(...rows.map(() => change));
      await stage.sql('DELETE FROM notification WHERE uid = $1', [stage.brian]);
    }
    expect(heard).toEqual(told);
  });

  it('with all its permissions after the permissions of its initiator are lowered', async () => {
    const shares = await passOn();
    await stage.sql('UPDATE share SET permissions = 1 WHERE id = $1', [shares.received]);
    expect(await reads(shares)).toEqual([200, 200, 200]);
    expect(await permissionsOf(shares)).toEqual([31, 15, 31]);
  });
});

describe('if the setting says so, a reshare follows the access of its initiator, and', () => {
  beforeEach(follow);

  it.each(losses)('ends when %s', async (_how, lose, toGroup) => {
    const shares = await passOn(toGroup);
    expect(await reads(shares)).toEqual([200, 200, 200]);
    await lose(shares);
    expect(await permissionsOf(shares)).toEqual([undefined, undefined, undefined]);
    expect(await reads(shares)).toEqual([404, 404, 401]);
  });

  it('is lowered with the received share, and partners get a message', async () => {
    const shares = await passOn();
    await stage.sql('UPDATE share SET permissions = 5 WHERE id = $1', [shares.received]);
    expect(await permissionsOf(shares)).toEqual([5, 5, 5]);
    await handleEvents();
    const [message] = await stage.sql<{ kind: string; payload: unknown }>(
      `SELECT kind, payload FROM outbox_message WHERE subject_type = 'share' AND subject_id = $1`,
      [shares.federated.id],
    );
    expect(message).toMatchObject({ kind: 'share-permissions', payload: { permissions: 5 } });
  });

  it('keeps the permissions of another share', async () => {
    const shares = await passOn();
    await stage.files.share({
      path: '/folder',
      owner: stage.alice,
      recipient: group,
      group: true,
      permissions: 17,
    });
    await stage.sql('DELETE FROM share WHERE id = $1', [shares.received]);
    expect(await permissionsOf(shares)).toEqual([17, 1, 17]);
    expect(await reads(shares)).toEqual([200, 200, 200]);
  });

  it('ends with all further reshares, even if two people share with each other', async () => {
    const { files, alice, brian } = stage;
    const shares = await passOn();
    await files.share({ path: '/folder', owner: alice, initiator: carol, recipient: group, group: true });
    const dora = `dora-${tests}`;
    await files.addUsers(dora);
    await files.share({ path: '/folder', owner: alice, initiator: carol, recipient: dora });
    expect((await files.dav('GET', dora, '/folder/file.txt')).status).toBe(200);
    await stage.sql('DELETE FROM share WHERE id = $1', [shares.received]);
    for (const uid of [brian, carol, dora])
      expect((await files.dav('GET', uid, '/folder/file.txt')).status).toBe(404);
    expect(await stage.sql('SELECT id FROM share WHERE owner_uid = $1', [alice])).toEqual([]);
  });

  it('ends when its node is moved out of the shared folder', async () => {
    const { files, alice, brian } = stage;
    await passOn();
    await files.dav('MKCOL', alice, '/folder/sub');
    const link = await files.link({ path: '/folder/sub', owner: alice, initiator: brian });
    const other = await files.link({ path: '/folder/file.txt', owner: alice, initiator: brian });
    const destination = files.addressOf('/sub');
    expect((await files.dav('MOVE', alice, '/folder/sub', { headers: { destination } })).status).toBe(201);
    const left = await stage.sql<{ id: string }>('SELECT id FROM share WHERE id = ANY($1)', [
      [link.id, other.id],
    ]);
    expect(left.map(({ id }) => Number(id))).toEqual([other.id]);
  });

  it('is not created without access, even if the access is lost during the call', async () => {
    const { files, alice, brian } = stage;
    const { received } = await passOn();
    await files.dav('MKCOL', alice, '/folder/sub');
    await stage.sql('DELETE FROM share WHERE id = $1', [received]);
    const share = { path: '/folder/sub', owner: alice, initiator: brian };
    await expect(files.link(share)).rejects.toThrow('no access');
    await expect(files.share({ ...share, recipient: carol })).rejects.toThrow('no access');
  });

  it('is created with no more than its initiator has, even if that is lowered during the call', async () => {
    const { files, alice, brian } = stage;
    const { received } = await passOn();
    await files.dav('MKCOL', alice, '/folder/sub');
    await stage.sql('UPDATE share SET permissions = 17 WHERE id = $1', [received]);
    const share = { path: '/folder/sub', owner: alice, initiator: brian };
    const link = await files.link({ ...share, permissions: 15 });
    const federated = await files.federatedShare(share);
    const local = await files.share({ ...share, recipient: carol });
    expect(await permissionsOf({ received, local, link, federated })).toEqual([17, 1, 17]);
  });

  it('does not change a share of the owner', async () => {
    const shares = await passOn();
    const own = await stage.files.link({ path: '/folder', owner: stage.alice });
    await stage.sql('DELETE FROM share WHERE id = $1', [shares.received]);
    expect(await stage.sql('SELECT id FROM share WHERE id = $1', [own.id])).toHaveLength(1);
  });
});
