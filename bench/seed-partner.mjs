// The data of cases-partner.mjs: only shares with accounts of other servers.
import { SecretBox } from '#platform';
import { ACTORS, NOW, writeActors } from './seed.mjs';

export const PARTNER_SHARES = 1_000;
const PARTNERS = 10;
/** The gateway and the baseline share this key: both look up tokens by it. */
export const ENCRYPTION_KEY = '01'.repeat(32);

export const PARTNER_ACTORS = { owner: { uid: ACTORS.lister.uid, files: PARTNER_SHARES } };

export const lookups = new SecretBox(() => Buffer.from(ENCRYPTION_KEY, 'hex'));

/** The secrets of the shares. */
export const TOKENS = Array.from(
  { length: PARTNER_SHARES },
  (_, index) => `SecretOfTheBench${String(index).padStart(6, '0')}`,
);

const PEERS = `INSERT INTO peer (host_key) SELECT 'partner-' || n || '.example' FROM generate_series(0, $1::int - 1) n`;

const SHARES = `
WITH numbered AS (
  SELECT id, owner_uid, row_number() OVER (ORDER BY id) AS n FROM node WHERE owner_uid = $1 AND kind = 'file'
), partners AS (SELECT id, host_key, row_number() OVER (ORDER BY id) - 1 AS n FROM peer)
INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
  peer_id, delivery_state, delivered_at, acceptance, acceptance_source, created_at)
SELECT 6, f.id, f.owner_uid, f.owner_uid, 'user@' || p.host_key, 'user@' || p.host_key, 19, t.hmac, t.hmac,
  p.id, 'delivered', now(), 'accepted', 'access', ${NOW}
FROM numbered f JOIN unnest($2::bytea[]) WITH ORDINALITY AS t(hmac, n) USING (n) JOIN partners p ON p.n = f.n % $3::int`;

/** Writes the data into a migrated database through one connection, in one transaction. */
export async function seedPartner(client) {
  await client.query('BEGIN');
  await writeActors(client, PARTNER_ACTORS);
  await client.query(PEERS, [PARTNERS]);
  const keys = TOKENS.map((token) => lookups.lookup(token));
  await client.query(SHARES, [PARTNER_ACTORS.owner.uid, keys, PARTNERS]);
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
}
