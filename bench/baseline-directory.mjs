// The baseline for the cases of cases-directory.mjs: groups, links, a chain of reshares, the search for recipients. It
// uses statements prepared by name, no caches, no rules, and no permissions except ownership.
import { randomBytes } from 'node:crypto';
import {
  inOwnTree,
  mounted,
  record,
  ROOT_OF,
  SHARE_COLUMNS,
  throughLink,
  toGroup,
  toUser,
} from './baseline-record.mjs';
import { answer, serveBaseline, SHARES } from './baseline-server.mjs';

const GROUP_GIVEN = {
  name: 'group_given',
  text: `SELECT ${SHARE_COLUMNS} FROM share s JOIN node n ON n.id = s.node_id
WHERE s.initiator_uid = $1 AND s.share_type = 1 ORDER BY s.id`,
};
const GROUP_RECEIVED = {
  name: 'group_received',
  text: `SELECT ${SHARE_COLUMNS}, p.file_target AS target, owner.display_name AS owner_name
FROM share_recipient p JOIN share s ON s.id = p.share_id AND s.share_type = 1
JOIN node n ON n.id = s.node_id JOIN user_account owner ON owner.uid = s.owner_uid
WHERE p.uid = $1 AND p.state = 0 ORDER BY s.id`,
};
const OWN_NODE = 'storage st JOIN node n ON n.storage_id = st.id AND n.path_hash = md5($2::text)::uuid';
const CREATED = `SELECT ${SHARE_COLUMNS} FROM shared s JOIN node n ON n.id = s.node_id`;
const CREATE_FOR_GROUP = {
  name: 'create_for_group',
  text: `WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
  SELECT 1, n.id, n.owner_uid, n.owner_uid, g.gid, g.gid, 19, n.path FROM ${OWN_NODE}, user_group g
  WHERE st.owner_uid = $1 AND g.gid = $3 RETURNING *
) ${CREATED}`,
};
const CREATE_LINK = {
  name: 'create_link',
  text: `WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, file_target, token_hmac, token_enc)
  SELECT 3, n.id, n.owner_uid, n.owner_uid, 1, n.path, $3::bytea, $4::bytea FROM ${OWN_NODE}
  WHERE st.owner_uid = $1 RETURNING *
) ${CREATED}`,
};

// The tables of a reshare and the names of its users. `s` is the reshare, `mine` is the share that its initiator
// received.
const RESHARE_NAMES = `owner.display_name AS owner_name, other.display_name AS other_name`;
const RESHARE_TABLES = `JOIN node n ON n.id = s.node_id JOIN user_account owner ON owner.uid = s.owner_uid
JOIN user_account other ON other.uid = s.recipient`;
const RESHARE = {
  name: 'reshare',
  text: `WITH mine AS (
  SELECT via.node_id, via.owner_uid FROM share_recipient p JOIN share via ON via.id = p.share_id
  WHERE p.uid = $1 AND p.target_hash = md5($2::text)::uuid AND p.state = 0
), shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
  SELECT 0, mine.node_id, mine.owner_uid, $1, r.uid, r.uid, 19, $2 FROM mine, user_account r WHERE r.uid = $3 RETURNING *
), placed AS (
  INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, recipient, 0, file_target FROM shared
)
SELECT ${SHARE_COLUMNS}, $2 AS mine, ${RESHARE_NAMES} FROM shared s ${RESHARE_TABLES}`,
};
const ONE_RESHARE = {
  name: 'one_reshare',
  text: `SELECT ${SHARE_COLUMNS}, p.file_target AS mine, ${RESHARE_NAMES} FROM share s ${RESHARE_TABLES}
JOIN share via ON via.node_id = s.node_id AND via.share_type = 0 AND via.recipient_canonical = s.initiator_uid
JOIN share_recipient p ON p.share_id = via.id AND p.uid = s.initiator_uid
WHERE s.id = $1 AND s.initiator_uid = $2`,
};

