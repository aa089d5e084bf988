import { basicAuth } from '#testing';
import { LINK_PASSWORD, type Held, type Trashed } from './held';
import type { MatrixRow } from './matrix-rows';
import type { Sample, SampleOf } from './sample-requests';

interface Place {
  readonly base: string;
  readonly authorization?: string;
}

/** The address of the folder for each kind of row, by the object of the row. */
const PLACES: Readonly<Record<string, (held: Held) => Place>> = {
  'the owner’s tree': () => ({ base: '/remote.php/dav/files/olga/docs' }),
  'the own tree': () => ({ base: '/remote.php/webdav/docs' }),
  'a link': ({ link }) => ({ base: `/remote.php/dav/public-files/${link.token}` }),
  'a link with a password': ({ lockedLink }) => ({
    base: `/remote.php/dav/public-files/${lockedLink.token}`,
  }),
  'no link': () => ({ base: '/remote.php/dav/public-files/GuessedTokenOfALink0' }),
  'a federated share': ({ given }) => ({ base: `/remote.php/dav/ocm/${given.partner}` }),
  'a federated share, short': ({ given }) => ({ base: `/dav/ocm/${given.partner}` }),
  'an access token': ({ given, accessToken }) => ({
    base: `/dav/ocm/${given.partner}`,
    authorization: `Bearer ${accessToken()}`,
  }),
  'the access token of another share': ({ given, accessToken }) => ({
    base: `/dav/ocm/${given.another}`,
    authorization: `Bearer ${accessToken()}`,
  }),
  'the own secret': () => ({ base: '/public.php/webdav' }),
  'the token of a link': ({ link }) => ({
    base: '/public.php/webdav',
    authorization: basicAuth(link.token, ''),
  }),
  'the password of a link': ({ lockedLink }) => ({
    base: '/public.php/webdav',
    authorization: basicAuth(lockedLink.token, LINK_PASSWORD),
  }),
  'a guess': () => ({ base: '/public.php/webdav', authorization: basicAuth('GuessedTokenOfALink0', '') }),
};

const PROPERTIES =
  '<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>';
const CHANGE =
  '<?xml version="1.0"?><d:propertyupdate xmlns:d="DAV:" xmlns:x="urn:x"><d:set><d:prop><x:y>z</x:y></d:prop></d:set></d:propertyupdate>';

const LOCK =
  '<?xml version="1.0"?><d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>';

/** Request with a method on the folder at `base`; no method removes the file of the reads. */
function sampleAt(method: string, base: string): Sample {
  const [kept, file] = [`${base}/kept.txt`, `${base}/plan.txt`];
  const to = (name: string) => ({ destination: `{url}${base}/${name}`, overwrite: 'F' });
  switch (method) {
    case 'PROPFIND':
      return { path: kept, headers: { depth: '0' }, body: PROPERTIES };
    case 'PROPPATCH':
      return { path: kept, body: CHANGE };
    case 'PUT':
      return { path: file, body: 'changed' };
    case 'DELETE':
      return { path: file };
    case 'MKCOL':
      return { path: `${base}/new` };
    case 'MOVE':
      return { path: file, headers: to('moved.txt') };
    case 'COPY':
      return { path: kept, headers: to('copied.txt') };
    case 'LOCK':
      return { path: file, body: LOCK };
    case 'UNLOCK':
      return {
        path: file,
        headers: { 'lock-token': '<opaquelocktoken:00000000-0000-4000-8000-000000000000>' },
      };
    default:
      return { path: kept };
  }
}

/** Request for the upload that the owner has begun. */
function uploadSample(method: string): Sample {
  const [own, chunk] = ['/remote.php/dav/uploads/olga', '/remote.php/dav/uploads/olga/begun/1'];
  if (method === 'PROPFIND') return { path: chunk, headers: { depth: '0' }, body: PROPERTIES };
  if (method === 'MKCOL') return { path: `${own}/new` };
  if (method !== 'MOVE') return { path: chunk, ...(method === 'PUT' ? { body: 'changed' } : {}) };
  return {
    path: `${own}/begun/.file`,
    headers: { destination: '{url}/remote.php/dav/files/olga/docs/sent.txt' },
    happensOnce: true,
  };
}

/** The address of the owner's deleted nodes for each kind of row. */
const TRASHED: Readonly<Record<string, (trashed: Trashed) => string>> = {
  'all trash bins': () => '/remote.php/dav/trash-bin',
  'all trash bins, by name': () => '/remote.php/dav/trashbin',
  'the owner’s trash bin': ({ id }) => `/remote.php/dav/trash-bin/olga/${id}`,
  'the owner’s trash bin, by name': ({ name }) => `/remote.php/dav/trashbin/olga/trash/${name}`,
};

function sampleInTrash(method: string, path: string): Sample {
  if (method === 'PROPFIND') return { path, headers: { depth: '0' }, body: PROPERTIES };
  if (method === 'MOVE')
    return { path, headers: { destination: '{url}/remote.php/webdav/restored.txt', overwrite: 'F' } };
  return { path };
}

const LABEL =
  '<?xml version="1.0"?><d:propertyupdate xmlns:d="DAV:" xmlns:nc="http://nextcloud.org/ns"><d:set><d:prop><nc:version-label>z</nc:version-label></d:prop></d:set></d:propertyupdate>';

/** The address of the versions of the owner's file for each kind of row. */
const VERSIONED: Readonly<Record<string, (fileId: string, version: string) => string>> = {
  'all files': () => '/remote.php/dav/meta',
  'all users with versions': () => '/remote.php/dav/versions',
  'a version of the owner’s file': (fileId, version) => `/remote.php/dav/meta/${fileId}/v/${version}`,
  'a version, by the owner’s name': (fileId, version) =>
    `/remote.php/dav/versions/olga/versions/${fileId}/${version}`,
};

function sampleOfVersion(method: string, path: string): Sample {
  if (method === 'PROPFIND') return { path, headers: { depth: '0' }, body: PROPERTIES };
  if (method === 'PROPPATCH') return { path, body: LABEL };
  if (method === 'COPY')
    return { path, headers: { destination: '{url}/remote.php/webdav/docs/versioned.txt' } };
  if (method === 'MOVE')
    return { path, headers: { destination: '{url}/remote.php/dav/versions/olga/restore/target' } };
  return { path };
}

/** The request of a row about an address of the WebDAV interface; undefined for other rows. */
export function davRequestOf({ about }: Pick<MatrixRow, 'about'>, method: string): SampleOf | undefined {
  if (about === 'an upload by TUS') return () => ({ path: '/remote.php/dav/tus/files/olga/unknown' });
  if (about === 'the owner’s upload') return () => uploadSample(method);
  if (about === 'the owner’s move')
    return ({ moveId }) => ({ path: `/remote.php/dav/job-status/olga/${moveId}` });
  const trashed = TRASHED[about];
  if (trashed) return (held) => sampleInTrash(method, trashed(held.trashed[method === 'DELETE' ? 1 : 0]));
  const version = VERSIONED[about];
  if (version)
    return ({ versioned: { fileId, versions } }) =>
      sampleOfVersion(method, version(fileId, versions[method === 'DELETE' ? 1 : 0]));
  const placeOf = PLACES[about];
  if (!placeOf) return undefined;
  return (held) => {
    const { base, authorization } = placeOf(held);
    return { ...sampleAt(method, base), ...(authorization === undefined ? {} : { authorization }) };
  };
}
