// Cases of files: uploads, downloads, and listings as sync clients request them.
import { authorization } from './cases.mjs';
import { LARGE } from './large-transfer.mjs';
import { contentOf, FILES_ACTORS, nameOf, SIZES } from './seed-files.mjs';

export const BASE = '/remote.php/webdav/';
const LISTED = `<?xml version="1.0"?><d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><d:resourcetype/>
<d:getlastmodified/><d:getcontentlength/><d:getetag/><oc:permissions/></d:prop></d:propfind>`;

const AIM = 0.75;
let sent = 0;

const get = ([label, size]) => ({
  case: `GET of ${label}`,
  format: 'bytes',
  aim: AIM,
  prepare: () => ({
    method: 'GET',
    path: BASE + nameOf(size),
    headers: { authorization: authorization(FILES_ACTORS.holder.uid) },
  }),
});

const put = ([label, size]) => ({
  case: `PUT of ${label}`,
  format: 'bytes',
  aim: AIM,
  prepare: () => ({
    method: 'PUT',
    path: `${BASE}new.bin`,
    headers: { authorization: authorization(FILES_ACTORS.holder.uid) },
    body: contentOf(size),
    next: () => ({ path: `${BASE}new-${sent++}.bin` }),
  }),
  // Both servers keep all uploads: a new file joins a folder with many files, as with real users.
  forget: () => Promise.resolve(),
});

/** One request at a time and few rounds: each transfers 1 GB. */
const large = (method) => ({
  case: `${method} of 1 GB`,
  format: 'bytes',
  aim: AIM,
  connections: [1],
  rounds: 3,
  prepare: () => ({
    method,
    path: BASE + LARGE.name,
    headers: { authorization: authorization(FILES_ACTORS.holder.uid) },
    isLarge: true,
  }),
  // The transfer itself checks its length; the content is too large to compare as text.
  forget: () => Promise.resolve(),
});

/** A listing of the root folder of an account, as sync clients request it. @param {'0' | '1'} depth */
export const listing = (uid, depth) => ({
  method: 'PROPFIND',
  path: BASE,
  headers: { authorization: authorization(uid), depth, 'content-type': 'application/xml' },
  body: LISTED,
});

const list = (uid, entries) => ({
  case: `PROPFIND of ${entries}`,
  format: 'xml',
  aim: AIM,
  prepare: () => listing(uid, '1'),
});

/** These cases have separate servers, so that the memory of the servers is measured without the other cases. */
export const LARGE_FILES_CASES = [large('PUT'), large('GET')];

export const FILES_CASES = [
  ...Object.entries(SIZES).map(get),
  ...Object.entries(SIZES).map(put),
  list(FILES_ACTORS.hundred.uid, '100'),
  list(FILES_ACTORS.thousand.uid, '1,000'),
];
