import { PeerRepository } from '#persistence';
import { readConfig, type SecretBox } from '#platform';
import {
  createTestDatabase,
  ownCloudDocument,
  reply,
  replyJson,
  startDavPartner,
  startFakeServer,
  type DavPartner,
  type DavShare,
  type TestDatabase,
} from '#testing';
import { RemoteShares } from '../../../../libs/testing/src/partners/remote-shares';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

const config = readConfig({
  PUBLIC_URL: 'https://share.example.org',
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
});

let test: TestDatabase;
let received: RemoteShares;
let secrets: SecretBox;
let old: DavPartner;
let next: DavPartner;

beforeAll(async () => {
  test = await createTestDatabase();
  received = new RemoteShares(test.database);
  secrets = received.secrets;
});
afterAll(() => test.drop());
beforeEach(async () => {
  [old, next] = [await startDavPartner(), await startDavPartner()];
});
afterEach(async () => {
  await Promise.all([old.close(), next.close()]);
  await test.empty('peer', 'user_account');
  await query('DELETE FROM outbox_message');
});

const query = <T = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<T[]> =>
  test.database.dataSource.query<T[]>(text, values);

const rename = (...options: string[]): Promise<Record<string, unknown>> => renameTo(next.hostKey, ...options);

async function renameTo(newHost: string, ...options: string[]): Promise<Record<string, unknown>> {
  const words = ['peer', 'rename', old.hostKey, newHost, ...options];
  const { command, input } = parseCommandLine(words)!;
  const instance = { config, secrets, open: async () => test.database } as unknown as Instance;
  const output = await command.run(input, instance);
  if (output.kind === 'rows') throw new Error('rows');
  return output.record;
}

/** Makes a share that one of our users accepted. On request, the new host serves it as well. */
async function acceptedShare(providerId: string, isMoved = true): Promise<DavShare> {
  const offered = old.share(providerId);
  const { receivedShareId } = await received.receive(old, offered);
  await query(
    `UPDATE received_share SET state = 'accepted', file_target = '/' || provider_id WHERE id = $1`,
    [receivedShareId],
  );
  if (isMoved) Object.assign(next.share(providerId), { secret: offered.secret });
  return offered;
}

