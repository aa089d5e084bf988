// Requests of partners' servers: the root of every share that their users received, once per share and listing.
import { TOKENS } from './seed-partner.mjs';

/** The request of a deployed server for the root of a mount. */
const MOUNT_PROPERTIES = `<?xml version="1.0" encoding="UTF-8"?>
<d:propfind xmlns:d="DAV:"><d:prop xmlns:x="http://owncloud.org/ns" xmlns:x1="http://open-collaboration-services.org/ns">
<d:getlastmodified/><d:getcontentlength/><d:getcontenttype/><x:permissions/><x1:share-permissions/><d:resourcetype/><d:getetag/>
</d:prop></d:propfind>`;

const headersWith = (token) => ({
  authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
  depth: '0',
  'content-type': 'application/xml',
});

function prepare() {
  let asked = 0;
  const next = () => ({ headers: headersWith(TOKENS[asked++ % TOKENS.length]) });
  const constant = { method: 'PROPFIND', path: '/public.php/webdav/', body: MOUNT_PROPERTIES };
  return { ...constant, headers: headersWith(TOKENS[0]), next };
}

export const PARTNER_CASES = [{ case: 'partner-propfind', format: 'xml', aim: 0.2, prepare }];
