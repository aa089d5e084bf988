import { type DeliveryOutcome, type MessageKind } from '#federation/exchange';
import { randomToken, SecretBox } from '#platform';
import type { Day, NewFederatedShare, OfferedShare, ReceivedSource } from '#sharing';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { DeliveryRepository, type ClaimedMessage } from '../deliveries/delivery.repository';
import { ShareEventRepository } from '../deliveries/share-event.repository';
import { PeerRenameRepository } from '../partners/peer-rename.repository';
import { ShareRepository } from './share.repository';

interface MessageRow extends Pick<ClaimedMessage, 'kind' | 'revision'> {
  readonly id: number;
  readonly about: string;
  readonly host: string;
  readonly payload: Record<string, unknown>;
  readonly state: string;
  readonly sealed_secret: Buffer;
}

const OWNER = 'owner.example.org';
const THIRD = 'third.example.org';
const FULL = { initiatorUid: 'bob', permissions: 31, expiresOn: null, attributes: null, note: null } as const;
const secrets = new SecretBox(() => Buffer.alloc(32, 7));

const RECEIVE = `
  WITH owners AS (
    INSERT INTO peer (host_key) VALUES ($1) ON CONFLICT (host_key) DO UPDATE SET host_key = excluded.host_key RETURNING id
  )
  INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
    dialect, state, file_target)
  SELECT id, '55', $2, $3, 'bob', 'alice@' || $1, 'alice@' || $1, 'plan', $4::text, $5, 'ocm-webdav', 'accepted', '/plan' FROM owners
  RETURNING id`;

