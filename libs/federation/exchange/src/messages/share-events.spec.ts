import {
  afterAcceptance,
  afterReceivedShareEnded,
  afterShareEnded,
  type ReceivedShareFacts,
  type ShareFacts,
  type SubjectMessage,
} from './share-events';

const share = (given: Partial<ShareFacts> = {}): ShareFacts => ({
  ...{ id: 7, revision: 2, peer_id: 1, recipient: 'bea@cloud.example.org', received_state: null },
  ...{ delivery_state: 'delivered', delivered_at: '2030-01-01', acceptance: 'accepted' },
  ...{ requester_peer_id: null, requester_share_id: null },
  ...{ via_owner: null, granted_id: null, recipient_peer_id: null },
  ...given,
});
const granted = (given: Partial<ShareFacts> = {}): ShareFacts =>
  share({
    via_owner: 'granted',
    granted_id: '77',
    recipient_peer_id: 3,
    received_state: 'accepted',
    ...given,
  });
const received = (given: Partial<ReceivedShareFacts> = {}): ReceivedShareFacts => ({
  ...{ id: 9, revision: 4, peer_id: 1, provider_id: '55', dialect: 'ocm-webdav', state: 'accepted' },
  ...given,
});
const message = (given: Partial<SubjectMessage> = {}): SubjectMessage => ({
  ...{ messageId: 100, kind: 'share-create', subjectType: 'share', state: 'pending' },
  ...{ attempts: 0, maybeDelivered: false },
  ...given,
});
const kinds = ({ due }: ReturnType<typeof afterShareEnded>): string[] => due.map(({ kind }) => kind);

describe('the end of a share with a partner', () => {
  it('is sent to the recipient’s server, with the next revision', () => {
    expect(afterShareEnded(share(), [])).toEqual({
      superseded: [],
      due: [
        {
          ...{ kind: 'share-unshare', subject: { type: 'share', id: 7 }, peerId: 1, revision: 3 },
          payload: { providerId: '7', grantee: 'bea@cloud.example.org' },
        },
      ],
    });
  });

  it.each<[string, Partial<ShareFacts>, SubjectMessage[]]>([
    ['that refused it', { delivery_state: 'refused' }, []],
    ['that ended it itself', { acceptance: 'left' }, []],
    ['whose offer was given up and cannot have arrived', { delivery_state: 'dead', delivered_at: null }, []],
    ['whose offer was never sent', {}, [message()]],
  ])('is not due to a server %s', (_which, given, messages) => {
    expect(kinds(afterShareEnded(share(given), messages))).toEqual([]);
  });

  it.each([
    ['a given-up offer may have arrived', { state: 'dead', attempts: 9, maybeDelivered: true }],
    ['an operator cancelled the offer', { state: 'cancelled' }],
  ] as const)('is sent if %s', (_why, facts) => {
    const offer = message(facts);
    const given = share({ delivery_state: 'dead', delivered_at: null });
    expect(afterShareEnded(given, [offer])).toMatchObject({ superseded: [100], due: [{ peerId: 1 }] });
  });

  it('keeps a message that is being sent, and withdraws waiting and given-up ones', () => {
    const messages = (['inflight', 'queued', 'refused', 'delivered'] as const).map((state, index) =>
      message({ messageId: index, kind: 'share-permissions', state }),
    );
    expect(afterShareEnded(share(), messages).superseded).toEqual([1, 2]);
  });

  it.each([
    ['accepted', 'reshare-undo'],
    ['declined', 'reshare-declined'],
  ])(
    'is sent to its requester with the requester’s id; for a share that was %s, as %s',
    (acceptance, kind) => {
      const asked = share({ requester_peer_id: 2, requester_share_id: 'r5', acceptance });
      const pending = message({ kind: 'reshare-accepted', subjectType: 'reshare' });
      const { superseded, due } = afterShareEnded(asked, [pending]);
      expect(superseded).toEqual([100]);
      expect(due.at(-1)).toMatchObject({ kind, peerId: 2, payload: { providerId: 'r5' } });
      expect(due.at(-1)!.subject).toEqual({ type: 'reshare', id: 7 });
    },
  );
});

describe('the end of a reshare that the owner’s server makes', () => {
  it('is sent to the owner’s server, and to the recipient’s if that is our task', () => {
    expect(kinds(afterShareEnded(granted(), []))).toEqual(['reshare-undo', 'share-unshare']);
    expect(kinds(afterShareEnded(granted({ recipient_peer_id: null }), []))).toEqual(['reshare-undo']);
  });

  it.each<[string, Partial<ShareFacts>]>([
    ['was only asked for', { via_owner: 'asked' }],
    ['its owner’s server revoked', { delivery_state: 'revoked' }],
    ['its recipient declined', { acceptance: 'declined' }],
    ['rested on a share that is gone', { received_state: 'gone' }],
    ['rested on a share whose row is gone', { received_state: null }],
  ])('is not due for one that %s', (_which, given) => {
    expect(kinds(afterShareEnded(granted(given), []))).toEqual([]);
  });

  it('withdraws a request that cannot have arrived, and keeps one that may have, and an undo', () => {
    const request = message({ kind: 'reshare-request' });
    const perhaps = message({ kind: 'reshare-request', messageId: 101, maybeDelivered: true });
    const undo = message({ kind: 'reshare-undo', messageId: 102 });
    const asked = granted({ via_owner: 'asked' });
    expect(afterShareEnded(asked, [request, perhaps, undo]).superseded).toEqual([100]);
  });
});

describe('the end of a received share', () => {
  it('is sent to its server, and replaces an unsent answer', () => {
    const answer = message({ kind: 'received-accept', subjectType: 'received-share' });
    expect(afterReceivedShareEnded(received(), [answer])).toMatchObject({
      superseded: [100],
      due: [{ kind: 'received-decline', revision: 5, payload: { providerId: '55', grantee: null } }],
    });
  });

  it.each<Partial<ReceivedShareFacts>>([
    { state: 'declined' },
    { state: 'gone' },
    { dialect: 'public-link' },
    { access: { group: 'team' } },
  ])('is not due for %j', (given) => {
    expect(afterReceivedShareEnded(received(given), []).due).toEqual([]);
  });
});

it('an acceptance is sent to the requester of a share, with the accepted revision', () => {
  const asked = share({ requester_peer_id: 2, requester_share_id: 'r5' });
  expect(afterAcceptance(asked).due).toMatchObject([{ kind: 'reshare-accepted', peerId: 2, revision: 2 }]);
  expect(afterAcceptance(share()).due).toEqual([]);
});
