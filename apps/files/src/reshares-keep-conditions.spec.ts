import { TrashBin, userView } from '#storage';
import { LEGACY, type KeptShare } from '../../../libs/testing/src/partners/reading-partner';
import { sharedFolderStage } from '../../../libs/testing/src/rigs/shared-folder-stage';

const VIEW_ONLY = '[{"scope":"permissions","key":"download","enabled":false}]';

const DEMAND = '[{"scope":"authentication","key":"second-factor","enabled":true}]';

const stage = sharedFolderStage();
beforeEach(() => stage.sql('TRUNCATE throttle, call_budget'));

/** Alice's /folder contains /sub with a file. Alice shares the folder with Brian, who shares /sub by a link and with a partner. */
let received: number;
let link: { readonly id: number; readonly token: string };
let federated: KeptShare;

beforeEach(async () => {
  const { files, alice, brian } = stage;
  await files.dav('MKCOL', alice, '/folder/sub');
  await files.dav('PUT', alice, '/folder/sub/file.txt', { body: 'of alice' });
  received = await share();
  const reshare = { path: '/folder/sub', owner: alice, initiator: brian };
  link = await files.link(reshare);
  federated = await files.federatedShare(reshare);
});

const set = (column: string, value: unknown, id: number | string = received): Promise<unknown> =>
  stage.sql(`UPDATE share SET ${column} = $2 WHERE id = $1`, [id, value]);
const end = (id: number | string): Promise<unknown> => stage.sql('DELETE FROM share WHERE id = $1', [id]);

/** Shares /folder with Brian. */
async function share(): Promise<number> {
  const { files, alice, brian } = stage;
  const id = await files.share({ path: '/folder', owner: alice, recipient: brian });
  await files.dav('PROPFIND', brian, '/');
  return id;
}

async function move(from: string, to: string): Promise<void> {
  expect((await stage.files.transfer('MOVE', stage.alice, from, to)).status).toBe(201);
}

/** HTTP status of a download by the link. */
async function byLink(): Promise<number> {
  const reply = await fetch(`${stage.files.url}/remote.php/dav/public-files/${link.token}/file.txt`);
  await reply.text();
  return reply.status;
}

const downloads = async (): Promise<number[]> => [
  await byLink(),
  await stage.partner.statusOf(LEGACY, federated, 'GET', '/file.txt'),
];