const USER = 'uid, display_name FROM user_account';
const WHOLE_ID = { name: 'whole_id', text: `SELECT ${USER} WHERE lower(uid) = lower($1)` };
const PARTIAL = {
  name: 'partial',
  text: `SELECT ${USER} WHERE search_trigrams(search_text) @> search_trigrams(lower($1))
  AND strpos(search_text, lower($1)) > 0 ORDER BY lower(display_name), uid LIMIT $2`,
};
/** A search of this length looks for a part of an id, a longer one for a whole id. */
const PART_LENGTH = 3;

const toGroupOf = (row, { account }) =>
  record(row, { type: 1, ownerName: account.name, recipient: toGroup(row.recipient), place: inOwnTree(row) });

const fromGroup = (row, rootId) =>
  record(row, {
    type: 1,
    ownerName: row.owner_name,
    recipient: toGroup(row.recipient),
    state: 0,
    place: mounted(row.target, rootId),
    target: row.target,
  });

const reshared = (row, rootId, { account }) =>
  record(row, {
    type: 0,
    ownerName: row.owner_name,
    initiatorName: account.name,
    recipient: toUser(row.recipient, row.other_name),
    place: mounted(row.mine, rootId),
  });

const sharee = ({ uid, display_name: label }) => ({
  label,
  value: { shareType: 0, shareWith: uid, userType: 0 },
});

function serveCreation(app, rows) {
  const byType = {
    async 0(request) {
      const { uid } = request.account;
      const [[root], [row]] = await Promise.all([
        rows(ROOT_OF, [uid]),
        rows(RESHARE, [uid, request.body.path, request.body.shareWith]),
      ]);
      return row && reshared(row, root.id, request);
    },
    async 1(request) {
      const { path, shareWith } = request.body;
      const [row] = await rows(CREATE_FOR_GROUP, [request.account.uid, path, shareWith]);
      return row && toGroupOf(row, request);
    },
    async 3(request) {
      const token = randomBytes(16).toString('hex');
      const values = [request.account.uid, request.body.path, randomBytes(32), randomBytes(60)];
      const [row] = await rows(CREATE_LINK, values);
      const recipient = throughLink(`http://${request.headers.host}/index.php/s/${token}`);
      return (
        row &&
        record(row, { type: 3, ownerName: request.account.name, token, recipient, place: inOwnTree(row) })
      );
    },
  };
  app.post(SHARES, async (request, reply) => {
    const created = await byType[request.body.shareType](request);
    return created === undefined ? reply.code(404).send() : answer(request, reply, created);
  });
}

serveBaseline((app, query) => {
  const rows = async (statement, values) => (await query(statement, values)).rows;
  serveCreation(app, rows);
  app.get(`${SHARES}/:id`, async (request, reply) => {
    const { uid } = request.account;
    const [[root], [row]] = await Promise.all([
      rows(ROOT_OF, [uid]),
      rows(ONE_RESHARE, [request.params.id, uid]),
    ]);
    return row === undefined
      ? reply.code(404).send()
      : answer(request, reply, [reshared(row, root.id, request)]);
  });
  app.get(SHARES, async (request, reply) => {
    const { uid } = request.account;
    if (request.query.shared_with_me !== 'true') {
      const records = (await rows(GROUP_GIVEN, [uid])).map((row) => toGroupOf(row, request));
      return answer(request, reply, records);
    }
    const [[root], found] = await Promise.all([rows(ROOT_OF, [uid]), rows(GROUP_RECEIVED, [uid])]);
    const records = found.map((row) => fromGroup(row, root.id));
    return answer(request, reply, records);
  });
  app.get('/ocs/v2.php/apps/files_sharing/api/v1/sharees', async (request, reply) => {
    const { search, perPage } = request.query;
    const partial = search.length === PART_LENGTH;
    const found = (await rows(partial ? PARTIAL : WHOLE_ID, partial ? [search, perPage] : [search])).map(
      sharee,
    );
    const exact = { users: partial ? [] : found, groups: [], remotes: [] };
    return answer(request, reply, { exact, users: partial ? found : [], groups: [], remotes: [] }, 'OK');
  });
});
