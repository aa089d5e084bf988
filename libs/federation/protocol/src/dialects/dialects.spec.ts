import KNOWN from '../discovery/known-documents.json';
import { localCloudId, parseCloudId } from '../addresses/federated-cloud-id';
import { readOcmDocument } from '../discovery/read-documents';
import { ocmDiscovery } from '../discovery/served-documents';
import { decideProfile } from '../peers/decide-profile';
import type { PeerProfile } from '../peers/peer-profile';
import { SecretText } from '../secret-text';
import { buildRequest } from './dialects';
import type { OutgoingNotice, OutgoingShare, PartnerMessage } from '../messages/partner-message';

const BASE = 'https://cloud.example.org';
const SECRET = 'qX7tNn2cVb9LmPz4Kd3R22';
const profileOf = (document: unknown): PeerProfile =>
  decideProfile(
    { baseUrl: BASE, ocm: readOcmDocument(document), ocs: undefined },
    { named: [], ownName: 'Drawbridge', now: 0 },
  )!;

const owner = { cloudId: localCloudId('alice', 'https://share.example.org:8443/fs'), displayName: 'Alice' };
const OFFER: OutgoingShare = {
  kind: 'offer',
  shareWith: parseCloudId('marie@cloud.example.org'),
  name: 'plan',
  nodeKind: 'folder',
  providerId: '4711',
  sharedSecret: new SecretText(SECRET),
  owner,
  sender: owner,
  description: '',
  permissions: 31,
  expiresAt: null,
  webdavUri: 'https://share.example.org:8443/fs/dav/ocm/4711',
  mustExchange: false,
  mustUseMfa: false,
};
const OURSELVES = {
  publicUrl: BASE,
  productName: 'Drawbridge',
  capabilities: [],
  criteria: [],
  shareTypes: ['user'],
  webapps: { outgoing: false, incoming: false },
};
const about = { providerId: '4711', sharedSecret: OFFER.sharedSecret, grantee: OFFER.shareWith };

function bodyOf(message: PartnerMessage, document: unknown): Record<string, unknown> | undefined {
  const profile = profileOf(document);
  const request = buildRequest(message, profile.dialects[0]!, profile);
  return request && (JSON.parse(request.body.reveal()) as Record<string, unknown>);
}

