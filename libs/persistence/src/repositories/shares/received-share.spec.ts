import type { ReceivedShareState } from '#sharing';
import { coalesce, MESSAGES, readContent, type MessageKind, type MessageState } from '#federation/exchange';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { ShareEventRepository } from '../deliveries/share-event.repository';
import { PeerRepository } from '../partners/peer.repository';
import { ReceivedShareRepository } from './received-share.repository';

interface MessageRow {
  readonly id: number;
  readonly kind: MessageKind;
  readonly state: MessageState;
  readonly revision: number;
  readonly subject: string;
  readonly payload: unknown;
  readonly sealed_secret: Buffer | null;
  readonly lifetime_ms: number;
}

const SECRET = Buffer.from('sealed');

describe('a received share whose recipient is removed', () => {
  let test: TestDatabase;
  let id: number;
  let peerId: number;

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);
  const messages = async (): Promise<MessageRow[]> => {
    await new ShareEventRepository(test.database).handleAll();
    return query<MessageRow>(
      `SELECT id, kind, state, revision, subject_type || '/' || subject_id AS subject, payload, sealed_secret,
         (extract(epoch FROM deadline_at - created_at) * 1000)::double precision AS lifetime_ms
       FROM outbox_message ORDER BY id`,
    );
  };
  const setState = (state: ReceivedShareState): Promise<number> =>
    test.database.transaction((transaction) =>
      new ReceivedShareRepository(test.database).changeState(transaction, id, state),
    );
  const removeRecipient = (): Promise<boolean> => new AccountRepository(test.database).remove('bob');
  const addMessage = async (kind: MessageKind, state: MessageState): Promise<number> => {
    const [row] = await query<{ id: number }>(
      `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at)
       VALUES ('received-share', $1, $2, $3::text, 1, $3 || ':earlier', '{}', $4, now() + interval '1 day') RETURNING id`,
      [id, peerId, kind, state],
    );
    return row!.id;
  };

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.empty('user_account', 'outbox_message', 'peer');
    const account = { uid: 'bob', displayName: 'Bob', email: null, passwordHash: '-', groups: [] };
    await new AccountRepository(test.database).insert(account);
    peerId = (await new PeerRepository(test.database).ensure('cloud.example.org')).id;
    const people = {
      ...{ owner: 'bea@cloud.example.org', ownerDisplayName: 'Bea' },
      ...{ sender: 'bea@cloud.example.org', senderDisplayName: 'Bea' },
    };
    const content = {
      ...{ name: 'Plans', description: '', kind: 'folder' as const, permissions: 1, access: {} },
      webappTokenEnc: null,
    };
    const made = await new ReceivedShareRepository(test.database).insert(
      {
        ...{ peerId, providerId: '77', tokenHmac: Buffer.from('hmac'), tokenEnc: SECRET },
        ...{ ...people, ...content, expiresAt: null, dialect: 'ocm-webdav', verified: false },
      },
      ['bob'],
      'You received "/Plans"',
    );
    id = Number(made.get('bob'));
  });

  it.each<ReceivedShareState>(['pending', 'accepted', 'quarantined'])(
    'is declined once if it is %s',
    async (state) => {
      const revision = state === 'pending' ? 0 : await setState(state);
      await removeRecipient();
      const [notice, ...more] = await messages();
      expect(more).toEqual([]);
      expect(notice).toMatchObject({
        kind: 'received-decline',
        state: 'pending',
        revision: revision + 1,
        subject: `received-share/${id}`,
        payload: { providerId: '77', grantee: null },
        sealed_secret: SECRET,
      });
      expect(readContent(notice!.kind, notice!.payload).kind).toBe('received-decline');
      expect(notice!.lifetime_ms).toBeCloseTo(MESSAGES['received-decline'].lifetimeMs, -1);
    },
  );

  it.each<ReceivedShareState>(['declined', 'gone'])('causes no message if it is %s', async (state) => {
    await setState(state);
    await removeRecipient();
    expect(await messages()).toEqual([]);
  });

  const KINDS: readonly MessageKind[] = ['received-accept', 'received-decline', 'reshare-request'];
  const OPEN: readonly MessageState[] = ['pending', 'queued', 'inflight'];
  it.each(KINDS.flatMap((kind) => OPEN.map((state) => [kind, state] as const)))(
    'changes an open %s (%s) in the same way as the delivery',
    async (kind, state) => {
      await setState('accepted');
      const messageId = await addMessage(kind, state);
      const open = { messageId, kind, state, attempts: 0, maybeDelivered: false };
      const expected = coalesce([open], 'received-decline');
      await removeRecipient();
      const [earlier, notice] = await messages();
      expect(earlier!.state).toBe(expected.superseded.length > 0 ? 'superseded' : state);
      expect(notice !== undefined).toBe(expected.needed);
    },
  );
});
