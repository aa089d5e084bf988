// A minimal server that answers the PROPFIND of cases-partner.mjs with the same bytes: node:http and one statement
// prepared by name. It ignores the body and checks no rule.
import { createServer } from 'node:http';
import { openEmbeddedDatabase } from '#embedded-database';
import pg from 'pg';
import { lookups } from './seed-partner.mjs';

const POOL = 10;

const SHARED = {
  name: 'shared',
  text: `SELECT s.permissions, n.mtime, n.size, n.mimetype, n.etag FROM share s JOIN node n ON n.id = s.node_id
WHERE s.token_hmac = $1 AND s.share_type = 6`,
};

const HEAD = `<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns">`;

const multistatus = ({ permissions, mtime, size, mimetype, etag }) =>
  `${HEAD}<d:response><d:href>/public.php/webdav/</d:href><d:propstat><d:prop>` +
  `<d:getlastmodified>${mtime.toUTCString()}</d:getlastmodified><d:getcontentlength>${size}</d:getcontentlength>` +
  `<d:getcontenttype>${mimetype}</d:getcontenttype><oc:permissions>RNVW</oc:permissions>` +
  `<x1:share-permissions xmlns:x1="http://open-collaboration-services.org/ns">${permissions}</x1:share-permissions>` +
  `<d:resourcetype/><d:getetag>&quot;${etag}&quot;</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>` +
  `</d:response></d:multistatus>\n`;

function tokenOf(request) {
  const credentials = Buffer.from(request.headers.authorization.slice('Basic '.length), 'base64').toString();
  return credentials.slice(0, credentials.indexOf(':'));
}

process.once('message', async ({ dataDirectory }) => {
  const database = await openEmbeddedDatabase({ dataDirectory, role: 'command' });
  const pool = new pg.Pool({ connectionString: database.url, max: POOL });
  const server = createServer(async (request, response) => {
    request.resume();
    const { rows } = await pool.query({ ...SHARED, values: [lookups.lookup(tokenOf(request))] });
    const body = multistatus(rows[0]);
    response.writeHead(207, {
      'content-type': 'application/xml; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.once('disconnect', async () => {
    server.close();
    server.closeAllConnections();
    await pool.end();
    await database.stop();
  });
});