describe('an offer', () => {
  it('for Nextcloud names the sharer in both fields', () => {
    expect(bodyOf(OFFER, KNOWN.nextcloud)).toEqual({
      shareWith: 'marie@cloud.example.org',
      name: 'plan',
      description: '',
      providerId: '4711',
      owner: 'alice@share.example.org:8443/fs',
      ownerDisplayName: 'Alice',
      sender: 'alice@share.example.org:8443/fs',
      senderDisplayName: 'Alice',
      sharedBy: 'alice@share.example.org:8443/fs',
      sharedByDisplayName: 'Alice',
      shareType: 'user',
      resourceType: 'file',
      protocol: {
        name: 'webdav',
        options: { sharedSecret: SECRET, permissions: '{http://open-cloud-mesh.org/ns}share-permissions' },
      },
    });
  });

  it.each([
    ['ownCloud', KNOWN.owncloud, 'alice@https://share.example.org:8443/fs', 'file'],
    ['oCIS', KNOWN.ocis, 'alice@https://share.example.org:8443/fs', 'folder'],
    ['reva', KNOWN.reva, 'alice@share.example.org:8443/fs', 'folder'],
    ['a strict server', KNOWN.strict, 'alice@share.example.org:8443/fs', 'folder'],
  ])('for %s writes the owner in a form that the server finds', (_name, document, spelled, resourceType) => {
    expect(bodyOf(OFFER, document)).toMatchObject({ owner: spelled, sender: spelled, resourceType });
  });

  it.each([
    ['OpenCloud with webdav-uri', KNOWN.opencloud, { uri: OFFER.webdavUri, permissions: ['read', 'write'] }],
    [
      'older OpenCloud',
      KNOWN.opencloudOld,
      { uri: OFFER.webdavUri, url: OFFER.webdavUri, permissions: ['read', 'write'] },
    ],
    ['reva', KNOWN.reva, { uri: OFFER.webdavUri, permissions: ['read', 'write', 'share'] }],
  ])('for %s says where the content is', (_name, document, webdav) => {
    expect(bodyOf(OFFER, document)!['protocol']).toEqual({
      name: 'multi',
      webdav: { sharedSecret: SECRET, ...webdav },
    });
  });

  it('has addresses without a scheme, except for servers that need one, even if this server uses http', () => {
    const here = { cloudId: localCloudId('alice', 'http://127.0.0.1:8080'), displayName: 'Alice' };
    const asked = { cloudId: parseCloudId('bob@http://other.example.org:81'), displayName: 'Bob' };
    for (const document of [KNOWN.strict, KNOWN.reva, ocmDiscovery(OURSELVES)])
      expect(bodyOf({ ...OFFER, owner: here, sender: asked }, document)).toMatchObject({
        owner: 'alice@127.0.0.1:8080',
        sender: 'bob@other.example.org:81',
      });
  });

  it('demands the exchange of its secret, from Nextcloud for a file', () => {
    const profile = profileOf(KNOWN.nextcloud);
    const request = buildRequest({ ...OFFER, mustExchange: true }, 'ocm-multi', profile)!;
    expect(JSON.parse(request.body.reveal())).toMatchObject({
      resourceType: 'file',
      protocol: { name: 'multi', webdav: { sharedSecret: SECRET, requirements: ['must-exchange-token'] } },
    });
  });

  it('has its last day if the dialect supports it', () => {
    const ending = { ...OFFER, expiresAt: 1_798_675_200 };
    expect(bodyOf(ending, KNOWN.reva)!['expiration']).toBe(1_798_675_200);
    expect(bodyOf(ending, KNOWN.owncloud)!['expiration']).toBeUndefined();
    expect('expiration' in bodyOf(OFFER, KNOWN.reva)!).toBe(false);
  });

  it('has the note of the sender to the recipient', () => {
    const noted = { ...OFFER, description: 'for Monday' };
    for (const document of [KNOWN.reva, KNOWN.owncloud, KNOWN.nextcloud])
      expect(bodyOf(noted, document)!['description']).toBe('for Monday');
    expect('description' in bodyOf(OFFER, KNOWN.reva)!).toBe(false);
  });

  it('names the account in the form of its users', () => {
    const shareWith = parseCloudId('marie@cloud.example.org@cloud.example.org');
    expect(bodyOf({ ...OFFER, shareWith }, KNOWN.nextcloud)!['shareWith']).toBe(
      'marie@cloud.example.org@cloud.example.org',
    );
  });

  it.each([
    ['OpenCloud', KNOWN.opencloudOld, 'b1f74ec4-dd7e-11ef-a543-03775734d0f7'],
    ['oCIS', KNOWN.ocis, 'b1f74ec4-dd7e-11ef-a543-03775734d0f7'],
    ['reva', KNOWN.reva, 'YjFmNzRlYzQtZGQ3ZS0xMWVmLWE1NDMtMDM3NzU3MzRkMGY3QGh0dHBzOi8vb2MxLm9jaXMudGVzdA=='],
  ])(
    'for %s names a recipient with an encoded id in a form that the server finds',
    (_name, document, user) => {
      const encoded = 'YjFmNzRlYzQtZGQ3ZS0xMWVmLWE1NDMtMDM3NzU3MzRkMGY3QGh0dHBzOi8vb2MxLm9jaXMudGVzdA==';
      const shareWith = parseCloudId(`${encoded}@cloud.example.org`);
      expect(bodyOf({ ...OFFER, shareWith }, document)!['shareWith']).toBe(`${user}@cloud.example.org`);
    },
  );

  it('does not show its secrets', () => {
    const profile = profileOf(KNOWN.owncloud);
    const request = buildRequest(OFFER, 'ocm-webdav', profile);
    expect(JSON.stringify([request, OFFER])).not.toContain(SECRET);
  });
});

