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
// Clocks of replicas differ: one may accept a signature that another regards as too old.
const FORGET = statement({
  name: 'seen_signature.forget',
  params: { limit: int8 },
  row: { hash: bytea },
  sql: `DELETE FROM seen_signature WHERE hash = ANY (ARRAY(
     SELECT hash FROM seen_signature WHERE until < now() - interval '10 minutes' ORDER BY until LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING hash`,
});

/** Accepted signed messages of partners, so that no replica accepts one twice. */
@Injectable()
export class SeenSignatureRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param hash 32 bytes
   * @param until time after which the message is too old anyway
   * @returns false if it is already known
   */
  async remember(hash: Buffer, until: Date): Promise<boolean> {
    return (await this.database.rows(REMEMBER, { hash, until })).length > 0;
  }

  /**
   * Deletes up to `limit` entries whose time has passed.
   * @returns how many
   */
  async forget(limit: number): Promise<number> {
    return (await this.database.rows(FORGET, { limit })).length;
  }
}
