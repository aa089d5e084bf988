import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bytea, int8, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

const REMEMBER = statement({
  name: 'seen_signature.remember',
  params: { hash: bytea, until: timestamptz },
  row: { hash: bytea },
  sql: 'INSERT INTO seen_signature (hash, until) VALUES (:hash, :until) ON CONFLICT (hash) DO NOTHING RETURNING hash',
});
// Clocks of replicas differ: a signature that one takes for old may still be accepted by another.
const FORGET = statement({
  name: 'seen_signature.forget',
  params: { limit: int8 },
  row: { hash: bytea },
  sql: `DELETE FROM seen_signature WHERE hash IN (
     SELECT hash FROM seen_signature WHERE until < now() - interval '10 minutes' ORDER BY until LIMIT :limit FOR UPDATE SKIP LOCKED
   ) RETURNING hash`,
});

/** Signed messages of partners that were taken, so that no replica takes one twice. */
@Injectable()
export class SeenSignatureRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param hash 32 bytes
   * @param until when the message is too old to be taken anyway
   * @returns false where it was remembered before
   */
  async remember(hash: Buffer, until: Date): Promise<boolean> {
    return (await this.database.rows(REMEMBER, { hash, until })).length > 0;
  }

  /**
   * Forgets up to `limit` of those whose time is over.
   * @returns how many
   */
  async forget(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { limit })).length;
  }
}
