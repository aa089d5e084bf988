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

/**
 * Offers $4 to $6 with the payload $2, the sealed secret $3 and keys that begin with $5, for the partners $1 in turn, so that no partner's
 * messages come first.
 */
export const WRITE = `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
  SELECT 'share', n, peers[1 + n % cardinality(peers)], 'share-create', 1, $5::text || '-' || n, $2, $3, now() + interval '1 day'
  FROM generate_series($4::int, $6::int) AS n, (SELECT $1::bigint[] AS peers) AS all_peers`;
