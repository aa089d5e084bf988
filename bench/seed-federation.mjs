// The data of cases-federation.mjs: accounts that receive offers of partners, the partners, and older offers.
import { ACTORS, writeActors } from './seed.mjs';

export const STORED = 100_000;
export const RECIPIENTS = 1_000;
export const PARTNERS = 50;
/** High enough that the partner's own limit has no effect. */
const PARTNER_LIMITS = { concurrency: 1000, perSecond: 1e6, burst: 1e6 };

export const FEDERATION_ACTORS = { lister: { uid: ACTORS.lister.uid }, creator: ACTORS.creator };

/** These addresses refuse connections: unknown names would measure the resolver of the machine. */
export const partnerHost = (number) => `127.0.1.${1 + (number % PARTNERS)}:9`;
export const recipient = (number) => `user${1 + (number % RECIPIENTS)}`;

const PEERS = `INSERT INTO peer (host_key) SELECT '127.0.1.' || 1 + n || ':9' FROM generate_series(0, $1::int - 1) n`;
const SINK = 'INSERT INTO peer (host_key, concurrency, rate_per_second, rate_burst) VALUES ($1, $2, $3, $4)';
const OFFERED = `
INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect)
SELECT p.id, 'seed-' || n, decode(md5('a' || n) || md5('b' || n), 'hex'), decode(md5(n::text), 'hex'), 'user' || (1 + n % $2::int),
  'rem@' || p.host_key, 'rem@' || p.host_key, 'plan-' || n || '.txt', 'file', 19, 'ocm-webdav'
FROM generate_series(1, $1::int) n JOIN peer p ON p.host_key = '127.0.1.' || 1 + n % $3::int || ':9'`;
const TOLD = `
INSERT INTO notification (uid, app, object_type, object_id, subject)
SELECT recipient_uid, 'files_sharing', 'remote_share', id::text, 'You received "/' || name || '"' FROM received_share`;

/**
 * @param {number} stored number of older offers
 * @returns the function that writes the data into a migrated database
 */
export const seedFederation = (stored) => async (client, sink) => {
  await client.query('BEGIN');
  await writeActors(client, FEDERATION_ACTORS, RECIPIENTS);
  await client.query(PEERS, [PARTNERS]);
  await client.query(SINK, [`127.0.0.1:${sink.port}`, ...Object.values(PARTNER_LIMITS)]);
  await client.query(OFFERED, [stored, RECIPIENTS, PARTNERS]);
  await client.query(TOLD);
  await client.query('COMMIT');
  await client.query('VACUUM ANALYZE');
};

const DEADLOCK = '40P01';

/**
 * Deletes rows of a measurement, so that the tables keep their size, and what would be told to partners about it: such messages would
 * be sent during the next measurement.
 */
async function forget(client, ...deletions) {
  try {
    await client.query('BEGIN');
    for (const sql of [...deletions, 'DELETE FROM share_event', 'DELETE FROM outbox_message'])
      await client.query(sql);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    // A worker may still lock the same rows in another order.
    if (error.code !== DEADLOCK) throw error;
    await forget(client, ...deletions);
  }
}

export async function forgetOffered(client) {
  await forget(
    client,
    `DELETE FROM notification WHERE object_type = 'remote_share' AND object_id IN (
      SELECT id::text FROM received_share WHERE provider_id LIKE 'bench-%')`,
    "DELETE FROM received_share WHERE provider_id LIKE 'bench-%'",
  );
  await client.query('VACUUM ANALYZE received_share, notification, outbox_message');
}

export async function forgetShared(client) {
  await forget(client, 'DELETE FROM share WHERE share_type = 6');
  await client.query('VACUUM ANALYZE share, outbox_message');
}
