import { coalesce, MESSAGES, type MessageKind, type MessageState } from '#federation/exchange';
import { actingFor, randomToken, SecretBox } from '#platform';
import type { Day, NewFederatedShare, OfferedShare, SharedNode } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { eventually } from '../../../../testing/src/waiting';
import { AccountRepository } from '../accounts/account.repository';
import { DeliveryAdministrationRepository } from '../deliveries/delivery-administration.repository';
import { ShareEventRepository } from '../deliveries/share-event.repository';
import { ShareRepository } from './share.repository';

interface MessageRow {
  readonly id: number;
  readonly kind: MessageKind;
  readonly state: MessageState;
  readonly revision: number;
  readonly payload: unknown;
  readonly sealed_secret: Buffer | null;
  readonly lifetime_ms: number;
}

const ADD_FILE = `
  WITH home AS (
    INSERT INTO storage (key, owner_uid) VALUES ('home::' || $1, $1)
    ON CONFLICT (owner_uid) WHERE received_share_id IS NULL DO UPDATE SET owner_uid = EXCLUDED.owner_uid RETURNING id
  ), root AS (
    INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT id, $1, '', '', 'folder', 'httpd/unix-directory', now(), 'etag' FROM home RETURNING id, storage_id
  )
  INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key)
  SELECT storage_id, id, $1, 'a.txt', '/a.txt', 'file', 'text/plain', now(), 'etag', gen_random_uuid()::text FROM root
  RETURNING id::integer AS "nodeId", kind, name, path AS "ownerPath", owner_uid AS "ownerUid", mimetype,
    storage_id AS "storageId", parent_id::integer AS "parentId"`;