/** Makes a share of ours with a person at the old host, an open message about it, and a delivered one. */
async function sentShare(): Promise<void> {
  const { id } = await new PeerRepository(test.database).ensure(old.hostKey);
  await query(
    `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '') ON CONFLICT DO NOTHING`,
  );
  await query(`INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice')`);
  await query(`INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT id, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage WHERE key = 'home::alice'`);
  await query(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, peer_id,
       delivery_state, acceptance)
     SELECT 6, id, 'alice', 'alice', 'bea@HTTP://' || $2, 'bea@' || $2, 1, $1, 'delivered', 'unknown' FROM node
     WHERE owner_uid = 'alice'`,
    [id, old.hostKey],
  );
  await query(
    `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at, available_at)
     SELECT 'share', s.id, $1, 'share-permissions', n, 'key ' || n, jsonb_build_object('providerId', s.id::text, 'grantee', s.recipient),
       CASE n WHEN 1 THEN 'delivered' ELSE 'pending' END, now() + interval '1 day', now() + interval '1 hour'
     FROM share s, generate_series(1, 2) n`,
    [id],
  );
}

const hostOfPeer = async (table: string, condition = 'true'): Promise<string[]> =>
  (
    await query<{ host: string }>(
      `SELECT p.host_key AS host FROM ${table} t JOIN peer p ON p.id = t.peer_id WHERE ${condition} ORDER BY t.id`,
    )
  ).map(({ host }) => host);

describe('peer rename', () => {
  it('counts the rows to move, and moves nothing', async () => {
    await acceptedShare('1');
    await sentShare();
    const [{ before }] = (await query('SELECT count(*)::int AS before FROM peer')) as [{ before: number }];
    expect(await rename()).toMatchObject({
      ...{ from: old.hostKey, to: next.hostKey, done: false },
      ...{ shares: 1, receivedShares: 1, messages: 1, staying: 0 },
    });
    expect(await query('SELECT count(*)::int AS before FROM peer')).toEqual([{ before }]);
    expect([...old.seen('PROPFIND'), ...next.seen('PROPFIND')]).toEqual([]);
    expect(await hostOfPeer('received_share')).toEqual([old.hostKey]);
  });

  it('moves shares, received shares and waiting messages, once', async () => {
    const offered = await acceptedShare('1');
    const access = (url: string) => ({
      ...{ webdavUri: `${url}/dav/ocm/1`, requirements: ['x'] },
      webapp: { uri: `${url}/app`, permissions: ['view'], appName: '' },
    });
    await sentShare();
    await query('UPDATE received_share SET access = $1, look_at = NULL, token_enc = $2', [
      { requirements: [] },
      secrets.seal(offered.secret),
    ]);
    await query(
      `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name,
        permissions, dialect, access)
      SELECT peer_id, 'absolute', token_hmac, token_enc, recipient_uid, owner, 'x@elsewhere.example', 'n', 1, 'ocm-multi', $1
      FROM received_share`,
      [access(old.url)],
    );
    expect(await rename('--yes')).toMatchObject({
      done: true,
      proven: 1,
      shares: 1,
      receivedShares: 2,
      messages: 1,
    });

    expect(await query('SELECT recipient, recipient_canonical FROM share')).toEqual([
      { recipient: `bea@http://${next.hostKey}`, recipient_canonical: `bea@${next.hostKey}` },
    ]);
    expect(await hostOfPeer('share')).toEqual([next.hostKey]);
    expect(await hostOfPeer('received_share')).toEqual([next.hostKey, next.hostKey]);
    expect(await query('SELECT owner, sender, access FROM received_share ORDER BY id')).toEqual([
      {
        owner: `owner@http://${next.hostKey}`,
        sender: `owner@http://${next.hostKey}`,
        access: { requirements: [] },
      },
      {
        owner: `owner@http://${next.hostKey}`,
        sender: 'x@elsewhere.example',
        access: access(next.url),
      },
    ]);
    expect(await hostOfPeer('outbox_message')).toEqual([old.hostKey, next.hostKey]);
    const [open] =
      await query(`SELECT payload ->> 'grantee' AS grantee, available_at <= now() AS due FROM outbox_message
      WHERE state = 'pending'`);
    expect(open).toEqual({ grantee: `bea@http://${next.hostKey}`, due: true });

    expect(await rename()).toMatchObject({ done: true, shares: 0, receivedShares: 0, messages: 0 });
    expect(await rename('--yes')).toMatchObject({ done: true, shares: 0, receivedShares: 0, messages: 0 });
  });

  it('moves files that wait for folders of the partner', async () => {
    await acceptedShare('1');
    await query(
      `INSERT INTO stored_write (received_share_id, peer_id, path, writer_uid, share_name, host_key, size, sha1, blob_key, mtime)
       SELECT id, peer_id, '/f.txt', recipient_uid, name, $1, 1, '', 'a-blob', now() FROM received_share`,
      [old.hostKey],
    );
    await rename('--yes');
    expect(await hostOfPeer('stored_write')).toEqual([next.hostKey]);
    expect(await query('SELECT host_key FROM stored_write')).toEqual([{ host_key: next.hostKey }]);
    await query('DELETE FROM stored_write');
  });

  it('moves members of groups with their shares, and merges members that were in a group twice', async () => {
    await sentShare();
    const { id } = await new PeerRepository(test.database).ensure(old.hostKey);
    await query(`INSERT INTO user_group (gid) VALUES ('team') ON CONFLICT DO NOTHING`);
    await query(
      `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id)
       SELECT 'team', name || '@' || host, name || '@http://' || host, $1 FROM (VALUES ('bea', $2), ('ben', $2)) AS m (name, host)`,
      [id, old.hostKey],
    );
    await query(
      `INSERT INTO group_recipient (group_share_id, canonical, recipient, share_id)
       SELECT id, 'bea@' || $1, 'bea@' || $1, id FROM share`,
      [old.hostKey],
    );
    await query(
      `WITH s AS (INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
         SELECT 1, node_id, owner_uid, initiator_uid, 'team', 'team', 1 FROM share RETURNING id)
       INSERT INTO group_recipient (group_share_id, canonical, recipient, ended, member_since)
       SELECT s.id, m.canonical, m.cloud_id, 'declined', m.added_at FROM s, group_remote_member m WHERE m.canonical LIKE 'ben@%'`,
    );
    await query(
      `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id) SELECT 'team', id, 'ben@http://' || $2, $1 FROM (SELECT 'ben@' || $2 AS id) m`,
      [id, next.hostKey],
    );
    expect(await rename()).toMatchObject({ members: 3 });
    await rename('--yes');
    const members = ['bea', 'ben'].map((name) => ({
      canonical: `${name}@${next.hostKey}`,
      cloud_id: `${name}@http://${next.hostKey}`,
    }));
    expect(await query('SELECT canonical, cloud_id FROM group_remote_member ORDER BY canonical')).toEqual(
      members,
    );
    expect(
      await query('SELECT DISTINCT p.host_key FROM group_remote_member m JOIN peer p ON p.id = m.peer_id'),
    ).toEqual([{ host_key: next.hostKey }]);
    expect(await query('SELECT canonical FROM group_recipient ORDER BY canonical')).toEqual([
      { canonical: `bea@${next.hostKey}` },
      { canonical: `ben@${next.hostKey}` },
    ]);
    expect(
      await query(
        `SELECT r.ended FROM group_recipient r JOIN group_remote_member m ON m.canonical = r.canonical AND m.added_at = r.member_since`,
      ),
    ).toEqual([{ ended: 'declined' }]);
    await query('DELETE FROM user_group');
  });

  it('moves offers that wait in the trash bin for the restore of their node', async () => {
    await sentShare();
    await query(
      `INSERT INTO trashed_offer (node_id, initiator_uid, recipient, recipient_canonical, permissions)
       SELECT s.node_id, 'alice', recipient.id, recipient.id, 1 FROM share s, (VALUES ('bea@' || $1), ('ben@third.example')) AS recipient (id)`,
      [old.hostKey],
    );
    await rename('--yes');
    expect(
      await query('SELECT recipient, recipient_canonical AS canonical FROM trashed_offer ORDER BY 1'),
    ).toEqual([
      { recipient: `bea@http://${next.hostKey}`, canonical: `bea@${next.hostKey}` },
      { recipient: 'ben@third.example', canonical: 'ben@third.example' },
    ]);
  });

  it('moves reshares from the old host to other recipients', async () => {
    await sentShare();
    await query(
      `UPDATE share SET via_owner = 'asked', remote_owner = 'rem@' || $1, received_share_id = 1, recipient = 'carl@third.example',
      recipient_canonical = 'carl@third.example'`,
      [old.hostKey],
    );
    expect(await rename('--yes')).toMatchObject({ shares: 1 });
    expect(await query('SELECT remote_owner, recipient, recipient_canonical FROM share')).toEqual([
      {
        remote_owner: `rem@http://${next.hostKey}`,
        recipient: 'carl@third.example',
        recipient_canonical: 'carl@third.example',
      },
    ]);
    expect(await hostOfPeer('share')).toEqual([next.hostKey]);
  });

  it('lets the old name and older ones lead to the new host; and can be undone', async () => {
    const peers = new PeerRepository(test.database);
    await acceptedShare('1');
    const older = await peers.ensure('older.example');
    await query('UPDATE peer SET alias_of = (SELECT id FROM peer WHERE host_key = $1) WHERE id = $2', [
      old.hostKey,
      older.id,
    ]);
    await query(`UPDATE peer SET trust = 'trusted' WHERE host_key = $1`, [old.hostKey]);
    await rename('--yes');
    for (const name of [old.hostKey, 'older.example'])
      expect(await peers.ensure(name)).toMatchObject({ hostKey: next.hostKey, trust: 'trusted' });
    [old, next] = [next, old];
    await rename('--yes');
    for (const name of [old.hostKey, next.hostKey, 'older.example'])
      expect(await peers.find(name)).toMatchObject({ hostKey: next.hostKey });
    expect(await hostOfPeer('received_share')).toEqual([next.hostKey]);
  });

  it('needs both hosts, or the option for a missing old one', async () => {
    await acceptedShare('1');
    const port = old.port;
    await old.close();
    await expect(rename('--yes')).rejects.toThrow(/is not a partner: not-listening[^]*--old-host-gone/);
    expect(await rename('--yes', '--old-host-gone')).toMatchObject({ done: true, receivedShares: 1 });
    old = await startDavPartner({ port });
    await next.close();
    await expect(rename('--yes')).rejects.toThrow(`${next.hostKey} is not a partner: not-listening.`);
  });

  it('does nothing if the new host shows none of the shares', async () => {
    await acceptedShare('1', false);
    await expect(rename('--yes')).rejects.toThrow('shows none of 1 shares: nothing was done');
    expect(await hostOfPeer('received_share')).toEqual([old.hostKey]);
  });

  it('does nothing if the new host shows a share to everybody', async () => {
    await acceptedShare('1');
    const shown = `<d:multistatus xmlns:d="DAV:"><d:response><d:href>/public.php/webdav/</d:href><d:propstat><d:prop><d:resourcetype>
      <d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`;
    const server = await startFakeServer(({ method, path }, response) => {
      if (method === 'PROPFIND') reply(response, 207, shown, 'application/xml');
      else if (path === '/ocm-provider/') replyJson(response, 200, ownCloudDocument(server.url));
      else reply(response, 404, '');
    });
    await expect(renameTo(`127.0.0.1:${server.port}`, '--yes')).rejects.toThrow('shows a share to anybody');
    await server.close();
    expect(await hostOfPeer('received_share')).toEqual([old.hostKey]);
  });

  it('asks for at most five shares, and also moves shares that the new host does not show', async () => {
    for (const id of ['1', '2', '3', '4', '5', '6', '7']) await acceptedShare(id, id === '3');
    expect(await rename('--yes')).toMatchObject({ proven: 1, receivedShares: 7 });
    expect(next.seen('PROPFIND')).toHaveLength(6);
  });

  it('keeps shares that the new host has already offered', async () => {
    const offered = await acceptedShare('1');
    await acceptedShare('2');
    await received.receive(next, Object.assign(next.share('1'), { secret: offered.secret }));
    await query(
      `INSERT INTO stored_write (received_share_id, peer_id, path, writer_uid, share_name, host_key, size, sha1, blob_key, mtime)
       SELECT id, peer_id, '/f.txt', recipient_uid, name, $1, 1, '', 'for ' || provider_id, now() FROM received_share WHERE state = 'accepted'`,
      [old.hostKey],
    );
    await query(
      `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at, available_at)
       SELECT 'received-share', id, peer_id, 'received-decline', 1, 'about ' || provider_id, '{}', 'pending', now(), now()
       FROM received_share WHERE state = 'accepted'`,
    );
    expect(await rename()).toMatchObject({ receivedShares: 1, messages: 1, staying: 1 });
    expect(await rename('--yes')).toMatchObject({ receivedShares: 1, messages: 1, staying: 1 });
    expect(await hostOfPeer('stored_write')).toEqual([old.hostKey, next.hostKey]);
    expect(await query('SELECT blob_key, host_key FROM stored_write ORDER BY id')).toEqual([
      { blob_key: 'for 1', host_key: old.hostKey },
      { blob_key: 'for 2', host_key: next.hostKey },
    ]);
    expect(await hostOfPeer('outbox_message')).toEqual([old.hostKey, next.hostKey]);
    expect((await hostOfPeer('received_share', `t.state = 'accepted'`)).sort()).toEqual(
      [old.hostKey, next.hostKey].sort(),
    );
  });

  it('never gives a recipient a share twice', async () => {
    await sentShare();
    const { id } = await new PeerRepository(test.database).ensure(next.hostKey);
    await query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, peer_id,
        delivery_state, acceptance)
      SELECT 6, node_id, owner_uid, initiator_uid, 'bea@' || $2, 'bea@' || $2, 1, $1, 'delivered', 'unknown' FROM share`,
      [id, next.hostKey],
    );
    await rename('--yes');
    expect(await query('SELECT recipient_canonical AS canonical FROM share ORDER BY id')).toEqual([
      { canonical: null },
      { canonical: `bea@${next.hostKey}` },
    ]);
  });

  it('refuses hosts that are no partners', async () => {
    await expect(rename()).rejects.toThrow(`There is no partner ${old.hostKey}.`);
    await expect(renameTo(old.hostKey)).rejects.toThrow('Both hosts are the same.');
  });
});
