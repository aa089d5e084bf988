// The baseline of the gateway: a minimal server that answers the same requests with the same bytes. It uses statements
// prepared by name, no caches, no rules, and no permissions except ownership.
import { inOwnTree, mounted, record, ROOT_OF, SHARE_COLUMNS, toUser } from './baseline-record.mjs';
import { answer, JSON_TYPE, serveBaseline, SHARES, XML_TYPE } from './baseline-server.mjs';

// The caller's name is known from the sign-in; the statement reads only the node and the name of the other person.
const COLUMNS = `${SHARE_COLUMNS}, other.display_name AS other_name`;
const GIVEN = `SELECT ${COLUMNS} FROM share s
JOIN node n ON n.id = s.node_id JOIN user_account other ON other.uid = s.recipient_canonical`;

const ONE = { name: 'one', text: `${GIVEN} WHERE s.id = $1 AND s.initiator_uid = $2` };
const OWN = {
  name: 'own',
  text: `${GIVEN} WHERE s.initiator_uid = $1 AND s.share_type = 0 ORDER BY s.node_id, s.id`,
};
const RECEIVED = {
  name: 'received',
  text: `SELECT ${COLUMNS}, p.file_target AS target FROM share s
JOIN share_recipient p ON p.share_id = s.id AND p.uid = s.recipient_canonical AND p.state = 0
JOIN node n ON n.id = s.node_id JOIN user_account other ON other.uid = s.owner_uid
WHERE s.recipient_canonical = $1 AND s.share_type = 0 ORDER BY s.id`,
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
SELECT ${COLUMNS} FROM shared s
JOIN node n ON n.id = s.node_id JOIN user_account other ON other.uid = s.recipient`,
};
const DELETE = { name: 'delete', text: 'DELETE FROM share WHERE id = $1 AND initiator_uid = $2' };

const given = (row, { account }) =>
  record(row, {
    type: 0,
    ownerName: account.name,
    recipient: toUser(row.recipient, row.other_name),
    place: inOwnTree(row),
  });

const received = (row, rootId, { account }) =>
  record(row, {
    type: 0,
    ownerName: row.other_name,
    recipient: toUser(row.recipient, account.name),
    state: 0,
    place: mounted(row.target, rootId),
    target: row.target,
  });

serveBaseline((app, query, { capabilities }) => {
  const rows = async (statement, values) => (await query(statement, values)).rows;
  app.get('/ocs/v2.php/cloud/capabilities', (request, reply) =>
    request.query.format === 'json'
      ? reply.type(JSON_TYPE).send(capabilities.json)
      : reply.type(XML_TYPE).send(capabilities.xml),
  );
  app.get(`${SHARES}/:id`, async (request, reply) => {
    const found = await rows(ONE, [request.params.id, request.account.uid]);
    if (found.length === 0) return reply.code(404).send();
    const records = found.map((row) => given(row, request));
    return answer(request, reply, records);
  });
  app.get(SHARES, async (request, reply) => {
    const { uid } = request.account;
    if (request.query.shared_with_me !== 'true') {
      const records = (await rows(OWN, [uid])).map((row) => given(row, request));
      return answer(request, reply, records);
    }
    const [[root], found] = await Promise.all([rows(ROOT_OF, [uid]), rows(RECEIVED, [uid])]);
    const records = found.map((row) => received(row, root.id, request));
    return answer(request, reply, records);
  });
  app.post(SHARES, async (request, reply) => {
    const [created] = await rows(CREATE, [request.account.uid, request.body.path, request.body.shareWith]);
    if (created === undefined) return reply.code(404).send();
    return answer(request, reply, given(created, request));
  });
  app.delete(`${SHARES}/:id`, async (request, reply) => {
    const { rowCount } = await query(DELETE, [request.params.id, request.account.uid]);
    return rowCount === 1 ? answer(request, reply, []) : reply.code(404).send();
  });
});