describe('federated shares in Postgres', () => {
  let test: TestDatabase;
  let shares: ShareRepository;
  let node: SharedNode;
  const secrets = new SecretBox(() => Buffer.alloc(32, 7));

  beforeAll(async () => {
    test = await createTestDatabase();
    shares = new ShareRepository(test.database, secrets);
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.empty('user_account', 'outbox_message', 'peer');
    const accounts = new AccountRepository(test.database);
    for (const [uid, displayName] of [
      ['alice', 'Alice Example'],
      ['bob', 'Bob'],
    ] as const)
      await accounts.insert({ uid, displayName, email: null, passwordHash: '-', groups: [] });
    [node] = (await query<SharedNode>(ADD_FILE, ['alice'])) as [SharedNode];
  });

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);
  const messages = async (): Promise<MessageRow[]> => {
    await new ShareEventRepository(test.database).handleAll();
    return query<MessageRow>(
      `SELECT id, kind, state, revision, payload, sealed_secret,
         (extract(epoch FROM deadline_at - created_at) * 1000)::double precision AS lifetime_ms
       FROM outbox_message ORDER BY id`,
    );
  };
  const draft = (given: Partial<NewFederatedShare> = {}): NewFederatedShare => ({
    node,
    initiatorUid: 'alice',
    permissions: 19,
    expiresOn: null,
    attributes: null,
    note: null,
    isForGroup: false,
    shareToken: randomToken(),
    recipient: {
      written: 'bea@http://Cloud.example.org',
      canonical: 'bea@cloud.example.org',
      hostKey: 'cloud.example.org',
      localUid: undefined,
    },
    ...given,
  });
  const insert = async (given: Partial<NewFederatedShare> = {}): Promise<OfferedShare> => {
    const made = await shares.federated.insert(draft(given));
    if (typeof made === 'string') throw new Error(made);
    return made;
  };
  const end = (id: number): Promise<boolean> => shares.remove(id);
  const setMessage = (assignments: string): Promise<unknown[]> =>
    query(`UPDATE outbox_message SET ${assignments}`);

  it('stores a share with the message that offers it', async () => {
    const shareToken = randomToken();
    const { shareId, offerId } = await insert({ shareToken, expiresOn: '2035-05-05' as Day });
    expect(await shares.find(shareId, 'alice')).toMatchObject({
      type: 6,
      recipient: 'bea@http://Cloud.example.org',
      shareToken,
      expiresOn: '2035-05-05',
      fileTarget: '',
      attributes: null,
      delivery: { state: 'pending', attempts: 0, nextAttemptAtSeconds: null, error: null },
      acceptance: 'unknown',
      acceptanceSource: null,
    });
    const [message] = await messages();
    expect(message).toMatchObject({ id: offerId, kind: 'share-create', state: 'pending', revision: 0 });
    expect(message!.payload).toEqual({
      shareWith: 'bea@http://Cloud.example.org',
      name: 'a.txt',
      nodeKind: 'file',
      permissions: 19,
      expiresOn: '2035-05-05',
      note: null,
      owner: { uid: 'alice', displayName: 'Alice Example' },
      sender: { uid: 'alice', displayName: 'Alice Example' },
    });
    expect(secrets.open(message!.sealed_secret!)).toBe(shareToken);
    expect(message!.lifetime_ms).toBeCloseTo(MESSAGES['share-create'].lifetimeMs, -1);
    expect(JSON.stringify(message)).not.toContain(shareToken);
  });

  it.each([
    ['pending', '2036-06-06'],
    ['refused', '2036-06-06'],
    ['delivered', '2035-05-05'],
  ])(
    'makes an offer that is %s of the share with the last day %s after a change',
    async (state, expiresOn) => {
      const { shareId } = await insert({ expiresOn: '2035-05-05' as Day });
      await setMessage(`state = '${state}'`);
      await shares.update(shareId, 'alice', () => ({ expiresOn: '2036-06-06' as Day }));
      expect(await messages()).toMatchObject([{ kind: 'share-create', state, payload: { expiresOn } }]);
    },
  );

  it('says whether its message waits for a partner that gets none, also after a renaming', async () => {
    expect(await insert()).toMatchObject({ isHeld: false });
    await query(`INSERT INTO peer (host_key) VALUES ('paused.example.org')`);
    await query(`UPDATE peer SET paused = true WHERE host_key = 'paused.example.org'`);
    await query(
      `UPDATE peer SET alias_of = (SELECT id FROM peer WHERE host_key = 'paused.example.org') WHERE host_key = 'cloud.example.org'`,
    );
    const recipient = { ...draft().recipient, canonical: 'ben@cloud.example.org' };
    expect(await insert({ recipient })).toMatchObject({ isHeld: true });
    const [{ host }] = (await query<{ host: string }>(
      'SELECT p.host_key AS host FROM outbox_message m JOIN peer p ON p.id = m.peer_id ORDER BY m.id DESC LIMIT 1',
    )) as [{ host: string }];
    expect(host).toBe('paused.example.org');
  });

  it('has one share for two spellings of a recipient, even for simultaneous calls', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => shares.federated.insert(draft())));
    expect(made.filter((one) => one === 'duplicate')).toHaveLength(19);
    expect(await messages()).toHaveLength(1);
  });

  it('refuses a missing node, and leaves no message', async () => {
    await query('DELETE FROM node WHERE id = $1', [node.nodeId]);
    expect(await shares.federated.insert(draft())).toBe('gone');
    expect(await messages()).toEqual([]);
  });

  it('waits for an account that is being removed, holding nothing else, and finds it gone', async () => {
    const removal = test.database.dataSource.createQueryRunner();
    await removal.startTransaction();
    try {
      await removal.query("SELECT FROM user_account WHERE uid = 'alice' FOR UPDATE");
      const made = shares.federated.insert(draft());
      await eventually('the insert waits', async () => {
        const waiting = await query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return waiting.length > 0;
      });
      expect(await query('SELECT id FROM node WHERE id = $1 FOR UPDATE NOWAIT', [node.nodeId])).toHaveLength(
        1,
      );
      await removal.query("DELETE FROM user_account WHERE uid = 'alice'");
      await removal.commitTransaction();
      expect(await made).toBe('gone');
      expect(await messages()).toEqual([]);
    } finally {
      await removal.release();
    }
  });

  it('lists it among the initiator’s own, and in a list of this type', async () => {
    const { shareId } = await insert();
    const page = { limit: 10, after: undefined };
    for (const types of [undefined, [6]])
      expect(
        (await shares.listOwn('alice', { alsoOthersOfMine: false, types }, page)).map(({ id }) => id),
      ).toEqual([shareId]);
    expect(await shares.listOwn('alice', { alsoOthersOfMine: false, types: [0] }, page)).toEqual([]);
  });

  describe('a change of permissions', () => {
    it('is sent with the next revision, and replaces an unsent one', async () => {
      const { shareId } = await insert();
      await setMessage("state = 'delivered'");
      await shares.update(shareId, 'alice', () => ({ permissions: 1 }));
      await shares.update(shareId, 'alice', () => ({ permissions: 3 }));
      const [, first, second] = await messages();
      expect(first).toMatchObject({ kind: 'share-permissions', state: 'superseded', revision: 1 });
      expect(second).toMatchObject({
        kind: 'share-permissions',
        state: 'pending',
        revision: 2,
        payload: { providerId: String(shareId), grantee: 'bea@http://Cloud.example.org', permissions: 3 },
      });
    });

    it.each([
      ['the same permissions', { permissions: 19 }],
      ['another day', { expiresOn: '2035-05-05' as Day }],
    ])('is not sent for %s', async (_what, change) => {
      const { shareId } = await insert();
      await shares.update(shareId, 'alice', () => change);
      expect(await messages()).toHaveLength(1);
    });
  });

  describe('the end of a federated share', () => {
    const delivered = async (): Promise<number> => {
      const { shareId } = await insert();
      await setMessage("state = 'delivered', attempts = 1");
      await query("UPDATE share SET delivery_state = 'delivered', delivered_at = now()");
      return shareId;
    };
    const WAYS: readonly (readonly [string, (id: number) => Promise<unknown>])[] = [
      ['its owner', end],
      [
        'its expiry',
        async (id) => {
          await query('UPDATE share SET expires_on = current_date - 1 WHERE id = $1', [id]);
          return shares.removeExpired(10);
        },
      ],
      ['the loss of its file', () => query('DELETE FROM node WHERE id = $1', [node.nodeId])],
      ['the loss of its owner', () => new AccountRepository(test.database).remove('alice')],
    ];

    it.each(WAYS)('by %s causes one message', async (_way, happen) => {
      const shareId = await delivered();
      const [{ token }] = (await query<{ token: Buffer }>('SELECT token_enc AS token FROM share')) as [
        { token: Buffer },
      ];
      await happen(shareId);
      const [, notice, ...more] = await messages();
      expect(more).toEqual([]);
      expect(notice).toMatchObject({
        kind: 'share-unshare',
        state: 'pending',
        revision: 1,
        payload: { providerId: String(shareId), grantee: 'bea@http://Cloud.example.org' },
      });
      expect(notice!.sealed_secret).toEqual(token);
      expect(notice!.lifetime_ms).toBeCloseTo(MESSAGES['share-unshare'].lifetimeMs, -1);
    });

    it('is recorded with its actor, and without secrets or hashes', async () => {
      const shareId = await delivered();
      await actingFor({ kind: 'user', uid: 'alice' }, () => end(shareId));
      const [event] = await query<{ subject: object; actor: object }>(
        `SELECT kind, subject_type, subject_id, revision, subject, actor FROM share_event WHERE subject_id = $1`,
        [shareId],
      );
      expect(event).toMatchObject({ kind: 'ended', subject_type: 'share', subject_id: shareId, revision: 0 });
      expect(event!.actor).toMatchObject({ kind: 'user', name: 'alice' });
      expect(Object.keys(event!.subject).filter((key) => /token|password|hash/.test(key))).toEqual([]);
    });

    it.each(['declined', 'left'])('causes no message if the partner ended it: %s', async (acceptance) => {
      const shareId = await delivered();
      await query('UPDATE share SET acceptance = $1', [acceptance]);
      await end(shareId);
      expect(await messages()).toHaveLength(1);
    });

    it('is not sent to a partner that refused the share, whose offer then cannot be replayed', async () => {
      const { shareId } = await insert();
      await setMessage("state = 'refused', attempts = 1");
      await query("UPDATE share SET delivery_state = 'refused', recipient_canonical = NULL");
      await end(shareId);
      expect((await messages()).map(({ kind, state }) => [kind, state])).toEqual([
        ['share-create', 'superseded'],
      ]);
    });

    it.each([
      [false, 1],
      [true, 2],
    ])(
      'of a share whose offer was given up causes a message only if the offer may have arrived (%s)',
      async (arrived, count) => {
        const { shareId } = await insert();
        await setMessage(`state = 'dead', attempts = 9, maybe_delivered = ${arrived}`);
        await query("UPDATE share SET delivery_state = 'dead'");
        await end(shareId);
        expect(await messages()).toHaveLength(count);
      },
    );

    const STATES: readonly MessageState[] = ['pending', 'queued', 'inflight'];
    const OFFERS = STATES.flatMap((state) =>
      [0, 1].flatMap((attempts) =>
        [false, true].map((maybeDelivered) => [state, attempts, maybeDelivered] as const),
      ),
    );
    it.each(OFFERS)(
      'changes an open offer (%s, %i attempts, perhaps delivered: %s) in the same way as the delivery',
      async (state, attempts, maybeDelivered) => {
        const { shareId, offerId } = await insert();
        await setMessage(`state = '${state}', attempts = ${attempts}, maybe_delivered = ${maybeDelivered}`);
        const expected = coalesce(
          [{ messageId: offerId, kind: 'share-create', state, attempts, maybeDelivered }],
          'share-unshare',
        );
        await end(shareId);
        const [offer, notice] = await messages();
        expect(offer!.state).toBe(expected.superseded.length > 0 ? 'superseded' : state);
        expect(notice !== undefined).toBe(expected.needed);
      },
    );

    it('allows a new share with the recipient', async () => {
      const { shareId } = await insert();
      await end(shareId);
      await insert();
    });
  });

  describe('the initiator of a federated share', () => {
    const notices = async (): Promise<unknown[]> => {
      await new ShareEventRepository(test.database).handleAll();
      return query('SELECT uid, object_type, object_id, subject, message FROM notification');
    };

    it.each([
      ['refused', 'Your share "a.txt" was refused for bea@http://Cloud.example.org'],
      ['dead', 'Your share "a.txt" could not be delivered to bea@http://Cloud.example.org'],
    ])('is notified that it was %s, as long as the share exists', async (state, subject) => {
      const { shareId } = await insert();
      await query('UPDATE share SET delivery_state = $1, delivery_error = $2', [
        state,
        'User does not exist',
      ]);
      expect(await notices()).toEqual([
        {
          uid: 'alice',
          object_type: 'federated_share',
          object_id: String(shareId),
          subject,
          message: 'User does not exist',
        },
      ]);
      await end(shareId);
      expect(await notices()).toEqual([]);
    });

    it.each([
      ['made here', ''],
      ['requested by a partner', ', requester_peer_id = peer_id'],
    ])('is notified of a change that was given up, and a share %s stays', async (_by, facts) => {
      const { shareId } = await insert();
      await query(`UPDATE share SET delivery_state = 'pending', delivered_at = now()${facts}`);
      await query(`UPDATE share SET delivery_state = 'dead', delivery_error = 'not allowed'`);
      const subject = 'A change of your share "a.txt" could not be delivered to bea@http://Cloud.example.org';
      expect(await notices()).toMatchObject([{ uid: 'alice', subject, message: 'not allowed' }]);
      expect(await shares.find(shareId, 'alice')).toBeDefined();
    });

    it('gets no notification about a share that was withdrawn or is delivered again before that', async () => {
      const { shareId } = await insert();
      await query(`UPDATE share SET delivery_state = 'dead'`);
      await query(`UPDATE share SET delivery_state = 'retrying'`);
      expect(await notices()).toEqual([]);
      await query(`UPDATE share SET delivery_state = 'dead'`);
      await end(shareId);
      expect(await notices()).toEqual([]);
    });
  });

  describe('an operator who decides about its offer', () => {
    const deliveries = (): DeliveryAdministrationRepository =>
      new DeliveryAdministrationRepository(test.database);
    const shown = (id: number) => shares.find(id, 'alice');

    it('gives it up by a cancellation, which the share shows and its initiator is told', async () => {
      const { shareId, offerId } = await insert();
      await setMessage(`attempts = 2, available_at = now() + interval '1 hour'`);
      await query(
        `UPDATE share SET delivery_state = 'retrying', delivery_next_attempt = now() + interval '1 hour'`,
      );
      expect(await deliveries().cancel(offerId)).toBe(true);
      expect(await shown(shareId)).toMatchObject({
        delivery: { state: 'dead', error: 'an operator gave it up', nextAttemptAtSeconds: null },
      });
      await new ShareEventRepository(test.database).handleAll();
      expect(await query('SELECT uid, message FROM notification')).toEqual([
        { uid: 'alice', message: 'an operator gave it up' },
      ]);
      await insert();
    });

    it('ends what waits behind it, too, and its partner is still told of the end', async () => {
      const { shareId, offerId } = await insert();
      await shares.update(shareId, 'alice', () => ({ permissions: 1 }));
      await deliveries().cancel(offerId);
      expect((await messages()).map(({ state }) => state)).toEqual(['cancelled', 'superseded']);
      expect(await shown(shareId)).toMatchObject({ delivery: { state: 'dead' } });
      await end(shareId);
      expect((await messages()).at(-1)).toMatchObject({ kind: 'share-unshare', state: 'pending' });
    });

    it('has a given-up one sent again, with its recipient', async () => {
      const { shareId, offerId } = await insert();
      await setMessage(`state = 'dead'`);
      await query(`UPDATE share SET delivery_state = 'dead', recipient_canonical = NULL`);
      expect(await deliveries().replay(offerId)).toBe(true);
      expect(await shown(shareId)).toMatchObject({ delivery: { state: 'pending' } });
      expect(await shares.federated.insert(draft())).toBe('duplicate');
    });

    it('has it not sent again if its recipient got another share of the node', async () => {
      const first = await insert();
      await deliveries().cancel(first.offerId);
      const second = await insert();
      expect(await deliveries().replay(first.offerId)).toBe(false);
      expect(await shown(first.shareId)).toMatchObject({ delivery: { state: 'dead' } });
      await deliveries().cancel(second.offerId);
      await setMessage(`state = 'dead'`);
      expect(await deliveries().replayDead({})).toBe(1);
      expect(await shown(second.shareId)).toMatchObject({ delivery: { state: 'pending' } });
    });
  });
});
