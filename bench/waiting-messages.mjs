// Messages that wait for partners, for measurements of their delivery.

export const PAYLOAD = {
  shareWith: 'bea@partner.example',
  name: 'plan.txt',
  nodeKind: 'file',
  permissions: 19,
  expiresOn: null,
  owner: { uid: 'alice', displayName: 'Alice' },
  sender: { uid: 'alice', displayName: 'Alice' },
};

const WRITE = `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  SELECT 'share', n, peers[1 + n % cardinality(peers)], 'share-create', 1, $5::text || '-' || n, $2, $3, now() + interval '1 day'
  FROM generate_series($4::int, $6::int) AS n, (SELECT $1::bigint[] AS peers) AS all_peers`;

/**
 * Writes offers for the partners in turn, so that no partner's messages come first, and announces them as a gateway does.
 *
 * @param {import('#persistence').Database} database
 * @param {{peers: string[], sealed: Buffer, first: number, last: number, name: string}} offers their numbers, their sealed secret, and the beginning of their keys
 */
export async function writeOffers(database, { peers, sealed, first, last, name }) {
  await database.dataSource.query(WRITE, [peers, PAYLOAD, sealed, first, name, last]);
}
