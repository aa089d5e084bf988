// What the gateway is measured against: the least that answers the same requests with the same bytes.
// Fastify, `pg` with statements prepared by name, authentication by one SHA-256 of the Authorization header; no
// rules, no permissions beyond "is it mine", no caches. Started by run.mjs as a child process with an IPC channel.
import { createHash } from 'node:crypto';
import { openEmbeddedDatabase } from '#embedded-database';
import Fastify from 'fastify';
import pg from 'pg';
import { envelopeJson, envelopeXml } from './baseline-envelope.mjs';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const POOL = 10;
const JSON_TYPE = 'application/json; charset=utf-8';
const XML_TYPE = 'application/xml; charset=utf-8';
const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';

// The caller's own name is known since he signed in; what is left to look up is the node and the other one's name.
const COLUMNS = `s.id::text, s.permissions, date_part('epoch', s.created_at) AS created_at, s.owner_uid, s.recipient,
  other.display_name AS other_name, n.path, n.mimetype, n.storage_id, n.kind, n.id AS node_id, n.parent_id`;
const GIVEN = `SELECT ${COLUMNS}, s.file_target FROM share s
JOIN node n ON n.id = s.node_id JOIN user_account other ON other.uid = s.recipient_canonical`;

const ONE = { name: 'one', text: `${GIVEN} WHERE s.id = $1 AND s.initiator_uid = $2` };
const OWN = {
  name: 'own',
  text: `${GIVEN} WHERE s.initiator_uid = $1 AND s.share_type = 0 ORDER BY s.node_id, s.id`,
};
const RECEIVED = {
  name: 'received',
  text: `SELECT ${COLUMNS}, p.file_target FROM share s
JOIN share_recipient p ON p.share_id = s.id AND p.uid = s.recipient_canonical AND p.state = 0
JOIN node n ON n.id = s.node_id JOIN user_account other ON other.uid = s.owner_uid
WHERE s.recipient_canonical = $1 AND s.share_type = 0 ORDER BY s.id`,
};
const ROOT_OF = {
  name: 'root_of',
  text: `SELECT id FROM node WHERE owner_uid = $1 AND parent_id IS NULL AND path = ''`,
};
const CREATE = {
  name: 'create',
  text: `
WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
  SELECT 0, n.id, n.owner_uid, n.owner_uid, r.uid, r.uid, 19, n.path
  FROM storage st JOIN node n ON n.storage_id = st.id AND n.path_hash = md5($2::text)::uuid, user_account r
  WHERE st.owner_uid = $1 AND r.uid = $3 RETURNING *
), placed AS (
  INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, recipient, 0, file_target FROM shared
)
SELECT ${COLUMNS}, s.file_target FROM shared s
JOIN node n ON n.id = s.node_id JOIN user_account other ON other.uid = s.recipient`,
};
const DELETE = { name: 'delete', text: 'DELETE FROM share WHERE id = $1 AND initiator_uid = $2' };

/** What sender and recipient see alike; `path`, `storage_id` and `file_parent` are those of the viewer. */
function record(row, ownerName, recipientName, received) {
  return {
    id: row.id,
    share_type: 0,
    uid_owner: row.owner_uid,
    displayname_owner: ownerName,
    permissions: row.permissions,
    stime: Math.floor(row.created_at),
    parent: null,
    expiration: null,
    token: null,
    uid_file_owner: row.owner_uid,
    displayname_file_owner: ownerName,
    additional_info_owner: null,
    additional_info_file_owner: null,
    state: received ? 0 : undefined,
    path: received ? row.file_target : row.path,
    mimetype: row.mimetype,
    storage_id: received ? `shared::${row.file_target}` : `home::${row.owner_uid}`,
    storage: row.storage_id,
    item_type: row.kind,
    item_source: row.node_id,
    file_source: row.node_id,
    file_parent: received ? received.rootId : row.parent_id,
    file_target: row.file_target,
    share_with: row.recipient,
    share_with_displayname: recipientName,
    share_with_user_type: 0,
    share_with_additional_info: null,
    mail_send: 0,
    attributes: null,
  };
}

const answer = (request, reply, data) =>
  request.query.format === 'json'
    ? reply.type(JSON_TYPE).send(envelopeJson(data))
    : reply.type(XML_TYPE).send(envelopeXml(data));

const given = (row, request) => record(row, request.account.name, row.other_name);

function build(pool, { accounts, capabilities }) {
  const accountOf = new Map(accounts.map((account) => [account.digest, account]));
  const app = Fastify();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  );
  app.decorateRequest('account', null);
  app.addHook('onRequest', async (request, reply) => {
    const digest = createHash('sha256')
      .update(request.headers.authorization ?? '')
      .digest('hex');
    request.account = accountOf.get(digest);
    if (request.account === undefined) return reply.code(401).send();
  });
  app.get('/ocs/v2.php/cloud/capabilities', (request, reply) =>
    request.query.format === 'json'
      ? reply.type(JSON_TYPE).send(capabilities.json)
      : reply.type(XML_TYPE).send(capabilities.xml),
  );
  serveShares(app, pool);
  return app;
}

function serveShares(app, pool) {
  const rows = async (statement, values) => (await pool.query({ ...statement, values })).rows;
  app.get(`${SHARES}/:id`, async (request, reply) => {
    const found = await rows(ONE, [request.params.id, request.account.uid]);
    if (found.length === 0) return reply.code(404).send();
    return answer(
      request,
      reply,
      found.map((row) => given(row, request)),
    );
  });
  app.get(SHARES, async (request, reply) => {
    if (request.query.shared_with_me !== 'true') {
      return answer(
        request,
        reply,
        (await rows(OWN, [request.account.uid])).map((row) => given(row, request)),
      );
    }
    const [[root], found] = await Promise.all([
      rows(ROOT_OF, [request.account.uid]),
      rows(RECEIVED, [request.account.uid]),
    ]);
    const received = { rootId: root.id };
    return answer(
      request,
      reply,
      found.map((row) => record(row, row.other_name, request.account.name, received)),
    );
  });
  app.post(SHARES, async (request, reply) => {
    const [created] = await rows(CREATE, [request.account.uid, request.body.path, request.body.shareWith]);
    if (created === undefined) return reply.code(404).send();
    return answer(request, reply, given(created, request));
  });
  app.delete(`${SHARES}/:id`, async (request, reply) => {
    const { rowCount } = await pool.query({ ...DELETE, values: [request.params.id, request.account.uid] });
    return rowCount === 1 ? answer(request, reply, []) : reply.code(404).send();
  });
}

process.once('message', async (options) => {
  const database = await openEmbeddedDatabase({ dataDirectory: options.dataDirectory, role: 'command' });
  const pool = new pg.Pool({ connectionString: database.url, max: POOL });
  const app = build(pool, options);
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('disconnect', async () => {
    await app.close();
    await pool.end();
    await database.stop();
  });
  process.send({ port: app.server.address().port });
});