describe('a link and a share with a partner stay view-only, as the share of their initiator was,', () => {
  it('after each loss of the access, not only the first', async () => {
    await end(received);
    expect(await downloads()).toEqual([200, 200]);
    const again = await share();
    await set('attributes', VIEW_ONLY, again);
    expect(await downloads()).toEqual([403, 403]);
    await stage.sql('UPDATE share_recipient SET state = 2 WHERE share_id = $1', [again]);
    expect(await downloads()).toEqual([403, 403]);
  });

  it('when their node moves out of the shared folder', async () => {
    await set('attributes', VIEW_ONLY);
    expect(await downloads()).toEqual([403, 403]);
    await move('/folder/sub', '/elsewhere');
    expect(await downloads()).toEqual([403, 403]);
  });

  it('when it moves out by a restore from the trash bin, or the share ends before the restore', async () => {
    const { files, alice } = stage;
    await set('attributes', VIEW_ONLY);
    await files.dav('DELETE', alice, '/folder/sub');
    await end(received);
    const trash = files.get(TrashBin);
    const [entry] = await trash.list(alice);
    await trash.restoreToOrigin(userView(alice), entry!);
    expect(await byLink()).toBe(403);
  });

  describe('if the folder above the shared one was deleted, also in the offer that is made again', () => {
    async function attributesOfOffer(): Promise<unknown> {
      const of = 'SELECT attributes::jsonb FROM trashed_offer WHERE initiator_uid = $1';
      const [offer] = await stage.sql<{ attributes: unknown }>(of, [stage.brian]);
      return offer!.attributes;
    }

    async function deleteAbove(): Promise<void> {
      const { files, alice } = stage;
      await set('attributes', VIEW_ONLY);
      await stage.sql(
        `UPDATE share SET acceptance = 'accepted', recipient_canonical = 'bea@away.example' WHERE id = $1`,
        [federated.id],
      );
      await files.dav('MKCOL', alice, '/above');
      await move('/folder', '/above/folder');
      await files.dav('DELETE', alice, '/above');
      expect(await attributesOfOffer()).toBeNull();
    }

    async function restore(...names: string[]): Promise<void> {
      const { files, alice } = stage;
      const trash = files.get(TrashBin);
      const [above] = await trash.list(alice);
      const all = await trash.below(alice, above, 10);
      const entry = all.find(({ row }) => row.path.endsWith(`/${names.join('/')}`));
      await trash.restoreToOrigin(userView(alice), entry!);
    }

    it('when their node is restored alone', async () => {
      await deleteAbove();
      await restore('folder', 'sub');
      expect(await byLink()).toBe(403);
      expect(await attributesOfOffer()).toEqual(JSON.parse(VIEW_ONLY));
    });

    it('when their node is restored alone and the offer is all that their initiator shared', async () => {
      await end(link.id);
      await deleteAbove();
      await restore('folder', 'sub');
      expect(await attributesOfOffer()).toEqual(JSON.parse(VIEW_ONLY));
    });

    it('when the share ends before the restore and the offer is all that their initiator shared', async () => {
      await end(link.id);
      await deleteAbove();
      await end(received);
      expect(await attributesOfOffer()).toEqual(JSON.parse(VIEW_ONLY));
    });

    it('and not when it is restored with the shared folder', async () => {
      await deleteAbove();
      await restore('folder');
      expect(await byLink()).toBe(403);
      expect(await attributesOfOffer()).toBeNull();
    });
  });

  it('from the day after its last day until it is removed, and afterwards', async () => {
    await set('attributes', VIEW_ONLY);
    await stage.sql('ALTER TABLE share DISABLE TRIGGER share_narrowed');
    await set('expires_on', '2020-01-01');
    await stage.sql('ALTER TABLE share ENABLE TRIGGER share_narrowed');
    expect(await downloads()).toEqual([403, 403]);
    await end(received);
    expect(await downloads()).toEqual([403, 403]);
  });

  it('when it only takes uploads from now on', async () => {
    await set('attributes', VIEW_ONLY);
    await set('permissions', 4);
    expect(await downloads()).toEqual([403, 403]);
  });

  it('when another share is left, which only takes uploads', async () => {
    const { files, alice, brian } = stage;
    await set('attributes', VIEW_ONLY);
    await files.addGroup(`team-of-${brian}`, brian);
    const group = { recipient: `team-of-${brian}`, group: true, permissions: 4 };
    await files.share({ path: '/folder', owner: alice, ...group });
    await end(received);
    expect(await downloads()).toEqual([403, 403]);
  });
});

it('a link and a share with a partner stay view-only if their initiator shares with their own group, and then looks at nothing', async () => {
  const { files, alice, brian } = stage;
  const team = `team of ${brian}`;
  await files.addGroup(team, brian);
  await files.share({ path: '/folder', owner: alice, initiator: brian, recipient: team, group: true });
  await set('attributes', VIEW_ONLY);
  expect(await downloads()).toEqual([403, 403]);
  await end(received);
  expect(await downloads()).toEqual([403, 403]);
});

describe('a link and a share with a partner follow the share of their initiator', () => {
  it('after a move inside the shared folder', async () => {
    await set('attributes', VIEW_ONLY);
    await move('/folder/sub', '/folder/other');
    expect(await downloads()).toEqual([403, 403]);
    await set('attributes', null);
    expect(await downloads()).toEqual([200, 200]);
  });

  it('that allows the most, and keep no condition of another one', async () => {
    const { files, alice, brian } = stage;
    await set('attributes', VIEW_ONLY);
    await files.addGroup(`all-of-${brian}`, brian);
    await files.share({ path: '/folder', owner: alice, recipient: `all-of-${brian}`, group: true });
    expect(await downloads()).toEqual([200, 200]);
    await move('/folder/sub', '/elsewhere');
    expect(await downloads()).toEqual([200, 200]);
  });
});

describe('a second factor that is demanded of the initiator', () => {
  const lose = (): Promise<unknown> =>
    stage.sql('UPDATE share_recipient SET state = 2 WHERE share_id = $1', [received]);

  it('closes a share whose offer did not demand it, also after they lose access', async () => {
    await set('attributes', DEMAND);
    expect(await downloads()).toEqual([403, 403]);
    await lose();
    expect(await downloads()).toEqual([403, 403]);
  });

  it('does not close a share whose offer demanded it', async () => {
    await set('attributes', DEMAND);
    await set('attributes', DEMAND, federated.id);
    expect(await downloads()).toEqual([403, 200]);
    await lose();
    expect(await downloads()).toEqual([403, 200]);
  });
});