describe('reshares of a partner’s share', () => {
  let test: TestDatabase;
  let shares: ShareRepository;
  let delivery: DeliveryRepository;
  let received: number;
  let node: NewFederatedShare['node'];

  beforeAll(async () => {
    test = await createTestDatabase();
    shares = new ShareRepository(test.database, secrets);
    delivery = new DeliveryRepository(test.database, { next: () => 0.5 });
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    await test.empty('user_account', 'outbox_message', 'peer');
    const accounts = new AccountRepository(test.database);
    await accounts.insert({ uid: 'bob', displayName: 'Bob', email: null, passwordHash: '-', groups: [] });
    await receive('folder', 31);
  });

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);

  async function receive(kind: 'file' | 'folder', permissions: number): Promise<void> {
    await query('DELETE FROM received_share');
    await query('DELETE FROM share_event');
    await query('DELETE FROM outbox_message');
    const secret = [secrets.lookup('TheirSecret'), secrets.seal('TheirSecret')];
    const [row] = await query<{ id: string }>(RECEIVE, [OWNER, ...secret, kind, permissions]);
    received = Number(row!.id);
    const [root] = await query<{ id: string; storage_id: string }>(
      'SELECT id, storage_id FROM node WHERE received_share_id = $1 AND parent_id IS NULL',
      [received],
    );
    const { id, storage_id: storageId } = root!;
    const place = {
      ownerPath: '',
      ownerUid: 'bob',
      parentId: null,
      storageId: Number(storageId),
      isRemote: true,
    };
    node = { ...place, nodeId: Number(id), kind, name: 'plan', mimetype: 'httpd/unix-directory' };
  }

  const source = async (): Promise<ReceivedSource> => (await shares.sourceOf(node.nodeId))!;

  async function ask(given: Partial<NewFederatedShare> = {}): Promise<OfferedShare> {
    const made = await shares.federated.insert({
      ...{ ...FULL, node, shareToken: randomToken(), isForGroup: false },
      recipient: {
        written: `carl@${THIRD}`,
        canonical: `carl@${THIRD}`,
        hostKey: THIRD,
        localUid: undefined,
      },
      received: await source(),
      ...given,
    });
    if (typeof made === 'string') throw new Error(made);
    return made;
  }

  const handleEvents = (): Promise<void> => new ShareEventRepository(test.database).handleAll();

  const messages = async (states = ['pending']): Promise<MessageRow[]> => {
    await handleEvents();
    return query<MessageRow>(
      `SELECT m.id::integer AS id, m.kind, m.subject_type || '/' || m.subject_id AS about, p.host_key AS host, m.payload, m.revision,
         m.sealed_secret, m.state
       FROM outbox_message m JOIN peer p ON p.id = m.peer_id WHERE m.state = ANY($1) ORDER BY m.id`,
      [states],
    );
  };
  const said = async (): Promise<object[]> =>
    (await messages()).map(({ kind, about, host, payload, sealed_secret: sealed }) => ({
      ...{ kind, about, host, providerId: payload.providerId, secret: secrets.open(sealed) },
    }));

  /** Gives the open message of that kind this answer. */
  async function answer(kind: MessageKind, outcome: DeliveryOutcome, maybeDelivered = false): Promise<void> {
    const [row] = await query<{
      id: string;
      subject_id: string;
      peer_id: string;
      payload: object;
      revision: number;
    }>(
      `UPDATE outbox_message SET state = 'inflight', maybe_delivered = maybe_delivered OR $2
       WHERE kind = $1 AND state = 'pending' RETURNING id, subject_id, peer_id, payload, revision`,
      [kind, maybeDelivered],
    ).then((result) => (result as unknown as [never[], number])[0]);
    await finish(kind, row!, outcome);
  }

  const finish = (
    kind: MessageKind,
    row: { id: string; subject_id: string; peer_id: string; payload: object; revision: number },
    outcome: DeliveryOutcome,
  ): Promise<number> => {
    const message: ClaimedMessage = {
      ...{
        messageId: Number(row.id),
        round: 0,
        kind,
        subject: { type: 'share', id: Number(row.subject_id) },
      },
      ...{
        peerId: Number(row.peer_id),
        dedupeKey: '',
        revision: row.revision,
        sealedSecret: null,
        attempts: 0,
      },
      ...{
        payload: row.payload as Record<string, unknown>,
        maybeDelivered: false,
        hostId: 1,
        peerTroubled: false,
      },
      ...{ host: 'b.example.org', origin: null },
    };
    return delivery.settle([{ message, outcome }]);
  };

  const grant = (asRequested: boolean, recipientIsOurs = false): DeliveryOutcome => ({
    kind: 'delivered',
    reply: {
      providerId: '77',
      sealedSecret: secrets.seal('GrantedSecret').toString('base64'),
      secretHmac: secrets.lookup('GrantedSecret').toString('base64'),
      asRequested,
      recipientIsOurs,
    },
  });
  const clearMessages = async (): Promise<void> => {
    await handleEvents();
    await query('DELETE FROM outbox_message');
  };
  async function granted(permissions = 31): Promise<number> {
    const { shareId } = await ask({ permissions });
    await answer('reshare-request', grant(true));
    await clearMessages();
    return shareId;
  }

  it('request the share from the owner’s server, with its secret', async () => {
    expect(await source()).toMatchObject({ owner: `alice@${OWNER}`, isRoot: true, needsSecondFactor: false });
    const { shareId, offerId } = await ask({ permissions: 3 });
    const [message] = await messages();
    expect(message).toMatchObject({
      id: offerId,
      kind: 'reshare-request',
      about: `share/${shareId}`,
      host: OWNER,
    });
    expect(secrets.open(message!.sealed_secret)).toBe('TheirSecret');
    expect(message!.payload).toEqual({
      ...{
        providerId: '55',
        grantee: null,
        permissions: 3,
        shareWith: `carl@${THIRD}`,
        receivedPermissions: 31,
      },
      instead: {
        peerId: expect.any(Number) as number,
        offer: {
          ...{ shareWith: `carl@${THIRD}`, name: 'plan', nodeKind: 'folder', permissions: 3 },
          ...{ expiresOn: null, note: null },
          owner: { uid: 'bob', displayName: 'Bob' },
          sender: { uid: 'bob', displayName: 'Bob' },
        },
      },
    });
    expect(await shares.find(shareId, 'bob')).toMatchObject({
      remoteOwner: `alice@${OWNER}`,
      delivery: { state: 'pending' },
    });
  });

  it('are stored once, and not for missing nodes', async () => {
    await ask();
    await expect(ask()).rejects.toThrow('duplicate');
    const gone = { ...(await source()), receivedShareId: received + 1000 };
    await expect(ask({ received: gone })).rejects.toThrow('gone');
  });

  it('have the id and the secret of the owner’s server after it granted them', async () => {
    const { shareId } = await ask();
    await answer('reshare-request', grant(false));
    expect(await shares.find(shareId, 'bob')).toMatchObject({
      shareToken: 'GrantedSecret',
      delivery: { state: 'delivered', error: null },
    });
    expect(await messages()).toEqual([]);
    expect(JSON.stringify(await messages(['delivered']))).not.toContain('GrantedSecret');
  });

  it.each([
    [true, 'folder', 1, []],
    [false, 'folder', 31, []],
    // A file cannot have more permissions than that.
    [false, 'file', 19, []],
    [false, 'folder', 1, [{ kind: 'reshare-permissions', permissions: 1 }]],
  ] as const)(
    'are lowered if the message to the owner’s server failed (sent: %s, %s, %i)',
    async (asRequested, kind, permissions, expected) => {
      await receive(kind, 31);
      await ask({ permissions });
      await answer('reshare-request', grant(asRequested));
      const sent = (await messages()).map(({ kind: what, payload }) => ({
        kind: what,
        permissions: payload.permissions,
      }));
      expect(sent).toEqual(expected);
    },
  );

  it('are offered by us, as they are by then, if the owner’s server leaves it to us', async () => {
    const shareToken = randomToken();
    const { shareId, offerId } = await ask({ permissions: 7, shareToken });
    const [expiresOn, note, to] = ['2035-05-05' as Day, 'until May', 'new.example.org'];
    await shares.update(shareId, 'bob', () => ({ expiresOn, note }));
    await new PeerRenameRepository(test.database).rename({ from: THIRD, to, baseUrl: `https://${to}` });
    await answer('reshare-request', { kind: 'refused', errorClass: 'unsupported', message: 'no such thing' });
    const [offer, ...more] = await messages();
    expect(more).toEqual([]);
    expect(offer).toMatchObject({
      kind: 'share-create',
      host: to,
      about: `share/${shareId}`,
      revision: 1,
    });
    expect(offer!.payload).toMatchObject({
      ...{ permissions: 7, expiresOn, note },
      owner: { uid: 'bob' },
      shareWith: `carl@${THIRD}`,
    });
    expect(secrets.open(offer!.sealed_secret)).toBe(shareToken);
    expect(await shares.find(shareId, 'bob')).toMatchObject({
      ...{ shareToken, remoteOwner: null, delivery: { state: 'pending', attempts: 0, error: null } },
    });
    const [{ reply }] = (await query('SELECT reply FROM outbox_message WHERE id = $1', [offerId])) as [
      { reply: unknown },
    ];
    expect(reply).toEqual({ offerId: offer!.id });
    expect(await query('SELECT id FROM notification')).toEqual([]);
    await answer('share-create', { kind: 'delivered' });
    await shares.remove(shareId);
    expect(await said()).toMatchObject([
      { kind: 'share-unshare', host: to, providerId: String(shareId), secret: shareToken },
    ]);
  });

  it('are refused with the text of the owner’s server', async () => {
    const { shareId } = await ask();
    await answer('reshare-request', { kind: 'refused', errorClass: 'denied', message: 'not you' });
    expect(await shares.find(shareId, 'bob')).toMatchObject({
      delivery: { state: 'refused', error: 'not you' },
    });
    await shares.remove(shareId);
    expect(await messages()).toEqual([]);
  });

  describe('when they end', () => {
    it('before the owner’s server got the request, send no message', async () => {
      const { shareId } = await ask();
      await shares.remove(shareId);
      expect(await messages()).toEqual([]);
    });

    it('end the share that this server made, once', async () => {
      const shareId = await granted();
      await shares.remove(shareId);
      const about = `share/${shareId}`;
      expect(await said()).toEqual([
        { kind: 'reshare-undo', about, host: OWNER, providerId: '77', secret: 'GrantedSecret' },
      ]);
    });

    it('during the answer, end the granted share afterwards', async () => {
      const { shareId } = await ask();
      const [request] = await query<never>(`SELECT * FROM outbox_message`);
      await query(`UPDATE outbox_message SET state = 'inflight'`);
      await shares.remove(shareId);
      expect(await messages()).toEqual([]);
      await finish('reshare-request', request!, grant(true));
      expect(await said()).toMatchObject([
        { kind: 'reshare-undo', host: OWNER, providerId: '77', secret: 'GrantedSecret' },
      ]);
    });

    it.each([false, true])(
      'inform the recipient’s server too if the owner’s server does not, with the known id and secret (ended during the delivery: %s)',
      async (underWay) => {
        const { shareId } = await ask();
        const [request] = await query<never>(`SELECT * FROM outbox_message`);
        await query(`UPDATE outbox_message SET state = 'inflight'`);
        if (underWay) await shares.remove(shareId);
        await finish('reshare-request', request!, grant(true, true));
        if (!underWay) await shares.remove(shareId);
        const known = { providerId: '77', secret: 'GrantedSecret' };
        expect(await said()).toEqual([
          { kind: 'reshare-undo', about: `share/${shareId}`, host: OWNER, ...known },
          { kind: 'share-unshare', about: `reshare/${shareId}`, host: THIRD, ...known },
        ]);
      },
    );

    it('after a request that may have arrived, ask again to learn which share to end', async () => {
      const { shareId } = await ask();
      const lost = { kind: 'retry', errorClass: 'timeout', message: '', maybeDelivered: true } as const;
      await answer('reshare-request', lost, true);
      await shares.remove(shareId);
      expect(await said()).toMatchObject([{ kind: 'reshare-request' }]);
      await answer('reshare-request', grant(true));
      expect(await said()).toMatchObject([{ kind: 'reshare-undo', providerId: '77' }]);
    });

    it.each(['gone', 'declined'])(
      'with the received share (%s), keep the share of its owner’s server',
      async (state) => {
        const shareId = await granted();
        await query('UPDATE received_share SET state = $2 WHERE id = $1', [received, state]);
        expect(await shares.find(shareId, 'bob')).toBeUndefined();
        expect(await messages()).toEqual([]);
      },
    );

    it.each(['gone', 'declined'])(
      'with the received share (%s), end the share that was made here, once',
      async (state) => {
        const { shareId } = await ask({ received: undefined });
        await answer('share-create', { kind: 'delivered' });
        await query('UPDATE received_share SET state = $2 WHERE id = $1', [received, state]);
        expect(await said()).toMatchObject([
          { kind: 'share-unshare', host: THIRD, providerId: String(shareId) },
        ]);
      },
    );

    it.each(['declined', 'left'])('send no message if their recipient %s them', async (acceptance) => {
      const shareId = await granted();
      await query('UPDATE share SET acceptance = $2 WHERE id = $1', [shareId, acceptance]);
      await shares.remove(shareId);
      expect(await messages()).toEqual([]);
    });
  });

  describe('when their permissions change', () => {
    it('inform the server that made them', async () => {
      const shareId = await granted();
      await shares.update(shareId, 'bob', () => ({ permissions: 1 }));
      expect(await said()).toEqual([
        {
          kind: 'reshare-permissions',
          about: `share/${shareId}`,
          host: OWNER,
          providerId: '77',
          secret: 'GrantedSecret',
        },
      ]);
      expect((await messages())[0]!.payload).toMatchObject({ permissions: 1 });
    });

    it('wait for the answer to the request', async () => {
      const { shareId } = await ask();
      await shares.update(shareId, 'bob', () => ({ permissions: 1 }));
      expect(await messages()).toHaveLength(1);
      await answer('reshare-request', grant(true));
      expect((await messages()).map(({ kind, payload }) => [kind, payload.permissions])).toEqual([
        ['reshare-permissions', 1],
      ]);
    });

    it('with the received share: our own share is lowered with one message, the owner’s stays', async () => {
      const mine = await ask({ received: undefined });
      await answer('share-create', { kind: 'delivered' });
      const dan = { written: `dan@${THIRD}`, canonical: `dan@${THIRD}`, hostKey: THIRD, localUid: undefined };
      const theirs = await ask({ recipient: dan });
      await answer('reshare-request', grant(true));
      await clearMessages();
      for (const _ of [1, 2])
        await query('UPDATE received_share SET permissions = 1 WHERE id = $1', [received]);
      expect(await said()).toMatchObject([
        { kind: 'share-permissions', host: THIRD, providerId: String(mine.shareId) },
      ]);
      expect((await shares.find(mine.shareId, 'bob'))!.permissions).toBe(1);
      expect((await shares.find(theirs.shareId, 'bob'))!.permissions).toBe(31);
    });
  });

  describe('shares that a partner requested', () => {
    let id: number;
    beforeEach(async () => {
      const { shareId } = await ask({ received: undefined });
      id = shareId;
      await clearMessages();
      await query(
        `UPDATE share SET requester_peer_id = (SELECT id FROM peer WHERE host_key = $2), requester_share_id = '4',
           delivery_state = 'delivered' WHERE id = $1`,
        [id, OWNER],
      );
    });
    const secret = async (): Promise<string> => {
      const share = await shares.find(id, 'bob');
      return share && 'shareToken' in share ? share.shareToken : '';
    };

    it.each(['notification', 'access'])(
      'inform the requester once that they were accepted, by %s',
      async (by) => {
        const told = await secret();
        for (const _ of [1, 2])
          await query(`UPDATE share SET acceptance = 'accepted', acceptance_source = $2 WHERE id = $1`, [
            id,
            by,
          ]);
        expect(await said()).toEqual([
          { kind: 'reshare-accepted', about: `reshare/${id}`, host: OWNER, providerId: '4', secret: told },
        ]);
      },
    );

    it('notify the requester only when it has an answer', async () => {
      await query(`UPDATE share SET requester_share_id = NULL WHERE id = $1`, [id]);
      await query(`UPDATE share SET acceptance = 'accepted' WHERE id = $1`, [id]);
      expect(await messages()).toEqual([]);
      await query(`UPDATE share SET requester_share_id = '4' WHERE id = $1`, [id]);
      expect(await said()).toMatchObject([{ kind: 'reshare-accepted' }]);
    });

    it.each([
      ['declined', 'reshare-declined', []],
      ['left', 'reshare-declined', []],
      ['accepted', 'reshare-undo', ['share-unshare']],
      ['unknown', 'reshare-undo', ['share-unshare']],
    ])('and %s tell the requester of their end: %s', async (acceptance, kind, others) => {
      await query('UPDATE share SET acceptance = $2 WHERE id = $1', [id, acceptance]);
      await clearMessages();
      await shares.remove(id);
      const kinds = (await messages()).map((message) => message.kind).sort();
      expect(kinds).toEqual([kind, ...others].sort());
    });

    it('end if their recipient’s server refuses them', async () => {
      await query(`UPDATE share SET delivery_state = 'retrying' WHERE id = $1`, [id]);
      await query(`UPDATE share SET delivery_state = 'refused', delivery_error = 'nobody' WHERE id = $1`, [
        id,
      ]);
      await handleEvents();
      expect(await shares.find(id, 'bob')).toBeUndefined();
      expect(await said()).toMatchObject([{ kind: 'reshare-declined', providerId: '4' }]);
      expect(await query('SELECT id FROM notification')).toEqual([]);
    });

    it('inform both sides of permissions that the owner changed', async () => {
      await shares.update(id, 'bob', () => ({ permissions: 1 }));
      expect(await said()).toMatchObject([
        { kind: 'share-permissions', about: `share/${id}`, host: THIRD, providerId: String(id) },
        { kind: 'reshare-permissions', about: `reshare/${id}`, host: OWNER, providerId: '4' },
      ]);
    });
  });
});
