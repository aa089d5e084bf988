// A minimal server that accepts and sends offers: no rules, no encrypted secrets, no queue. It writes the share with
// its message, calls the partner in the same request, and marks both.
import { createHash, randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { inOwnTree, record, SHARE_COLUMNS, toUser } from './baseline-record.mjs';
import { answer, serveBaseline, SHARES } from './baseline-server.mjs';

const TAKE = {
  name: 'take',
  text: `
WITH made AS (
  INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect)
  SELECT p.id, $1, $2, $2, a.uid, $3, $3, $4, 'file', 19, 'ocm-webdav' FROM peer p, user_account a WHERE p.host_key = $5 AND a.uid = $6
  ON CONFLICT DO NOTHING RETURNING id, recipient_uid
), told AS (
  INSERT INTO notification (uid, app, object_type, object_id, subject)
  SELECT recipient_uid, 'files_sharing', 'remote_share', id::text, 'You received "/' || $4 || '"' FROM made
)
SELECT a.display_name FROM user_account a WHERE a.uid = $6`,
};
const OFFER = {
  name: 'offer',
  text: `
WITH shared AS (
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
    peer_id, delivery_state, acceptance)
  SELECT 6, n.id, n.owner_uid, n.owner_uid, $3, $3, 19, $4, $4, p.id, 'pending', 'unknown'
  FROM storage st JOIN node n ON n.storage_id = st.id AND n.path_hash = md5($2::text)::uuid, peer p
  WHERE st.owner_uid = $1 AND p.host_key = $5 RETURNING *
), message AS (
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at, state)
  SELECT 'share', id, peer_id, 'share-create', 0, 'share-create:share/' || id || ':0', '{}', now() + interval '3 days', 'inflight' FROM shared
)
SELECT ${SHARE_COLUMNS}, n.name FROM shared s JOIN node n ON n.id = s.node_id`,
};
const TAKEN = {
  name: 'taken',
  text: `
WITH message AS (
  UPDATE outbox_message SET state = 'delivered', finished_at = now() WHERE subject_type = 'share' AND subject_id = $1
)
UPDATE share SET delivery_state = 'delivered', delivered_at = now() WHERE id = $1`,
};

const digest = (text) => createHash('sha256').update(text).digest();

function offerOf(row, token) {
  return JSON.stringify({
    shareWith: row.recipient,
    name: row.name,
    providerId: row.id,
    owner: `${row.owner_uid}@baseline.example.org`,
    sender: `${row.owner_uid}@baseline.example.org`,
    shareType: 'user',
    resourceType: 'file',
    protocol: { name: 'webdav', options: { sharedSecret: token } },
  });
}

serveBaseline((app, query, { sink }) => {
  const partner = new Pool(sink.url, { connections: 64 });
  app.post('/ocm/shares', async ({ body }, reply) => {
    const { providerId, owner, name, shareWith, protocol } = body;
    const host = owner.slice(owner.indexOf('@') + 1);
    const values = [
      providerId,
      digest(protocol.options.sharedSecret),
      owner,
      name,
      host,
      shareWith.split('@')[0],
    ];
    const { rows } = await query(TAKE, values);
    if (rows.length === 0) return reply.code(400).send();
    return reply.code(201).send({ recipientDisplayName: rows[0].display_name });
  });
  app.post(SHARES, async (request, reply) => {
    const { path, shareWith } = request.body;
    const token = randomBytes(12).toString('hex');
    const host = shareWith.slice(shareWith.indexOf('@') + 1);
    const { rows } = await query(OFFER, [request.account.uid, path, shareWith, digest(token), host]);
    if (rows.length === 0) return reply.code(404).send();
    const { statusCode, body } = await partner.request({
      method: 'POST',
      path: '/ocm/shares',
      headers: { 'content-type': 'application/json' },
      body: offerOf(rows[0], token),
    });
    await body.dump();
    if (statusCode !== 201) return reply.code(403).send();
    await query(TAKEN, [rows[0].id]);
    const view = { type: 6, ownerName: request.account.name, place: inOwnTree(rows[0]), token };
    return answer(request, reply, record(rows[0], { ...view, recipient: toUser(shareWith, shareWith) }));
  });
});
