import fc from 'fast-check';
import { FederationRefused, type FederationRefusal } from './federation-refusal';
import { LEGACY_ACTIONS } from '../messages/partner-events';
import { parseLegacyNotice, parseOcmNotice } from './notice';

const NOTICE = {
  notificationType: 'SHARE_ACCEPTED',
  resourceType: 'file',
  providerId: '4711',
  notification: { sharedSecret: 's22', message: 'm' },
};

function refusalOf(action: () => unknown): [FederationRefusal, string] | 'taken' {
  try {
    action();
  } catch (error) {
    if (error instanceof FederationRefused) return [error.refusal, error.detail];
    throw error;
  }
  return 'taken';
}

describe('a notice', () => {
  it.each([
    ['SHARE_ACCEPTED', {}, { kind: 'share-accepted' }],
    ['SHARE_DECLINED', {}, { kind: 'share-declined' }],
    ['SHARE_UNSHARED', { messgage: 'as Nextcloud writes it' }, { kind: 'share-unshared' }],
    ['RESHARE_UNDO', {}, { kind: 'reshare-undone' }],
    [
      'RESHARE_CHANGE_PERMISSION',
      { permission: ['read', 'share'] },
      { kind: 'reshare-permissions', permissions: 17, exact: false },
    ],
    [
      'RESHARE_CHANGE_PERMISSION',
      { permission: ['read', 'write'], permissions: 5 },
      { kind: 'reshare-permissions', permissions: 5, exact: true },
    ],
    [
      'SHARE_CHANGE_PERMISSION',
      { protocol: { name: 'multi', webdav: { permissions: ['read', 'write'] } } },
      { kind: 'share-permissions', permissions: 15 },
    ],
    [
      'SHARE_CHANGE_PERMISSION',
      { protocol: { webdav: { permissions: ['read'] } }, expiration: 4102444800 },
      { kind: 'share-permissions', expiresAt: 4102444800 },
    ],
    [
      'SHARE_CHANGE_PERMISSION',
      { protocol: { webdav: { permissions: ['read'] } }, expiration: 0 },
      { kind: 'share-permissions', expiresAt: null },
    ],
    [
      'SHARE_CHANGE_PERMISSION',
      { protocol: { webdav: { permissions: ['read'] } }, description: 'for\u0007 you' },
      { kind: 'share-permissions', description: 'for  you' },
    ],
    [
      'SHARE_CHANGE_PERMISSION',
      { protocol: { webdav: { permissions: ['read'] } }, description: '' },
      { kind: 'share-permissions', description: '' },
    ],
    [
      'SHARE_CONTENT_CHANGED',
      { etag: 'e7a9', size: 12, path: '/plans' },
      { kind: 'content-changed', etag: 'e7a9' },
    ],
    [
      'REQUEST_RESHARE',
      { shareWith: 'bob@third.test', senderId: 2 },
      { kind: 'reshare-requested', requesterShareId: '2', permissions: null },
    ],
    [
      'REQUEST_RESHARE',
      { shareWith: 'bob@third.test', senderId: 2, permissions: 3 },
      { kind: 'reshare-requested', requesterShareId: '2', permissions: 3 },
    ],
  ])('%s is read', (notificationType, inner, expected) => {
    const notice = parseOcmNotice({
      ...NOTICE,
      notificationType,
      notification: { sharedSecret: 's22', ...inner },
    });
    expect(notice).toMatchObject({ providerId: '4711', grantee: null, ...expected });
    expect(notice.sharedSecret!.reveal()).toBe('s22');
  });

  it('of oCIS names its recipient', () => {
    const notice = parseOcmNotice({
      ...NOTICE,
      notificationType: 'SHARE_UNSHARED',
      notification: { grantee: 'marie@cloud2.example.org' },
    });
    expect(notice).toMatchObject({ sharedSecret: null, grantee: { user: 'marie' } });
  });

  it.each([
    ['nothing inside', { notification: undefined }],
    ['neither secret nor recipient', { notification: {} }],
    ['no kind of resource either', { notification: undefined, resourceType: undefined }],
  ])('may have %s: its signature binds it', (_what, change) => {
    const notice = parseOcmNotice({ ...NOTICE, ...change });
    expect(notice).toMatchObject({
      kind: 'share-accepted',
      providerId: '4711',
      sharedSecret: null,
      grantee: null,
    });
  });

  it.each<[string, object, FederationRefusal, string?]>([
    ['another thing', { resourceType: 'talk-room' }, 'resource-type-unsupported', 'talk-room'],
    ['another type', { notificationType: 'USER_REMOVED' }, 'notification-unsupported', 'USER_REMOVED'],
    [
      'the type of a built-in member',
      { notificationType: 'toString' },
      'notification-unsupported',
      'toString',
    ],
    ['no type', { notificationType: undefined }, 'notification-missing'],
    ['no share', { providerId: undefined }, 'notification-missing'],
    [
      'bits that there are not',
      {
        notificationType: 'RESHARE_CHANGE_PERMISSION',
        notification: { sharedSecret: 's', permission: ['read'], permissions: 32 },
      },
      'field-invalid',
      'permissions',
    ],
    [
      'no permission',
      { notificationType: 'RESHARE_CHANGE_PERMISSION', notification: { sharedSecret: 's', permission: [] } },
      'fields-missing',
      'permission',
    ],
  ])('is refused for %s', (_what, change, refusal, detail = '') => {
    expect(refusalOf(() => parseOcmNotice({ ...NOTICE, ...change }))).toEqual([refusal, detail]);
  });

  it.each([
    ['accept', {}, { kind: 'share-accepted' }],
    ['decline', {}, { kind: 'share-declined' }],
    ['unshare', {}, { kind: 'share-unshared' }],
    ['revoke', {}, { kind: 'reshare-undone' }],
    ['permissions', { permissions: '1' }, { kind: 'reshare-permissions', permissions: 1, exact: true }],
    [
      'reshare',
      { shareWith: 'bob@third.test', permission: '31', remoteId: '3' },
      { kind: 'reshare-requested', permissions: 31, requesterShareId: '3' },
    ],
  ] as const)('in the legacy dialect: %s', (action, form, expected) => {
    expect(parseLegacyNotice(action, '4711', { token: 's22', ...form })).toMatchObject({
      providerId: '4711',
      ...expected,
    });
  });

  it.each([['0'], ['32'], ['-1'], ['x'], ['1.5']])('is refused for the permissions %s', (permissions) => {
    expect(refusalOf(() => parseLegacyNotice('permissions', '1', { token: 's', permissions }))).toEqual([
      'field-invalid',
      'permissions',
    ]);
  });

  it('without a secret names no share', () => {
    expect(parseLegacyNotice('accept', '1', {})).toMatchObject({ sharedSecret: null, grantee: null });
  });
});

describe('a notice with any content', () => {
  const json = fc.jsonValue({ maxDepth: 5 });

  it('is either a notice or refused', () => {
    const notice = fc
      .tuple(fc.constantFrom('providerId', 'notification', 'notificationType'), json)
      .map(([field, value]) => ({ ...NOTICE, [field]: value }));
    fc.assert(
      fc.property(fc.oneof(json, notice), (body) => void refusalOf(() => parseOcmNotice(body))),
      { numRuns: 1000 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...LEGACY_ACTIONS),
        fc.string(),
        json,
        (action, id, form) => void refusalOf(() => parseLegacyNotice(action, id, form)),
      ),
    );
  });
});
