import {
  recipientIsOurs,
  reshareEnds,
  type PeerProduct,
  type ReshareEnd,
  type ReshareProduct,
  type ReshareSide,
} from '#federation/protocol';
import { SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { InboxShareRepository } from './inbox-share.repository';
import { ShareEventRepository } from '../deliveries/share-event.repository';
import { ShareRepository } from './share.repository';

const PRODUCTS: Readonly<Record<ReshareProduct, PeerProduct>> = {
  owncloud: 'owncloud10',
  ours: 'drawbridge',
  other: 'opencloud',
};
const NAMES = Object.keys(PRODUCTS) as ReshareProduct[];
const SIDES: readonly ReshareSide[] = ['resharer', 'owner', 'recipient'];
/** All triples of products, and both servers that can be this one. */
const CELLS = NAMES.flatMap((owner) =>
  NAMES.flatMap((resharer) => NAMES.map((recipient) => ({ owner, resharer, recipient }))),
).flatMap((products) =>
  (['owner', 'resharer'] as const)
    .filter((us) => products[us] === 'ours')
    .map((us) => [products.owner, products.resharer, products.recipient, us] as const),
);

const KINDS: Readonly<Record<string, ReshareEnd['kind']>> = {
  'share-unshare': 'share-unshared',
  'reshare-undo': 'reshare-undone',
  'reshare-declined': 'share-declined',
};
const host = (side: ReshareSide): string => `${side}.example.org`;
const OWNERS_ID = '77';
const RESHARERS_ID = 'r5';
const RECIPIENT = `carl@${host('recipient')}`;

const RECEIVE = `
  INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect,
    state, file_target)
  SELECT id, '55', $1, $1, 'bob', 'alice@' || host_key, 'alice@' || host_key, 'plan', 'folder', 31, 'ocm-webdav', 'accepted', '/plan'
  FROM peer WHERE host_key = $2 RETURNING id`;
const ASK = `
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
    peer_id, delivery_state, acceptance, via_owner, remote_owner, received_share_id, granted_id, granted_token_hmac, granted_token_enc,
    recipient_peer_id)
  SELECT 6, n.id, 'bob', 'bob', $1, $1, 1, 'own', 'own', o.id, 'delivered', 'accepted', 'granted', 'alice@' || o.host_key, $2, $3, $4, $4,
    (SELECT id FROM peer WHERE host_key = $6 AND $7::boolean)
  FROM node n, peer o WHERE n.received_share_id = $2 AND n.parent_id IS NULL AND o.host_key = $5 RETURNING id`;
const HOME = `
  WITH home AS (INSERT INTO storage (key, owner_uid) VALUES ('home::bob', 'bob') RETURNING id)
  INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
  SELECT id, 'bob', '', '', 'folder', 'httpd/unix-directory', now(), 'etag' FROM home RETURNING id`;
const GRANT = `
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
    peer_id, delivery_state, delivered_at, acceptance, requester_peer_id, requester_share_id)
  SELECT 6, $1, 'bob', 'bob', $2, $2, 1, $3, $3, c.id, 'delivered', now(), 'accepted', b.id, $4
  FROM peer b, peer c WHERE b.host_key = $5 AND c.host_key = $6 RETURNING id`;

describe('messages at the end of a reshare follow the table of products', () => {
  const secrets = new SecretBox(() => Buffer.alloc(32, 7));
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.empty('user_account', 'outbox_message', 'peer');
    const bob = { uid: 'bob', displayName: 'Bob', email: null, passwordHash: '-', groups: [] };
    await new AccountRepository(test.database).insert(bob);
    for (const side of SIDES) await query('INSERT INTO peer (host_key) VALUES ($1)', [host(side)]);
  });

  const query = <Row = unknown>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    test.database.dataSource.query<Row[]>(sql, values);
  const idOf = async (sql: string, values: unknown[]): Promise<number> =>
    Number((await query<{ id: string }>(sql, values))[0]!.id);

  /** The share on this server, which is one of the two. */
  async function share(us: 'owner' | 'resharer', owner: ReshareProduct): Promise<number> {
    const secret = secrets.seal('TheSecret');
    if (us === 'owner') {
      const values = [RECIPIENT, secret, RESHARERS_ID, host('resharer'), host('recipient')];
      return idOf(GRANT, [await idOf(HOME, []), ...values]);
    }
    const received = await idOf(RECEIVE, [secret, host('owner')]);
    const telling = [host('owner'), host('recipient'), recipientIsOurs(PRODUCTS[owner])];
    return idOf(ASK, [RECIPIENT, received, OWNERS_ID, secret, ...telling]);
  }

  /** Ends it as its own user, or with a message from one of the other servers. */
  async function end(id: number, us: 'owner' | 'resharer', endedBy: ReshareSide): Promise<void> {
    if (us === endedBy) return void (await new ShareRepository(test.database, secrets).remove(id));
    await test.database.transaction(async (transaction) => {
      const inbox = new InboxShareRepository(transaction);
      if (endedBy === 'recipient') await inbox.end(id, null);
      else if (us === 'owner') await inbox.revoke(id);
      else await inbox.drop(id);
    });
  }

  async function said(id: number, us: 'owner' | 'resharer'): Promise<ReshareEnd[]> {
    await new ShareEventRepository(test.database).handleAll();
    const rows = await query<{ kind: string; host: string; providerId: string }>(
      `SELECT m.kind, p.host_key AS host, m.payload ->> 'providerId' AS "providerId" FROM outbox_message m JOIN peer p ON p.id = m.peer_id
       WHERE m.state = 'pending' ORDER BY m.id`,
    );
    return rows.map(({ kind, host: to, providerId }) => {
      const isOwners = providerId === (us === 'owner' ? String(id) : OWNERS_ID);
      if (!isOwners) expect(providerId).toBe(RESHARERS_ID);
      const knownBy = isOwners ? 'owner' : 'resharer';
      return { from: us, to: to.split('.')[0] as ReshareSide, kind: KINDS[kind]!, idOf: knownBy };
    });
  }

  it.each(CELLS)('owner %s, resharer %s, recipient %s, at the %s', async (owner, resharer, recipient, us) => {
    for (const endedBy of SIDES) {
      const id = await share(us, owner);
      await query('DELETE FROM outbox_message');
      await end(id, us, endedBy);
      const due = reshareEnds({ owner, resharer, recipient }, endedBy).filter(({ from }) => from === us);
      const inOrder = (ends: readonly ReshareEnd[]): string[] =>
        ends.map((one) => JSON.stringify(one)).sort();
      expect([endedBy, ...inOrder(await said(id, us))]).toEqual([endedBy, ...inOrder(due.map(sorted))]);
      await query('DELETE FROM outbox_message');
      await query('DELETE FROM received_share');
      await query('DELETE FROM storage');
      await query('DELETE FROM share_event');
    }
  });
});

/** With its members in the order of the comparison. */
const sorted = ({ from, to, kind, idOf }: ReshareEnd): ReshareEnd => ({ from, to, kind, idOf });
