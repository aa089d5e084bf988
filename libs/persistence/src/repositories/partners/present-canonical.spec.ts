import { randomToken, SecretBox } from '#platform';
import type { InsertRefusal, OfferedShare, SharedNode } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { RemoteMemberRepository } from '../accounts/remote-member.repository';
import { PublicLinkRepository } from '../shares/public-link.repository';
import { InboxShareRepository } from '../shares/inbox-share.repository';
import { ShareRepository } from '../shares/share.repository';
import { PeerRepository } from './peer.repository';

const [OLD, NEW] = ['old.example.org/cloud', 'new.example.org'];
const ADD_ROOT = `
  WITH home AS (INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice') RETURNING id)
  INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
  SELECT id, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'etag' FROM home
  RETURNING id AS "nodeId", kind, name, path AS "ownerPath", owner_uid AS "ownerUid", mimetype, storage_id AS "storageId"`;

describe('a person at a partner that was renamed', () => {
  let test: TestDatabase;
  let shares: ShareRepository;
  let node: SharedNode;
  let present: number;

  beforeAll(async () => {
    test = await createTestDatabase();
    shares = new ShareRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.empty('user_account', 'user_group', 'outbox_message', 'peer');
    const account = { uid: 'alice', displayName: 'Alice', email: null, passwordHash: '-', groups: [] };
    await new AccountRepository(test.database).insert(account);
    [node] = (await query<SharedNode>(ADD_ROOT)) as [SharedNode];
    const peers = new PeerRepository(test.database);
    present = (await peers.ensure(NEW)).id;
    const { id: former } = await peers.ensure(OLD);
    await query('UPDATE peer SET alias_of = $1 WHERE id = $2', [present, former]);
  });

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);
  const canonicals = async (table: string, column: string): Promise<string[]> =>
    (await query<{ id: string }>(`SELECT ${column} AS id FROM ${table} ORDER BY 1`)).map(({ id }) => id);

  const shareWith = (user: string, hostKey: string): Promise<OfferedShare | InsertRefusal> =>
    shares.federated.insert({
      ...{ node, initiatorUid: 'alice', permissions: 1, expiresOn: null, attributes: null, note: null },
      ...{ isForGroup: false, shareToken: randomToken() },
      recipient: { written: `${user}@${hostKey}`, canonical: `${user}@${hostKey}`, hostKey },
    });

  it.each([
    [OLD, NEW],
    [NEW, OLD],
  ])('gets a share once, with %s and then with %s', async (first, second) => {
    expect(await shareWith('bea', first)).toHaveProperty('shareId');
    expect(await shareWith('bea', second)).toBe('duplicate');
    expect(await canonicals('share', 'recipient_canonical')).toEqual([`bea@${NEW}`]);
  });

  it('gets a share that another person requests under the earlier name once', async () => {
    const { shareId } = (await shareWith('bob', NEW)) as OfferedShare;
    const request = (hostKey: string) =>
      test.database.transaction((transaction) =>
        new InboxShareRepository(transaction).insertRequested(shareId, {
          ...{ recipient: `bea@${hostKey}`, recipientCanonical: `bea@${hostKey}`, recipientPeerId: present },
          ...{ permissions: 1, tokenHmac: Buffer.from(hostKey), tokenEnc: Buffer.from('sealed') },
        }),
      );
    expect(await request(OLD)).toBeDefined();
    expect(await request(NEW)).toBeUndefined();
    expect(await canonicals('share', 'recipient_canonical')).toEqual([`bea@${NEW}`, `bob@${NEW}`]);
  });

  it.each([OLD, NEW])('gets a new share with %s instead of one that has expired', async (hostKey) => {
    const { shareId } = (await shareWith('bea', NEW)) as OfferedShare;
    await query('UPDATE share SET expires_on = current_date - 1 WHERE id = $1', [shareId]);
    expect(await shareWith('bea', hostKey)).toHaveProperty('shareId');
    expect(await canonicals('share', 'recipient_canonical')).toEqual([`bea@${NEW}`]);
  });

  it.each([OLD, NEW])('is found as the one who saved a link, with %s', async (hostKey) => {
    const { shareId } = (await shareWith('bea', NEW)) as OfferedShare;
    await query('UPDATE share SET link_id = id WHERE id = $1', [shareId]);
    const links = new PublicLinkRepository(test.database);
    expect(await links.savedFor(shareId, `bea@${hostKey}`)).toBe(shareId);
    expect(await links.savedFor(shareId, `other@${hostKey}`)).toBeUndefined();
  });

  it('is a member of a group once', async () => {
    await query(`INSERT INTO user_group (gid) VALUES ('team')`);
    const named = (hostKey: string) => ({
      cloudId: `bea@${hostKey}`,
      canonical: `bea@${hostKey}`,
      hostKey,
    });
    const members = new RemoteMemberRepository(test.database);
    expect(await members.add('team', [named(OLD), named(NEW)])).toBe(1);
    expect(await members.add('team', [named(OLD)])).toBe(0);
    expect(await canonicals('group_remote_member', 'canonical')).toEqual([`bea@${NEW}`]);
    expect(await members.remove('team', [`bea@${OLD}`])).toBe(1);
  });
});
