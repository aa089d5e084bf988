// A minimal server that stores files as durably as the gateway: node:http, a file that is synchronised with the disk and then renamed, and a
// row. Listings are one statement. It authenticates by one SHA-256 of the Authorization header and has no rules.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openEmbeddedDatabase } from '#embedded-database';
import pg from 'pg';
import { LARGE, largeContent } from './large-transfer.mjs';
import { contentOf, nameOf, SIZES } from './seed-files.mjs';

const POOL = 10;
const BASE = '/remote.php/webdav/';

const FIND = { name: 'find', text: 'SELECT size, etag FROM bench_file WHERE name = $1' };
const KEEP = {
  name: 'keep',
  text: `INSERT INTO bench_file VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET size = excluded.size, etag = excluded.etag`,
};
const LIST = {
  name: 'list',
  // The root and its children are looked up by their whole keys. By their owner, the plan depends on the statistics of all files.
  text: `WITH root AS (
  SELECT n.* FROM storage st JOIN node n ON n.storage_id = st.id AND n.path_hash = md5('')::uuid WHERE st.owner_uid = $1 AND st.received_share_id IS NULL
)
SELECT name, kind, size, mtime, etag FROM (
  SELECT 0 AS depth, name, kind, size, mtime, etag FROM root
  UNION ALL SELECT 1, n.name, n.kind, n.size, n.mtime, n.etag FROM node n JOIN root ON n.parent_id = root.id
) entry ORDER BY depth, name`,
};

const HEAD = `<?xml version="1.0"?>
<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns">`;

function response({ name, kind, size, mtime, etag }) {
  const times = `<d:getlastmodified>${mtime.toUTCString()}</d:getlastmodified>`;
  const tag = `<d:getetag>&quot;${etag}&quot;</d:getetag>`;
  const found =
    kind === 'folder'
      ? `<d:resourcetype><d:collection/></d:resourcetype>${times}${tag}<oc:permissions>RDNVCK</oc:permissions>`
      : `<d:resourcetype/>${times}<d:getcontentlength>${size}</d:getcontentlength>${tag}<oc:permissions>RDNVW</oc:permissions>`;
  const missing =
    kind === 'folder'
      ? '<d:propstat><d:prop><d:getcontentlength/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status></d:propstat>'
      : '';
  return (
    `<d:response><d:href>${BASE}${encodeURIComponent(name)}</d:href><d:propstat><d:prop>${found}</d:prop>` +
    `<d:status>HTTP/1.1 200 OK</d:status></d:propstat>${missing}</d:response>`
  );
}

async function keep({ directory, pool }, content, name) {
  const temporary = join(directory, randomBytes(16).toString('hex'));
  let size = 0;
  content.on('data', (chunk) => (size += chunk.length));
  await pipeline(content, createWriteStream(temporary, { flush: true }));
  await rename(temporary, join(directory, name));
  const folder = await open(directory);
  await folder.sync();
  await folder.close();
  await pool.query({ ...KEEP, values: [name, size, randomBytes(16).toString('hex')] });
}

process.once('message', async ({ dataDirectory, accounts }) => {
  const database = await openEmbeddedDatabase({ dataDirectory, role: 'command' });
  const pool = new pg.Pool({ connectionString: database.url, max: POOL });
  const directory = join(dataDirectory, 'bench-files');
  await mkdir(directory);
  const owners = new Map(accounts.map(({ digest, uid }) => [digest, uid]));
  for (const size of Object.values(SIZES)) {
    await writeFile(join(directory, nameOf(size)), contentOf(size));
    await pool.query({ ...KEEP, values: [nameOf(size), size, 'seeded'] });
  }

  const put = (content, name) => keep({ directory, pool }, content, name);
  let large;
  function makeLarge() {
    large ??= put(Readable.from(largeContent(), { objectMode: false }), LARGE.name);
    return large;
  }

  const server = createServer(async (request, reply) => {
    const digest = createHash('sha256').update(request.headers.authorization).digest('hex');
    const uid = owners.get(digest);
    const name = request.url.slice(BASE.length);
    if (request.method === 'PUT') {
      try {
        await put(request, name);
      } catch (error) {
        // The load generator cancels its open requests when its time is over.
        if (reply.destroyed) return;
        throw error;
      }
      return reply.writeHead(201).end();
    }
    request.resume();
    if (request.method === 'GET') {
      if (name === LARGE.name) await makeLarge();
      const { rows } = await pool.query({ ...FIND, values: [name] });
      reply.writeHead(200, { 'content-length': rows[0].size, etag: `"${rows[0].etag}"` });
      return createReadStream(join(directory, name)).pipe(reply);
    }
    const { rows } = await pool.query({ ...LIST, values: [uid] });
    const body = `${HEAD}${rows.map(response).join('')}</d:multistatus>\n`;
    reply.writeHead(207, {
      'content-type': 'application/xml; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    reply.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.once('disconnect', async () => {
    server.close();
    server.closeAllConnections();
    await pool.end();
    await database.stop();
  });
});
