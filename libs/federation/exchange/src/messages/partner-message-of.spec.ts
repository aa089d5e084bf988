import { SecretText } from '#federation/protocol';
import { partnerMessageOf } from './partner-message-of';

const SECRET = new SecretText('abcdefghijklmnopqrstuv');
const HERE = 'https://share.example.org/cloud';
const FRAME = { sharedSecret: SECRET, publicUrl: HERE, mustExchange: false, mustUseMfa: false };
const ABOUT = { providerId: '7', grantee: 'bea@there.example.org' };

describe('the message of an outbox row', () => {
  it('offers a share between its parties’ addresses on this server, until the end of its last day', () => {
    const payload = {
      shareWith: 'bea@there.example.org',
      name: 'plan.txt',
      nodeKind: 'file',
      permissions: 19,
      expiresOn: '2035-05-05',
      owner: { uid: 'alice', displayName: 'Alice' },
      sender: { uid: 'bob', displayName: 'Bob' },
    };
    const message = partnerMessageOf(
      { kind: 'share-create', subject: { type: 'share', id: 7 }, payload },
      FRAME,
    );
    expect(message).toMatchObject({
      kind: 'offer',
      providerId: '7',
      owner: { displayName: 'Alice', cloudId: { canonical: 'alice@share.example.org/cloud' } },
      sender: { displayName: 'Bob', cloudId: { canonical: 'bob@share.example.org/cloud' } },
      expiresAt: Date.parse('2035-05-06T00:00:00Z') / 1000,
      webdavUri: `${HERE}/dav/ocm/7`,
    });
    expect('sharedSecret' in message && message.sharedSecret).toBe(SECRET);
  });

  it.each([
    ['share-unshare', 'share-unshared'],
    ['received-accept', 'share-accepted'],
    ['received-decline', 'share-declined'],
    ['reshare-accepted', 'share-accepted'],
    ['reshare-declined', 'share-declined'],
    ['reshare-undo', 'reshare-undone'],
  ] as const)('%s says that it was %s', (kind, said) => {
    const row = { kind, subject: { type: 'share', id: 7 }, payload: ABOUT } as const;
    expect(partnerMessageOf(row, FRAME)).toMatchObject({
      kind: said,
      providerId: '7',
      grantee: { canonical: 'bea@there.example.org' },
    });
  });

  it('says of a declined reshare that the initiator’s server gets the message', () => {
    const row = { kind: 'reshare-declined', subject: { type: 'share', id: 7 }, payload: ABOUT } as const;
    expect(partnerMessageOf(row, FRAME)).toMatchObject({ kind: 'share-declined', toResharer: true });
  });

  it.each([
    ['share-permissions', { webdavUri: `${HERE}/dav/ocm/7` }],
    ['reshare-permissions', {}],
  ] as const)('%s says the new permissions', (kind, more) => {
    const payload = { ...ABOUT, permissions: 1 };
    const row = { kind, subject: { type: 'share', id: 7 }, payload } as const;
    expect(partnerMessageOf(row, FRAME)).toMatchObject({ kind, permissions: 1, ...more });
  });

  it('asks somebody for a share in the name of one of our accounts', () => {
    const payload = { owner: 'bea@there.example.org', requesterUid: 'alice', resource: '4711' };
    const row = { kind: 'share-request', subject: { type: 'share-request', id: 9 }, payload } as const;
    expect(partnerMessageOf(row, FRAME)).toEqual({
      kind: 'share-request',
      owner: expect.objectContaining({ canonical: 'bea@there.example.org' }),
      requester: expect.objectContaining({ canonical: 'alice@share.example.org/cloud' }),
      resource: '4711',
    });
  });

  it('offers a requested share in the name of its requester', () => {
    const payload = {
      ...{
        shareWith: 'bea@there.example.org',
        name: 'plan.txt',
        nodeKind: 'file',
        permissions: 19,
        expiresOn: null,
      },
      owner: { uid: 'alice', displayName: 'Alice' },
      sender: { cloudId: 'bob@third.example.org', displayName: 'bob' },
    };
    const row = { kind: 'share-create', subject: { type: 'share', id: 7 }, payload } as const;
    expect(partnerMessageOf(row, FRAME)).toMatchObject({
      owner: { cloudId: { canonical: 'alice@share.example.org/cloud' } },
      sender: { cloudId: { canonical: 'bob@third.example.org' } },
    });
  });

  it('requests a reshare with the id of its own share', () => {
    const offer = { shareWith: 'carl@third.example.org', name: 'plan', nodeKind: 'folder', permissions: 31 };
    const party = { uid: 'bob', displayName: 'Bob' };
    const instead = { peerId: 3, offer: { ...offer, expiresOn: null, owner: party, sender: party } };
    const payload = {
      ...ABOUT,
      permissions: 1,
      receivedPermissions: 31,
      shareWith: offer.shareWith,
      instead,
    };
    const row = { kind: 'reshare-request', subject: { type: 'share', id: 44 }, payload } as const;
    expect(partnerMessageOf(row, FRAME)).toMatchObject({
      kind: 'reshare-requested',
      providerId: '7',
      requesterShareId: '44',
      permissions: 1,
      shareWith: { canonical: 'carl@third.example.org' },
    });
  });

  it('refuses rows that no code writes', () => {
    const row = { kind: 'share-unshare', subject: { type: 'share', id: 7 }, payload: {} } as const;
    expect(() => partnerMessageOf(row, FRAME)).toThrow();
  });
});