describe('a notice', () => {
  const ours = ocmDiscovery(OURSELVES);
  const changed: OutgoingNotice = {
    kind: 'share-permissions',
    ...about,
    permissions: 1,
    webdavUri: OFFER.webdavUri,
    mustExchange: true,
    mustUseMfa: false,
  };

  it('to oCIS names the recipient, and has no secret', () => {
    const body = bodyOf({ kind: 'share-unshared', ...about }, KNOWN.ocis);
    expect(body).toMatchObject({ notification: { grantee: 'marie@cloud.example.org' } });
    expect(JSON.stringify(body)).not.toContain(SECRET);
  });

  it.each(['share-accepted', 'share-declined', 'reshare-undone'] as const)(
    '%s is unknown to servers of the Go family',
    (kind) => {
      for (const document of [KNOWN.ocis, KNOWN.opencloud, KNOWN.reva]) {
        expect(bodyOf({ kind, ...about }, document)).toBeUndefined();
      }
    },
  );

  it.each([
    ['share-accepted', 'SHARE_ACCEPTED'],
    ['share-declined', 'SHARE_DECLINED'],
  ] as const)(
    '%s goes to servers that announce notifications, even if they need invitations',
    (kind, type) => {
      const revaWithNotifications = {
        ...KNOWN.reva,
        capabilities: [...KNOWN.reva.capabilities, 'notifications'],
      };
      for (const document of [
        KNOWN.strict,
        revaWithNotifications,
        { ...KNOWN.ocis, capabilities: ['/notifications'] },
      ])
        expect(bodyOf({ kind, ...about }, document)).toMatchObject({
          notificationType: type,
          providerId: '4711',
        });
    },
  );

  it('of changed permissions goes only to servers that support it', () => {
    expect(bodyOf(changed, KNOWN.owncloud)).toBeUndefined();
    expect(bodyOf(changed, KNOWN.nextcloud)).toBeUndefined();
    expect(bodyOf(changed, KNOWN.strict)).toBeUndefined();
    expect(bodyOf(changed, ours)).toMatchObject({
      notificationType: 'SHARE_CHANGE_PERMISSION',
      notification: {
        sharedSecret: SECRET,
        protocol: { webdav: { permissions: ['read'], requirements: ['must-exchange-token'] } },
      },
    });
  });

  it('of changed content goes only to servers that ask for it', () => {
    const content: OutgoingNotice = { kind: 'content-changed', ...about, etag: 'e7a9', size: 12, path: '/a' };
    for (const document of [KNOWN.owncloud, KNOWN.nextcloud, KNOWN.ocis, KNOWN.opencloud, KNOWN.strict])
      expect(bodyOf(content, document)).toBeUndefined();
    const hearing = { ...KNOWN.strict, capabilities: [...KNOWN.strict.capabilities, 'content-changes'] };
    expect(bodyOf(content, hearing)).toMatchObject({
      notificationType: 'SHARE_CONTENT_CHANGED',
      notification: { sharedSecret: SECRET, etag: 'e7a9', size: 12, path: '/a' },
    });
  });

  it('of a seen share goes only to servers that ask for it', () => {
    const seen: OutgoingNotice = { kind: 'share-seen', ...about };
    for (const document of [KNOWN.owncloud, KNOWN.nextcloud, KNOWN.ocis, KNOWN.opencloud, KNOWN.strict])
      expect(bodyOf(seen, document)).toBeUndefined();
    const hearing = { ...KNOWN.strict, capabilities: [...KNOWN.strict.capabilities, 'seen-shares'] };
    expect(bodyOf(seen, hearing)).toMatchObject({ notificationType: 'SHARE_SEEN' });
  });

  it('of a decline has the reason of the recipient', () => {
    const declined: OutgoingNotice = { kind: 'share-declined', ...about, reason: 'not mine' };
    expect(bodyOf(declined, ours)).toMatchObject({ notification: { reason: 'not mine' } });
    expect(bodyOf({ ...declined, reason: null }, ours)).not.toMatchObject({
      notification: { reason: expect.anything() as string },
    });
  });

  it.each([
    ['reshare-permissions', { permission: ['read', 'write'], permissions: 5 }],
    ['reshare-requested', { shareWith: 'bob@third.test', senderId: 2, permissions: 5 }],
  ] as const)('%s contains the bits only for servers of our own kind', (kind, expected) => {
    const more = { shareWith: parseCloudId('bob@third.test'), requesterShareId: '2', permissions: 5 };
    const notice: OutgoingNotice = { ...about, ...more, kind };
    expect(bodyOf(notice, ours)).toMatchObject({ notification: expected });
    expect(JSON.stringify(bodyOf(notice, KNOWN.owncloud))).not.toContain('permissions":');
  });

  it('that asks for a reshare tells Nextcloud the type too', () => {
    const request: OutgoingNotice = {
      kind: 'reshare-requested',
      ...about,
      shareWith: parseCloudId('bob@third.test'),
      requesterShareId: '2',
      permissions: 31,
    };
    expect(bodyOf(request, KNOWN.nextcloud)).toMatchObject({
      notification: { senderId: 2, shareWith: 'bob@third.test', shareType: 6 },
    });
  });
});

describe('Nextcloud as the resharer’s server', () => {
  const declined = { ...about, kind: 'share-declined', toResharer: true } as const;
  const narrowed = { ...about, kind: 'reshare-permissions', permissions: 1 } as const;

  it('is told by an undone reshare that its recipient declined, because it fails to take the other message', () => {
    expect(bodyOf(declined, KNOWN.nextcloud)).toMatchObject({ notificationType: 'RESHARE_UNDO' });
    expect(bodyOf(declined, KNOWN.owncloud)).toMatchObject({ notificationType: 'SHARE_DECLINED' });
    expect(bodyOf({ ...declined, toResharer: false }, KNOWN.nextcloud)).toMatchObject({
      notificationType: 'SHARE_DECLINED',
    });
  });

  it('gets no change of permissions in any dialect, because it refuses all of them', () => {
    const profile = profileOf(KNOWN.nextcloud);
    expect(buildRequest(narrowed, 'ocm-webdav', profile)).toBeUndefined();
    expect(buildRequest(narrowed, 'legacy', profile)).toBeUndefined();
    expect(bodyOf(narrowed, KNOWN.owncloud)).toMatchObject({ notificationType: 'RESHARE_CHANGE_PERMISSION' });
  });
});
