import { RestoredOffers } from '#persistence';
import { SecretBox } from '#platform';
import { RuntimeSettings } from '#settings';
import { eventually } from '#testing';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

const FILE = '/folder/file.txt';
const FOLLOW = ['files_sharing', 'reshares_without_access'] as const;

let files: FilesApp;
let alice: string;
let brian: string;
let nodeId: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, FILE, { body: 'of alice' });
  const rows = await query<{ id: string }>(
    'SELECT id FROM node WHERE owner_uid = $1 AND path = $2',
    alice,
    FILE,
  );
  nodeId = String(rows[0]!.id);
});
afterEach(() => files.get(RuntimeSettings).unset(...FOLLOW));

const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);
const renew = (): Promise<void> => new RestoredOffers(files.database, files.get(SecretBox)).renew();

async function restore(): Promise<void> {
  const reply = await fetch(`${files.url}/remote.php/dav/trash-bin/${alice}/${nodeId}`, {
    method: 'MOVE',
    headers: { authorization: files.authorizationOf(alice), destination: files.addressOf(FILE) },
  });
  expect(reply.status).toBe(201);
}

/** The present shares of the file with partners, and the names in their offers. */
const offers = (): Promise<object[]> =>
  query(
    `SELECT s.owner_uid AS owner, s.initiator_uid AS initiator, s.permissions, s.expires_on - current_date AS days,
       m.payload ->> 'name' AS name, (m.payload ->> 'permissions')::int AS offered
     FROM share s LEFT JOIN outbox_message m ON m.subject_type = 'share' AND m.subject_id = s.id AND m.kind = 'share-create'
     WHERE s.node_id = $1 AND s.share_type = 6`,
    nodeId,
  );
const offer = (permissions: number, more: object = {}): object => ({
  ...{ owner: alice, initiator: alice, permissions, offered: permissions, days: null, name: 'file.txt' },
  ...more,
});

describe('the offer of a restored node to a partner', () => {
  it.each([
    ['another folder', '/other', false],
    ['a folder of another person', '/team', true],
  ])('is made once, of the node at its present place: %s', async (_, folder, ofBrian) => {
    await files.dav('MKCOL', ofBrian ? brian : alice, folder);
    if (ofBrian) await files.share({ path: folder, owner: brian, recipient: alice });
    await files.dav('PROPFIND', alice, '/');
    await files.federatedShare({ path: FILE, owner: alice, permissions: 19 });
    await files.dav('DELETE', alice, FILE);
    await restore();
    expect((await files.transfer('MOVE', alice, FILE, `${folder}/moved.txt`)).status).toBe(201);
    await renew();
    await renew();
    expect(await offers()).toEqual([offer(19, { name: 'moved.txt', owner: ofBrian ? brian : alice })]);
  });

  it('is not made of the folder from which the node was moved, nor of the node for the share of the folder', async () => {
    await files.federatedShare({ path: '/folder', owner: alice });
    await files.dav('DELETE', alice, FILE);
    await restore();
    await files.transfer('MOVE', alice, FILE, '/out.txt');
    await renew();
    expect(await offers()).toEqual([]);
    expect(await query('SELECT FROM share WHERE owner_uid = $1 AND share_type = 6', alice)).toHaveLength(1);
  });

  it.each([
    ['permissions = 1', [1, null]],
    ['expires_on = current_date + 3', [3, 3]],
    ['permissions = 4', undefined],
    [`password_hash = 'new'`, undefined],
  ])('allows no more than the link from which its recipient saved it: %s', async (change, left) => {
    const saved = await files.federatedShare({ path: FILE, owner: alice, permissions: 3 });
    const [link] = await query<{ id: number }>(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, token_hmac, token_enc)
       SELECT 3, node_id, owner_uid, initiator_uid, 3, 'link' || id::text::bytea, token_enc FROM share WHERE id = $1 RETURNING id`,
      saved.id,
    );
    await query('UPDATE share SET link_id = $2 WHERE id = $1', saved.id, link!.id);
    await files.dav('DELETE', alice, FILE);
    await restore();
    await query(`UPDATE share SET ${change} WHERE id = $1`, link!.id);
    await renew();
    expect(await offers()).toEqual(left ? [offer(left[0]!, { days: left[1] })] : []);
  });

  it('allows no more than its maker may do, where shares follow their makers', async () => {
    await files.get(RuntimeSettings).set(...FOLLOW, 'follow');
    const received = await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.federatedShare({ path: FILE, owner: alice, initiator: brian, permissions: 19 });
    await files.dav('DELETE', alice, FILE);
    await query('UPDATE share SET permissions = 17 WHERE id = $1', received);
    await restore();
    await renew();
    expect(await offers()).toEqual([offer(17, { initiator: brian })]);
  });

  it('is not lost if the node is deleted again at that moment', async () => {
    await files.federatedShare({ path: FILE, owner: alice, permissions: 19 });
    await files.dav('DELETE', alice, FILE);
    await restore();
    const deletion = files.database.dataSource.createQueryRunner();
    await deletion.startTransaction();
    await deletion.query('SELECT FROM node WHERE id = $1 FOR UPDATE', [nodeId]);
    const renewed = renew();
    await eventually('the wait for the deletion', async () => {
      const waiting = await query('SELECT FROM pg_locks WHERE NOT granted');
      return waiting.length > 0;
    });
    await deletion.query(`UPDATE node SET path = '~' || id, parent_id = NULL WHERE id = $1`, [nodeId]);
    await deletion.commitTransaction();
    await deletion.release();
    await renewed;
    expect(await offers()).toEqual([]);
    await query(
      `UPDATE node n SET path = $2, parent_id = folder.id FROM node folder WHERE n.id = $1 AND folder.owner_uid = $3 AND folder.path = '/folder'`,
      ...[nodeId, FILE, alice],
    );
    await renew();
    expect(await offers()).toEqual([offer(19)]);
  });
});
