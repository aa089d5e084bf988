import { appServing } from './path-table';

describe('the path table', () => {
  it.each([
    ['/ocs/v1.php/cloud/capabilities', 'capabilities'],
    ['/ocs/v2.php/cloud/capabilities/entries/notes', 'capabilities'],
    ['/ocs/v2.php/cloud/capabilitiesandmore', 'share-api'],
    ['/ocs/v2.php/cloud/users', 'share-api'],
    ['/ocs/v1.php/apps/files_sharing/api/v1/shares', 'share-api'],
    ['/ocs/v3.php/unknown', 'share-api'],
    ['/status.php', 'capabilities'],
    ['/status.php/more', undefined],
    ['/ocs/v1.php/cloud/shares', 'federation-api'],
    ['/ocs/v2.php/cloud/shares/77/accept', 'federation-api'],
    ['/ocs/v2.php/cloud/shared-secret', 'federation-api'],
    ['/ocs/v1.php/apps/federation/api/v1/request-shared-secret', 'federation-api'],
    ['/ocs/v2.php/apps/federation/api/v1/partners', 'share-api'],
    ['/remote.php/dav/addressbooks/system/system/system', 'federation-api'],
    ['/remote.php/dav/addressbooks/users', 'files'],
    ['/ocm/shares', 'federation-api'],
    ['/ocm-provider/', 'federation-api'],
    ['/ocs-provider/', 'federation-api'],
    ['/.well-known/ocm', 'federation-api'],
    ['/.well-known/jwks.json', 'federation-api'],
    ['/.well-known/jwks.json/more', undefined],
    ['/.well-known/security.txt', undefined],
    ['/remote.php/webdav/', 'files'],
    ['/remote.php/dav/files/alice/a%20b', 'files'],
    ['/public.php/webdav', 'files'],
    ['/dav/', 'files'],
    ['/davy', undefined],
    ['/', 'web'],
    ['/login', 'web'],
    ['/web/session', 'web'],
    ['/index.php/s/abcDEF', 'files'],
    ['/s/abcDEF', 'files'],
    ['/metrics', undefined],
    ['/health/ready', undefined],
  ])('sends %s to %s', (path, app) => {
    expect(appServing(path)).toBe(app);
  });
});
