import { Injectable } from '@nestjs/common';
import type { NewSigningKey, PublicSigningKey } from '#federation/signatures';
import { Database } from '../../database';
import { decision, statement } from '../../statement';

/** A key of ours with its private half, which SecretBox opens. */
export interface SigningKeyRow extends PublicSigningKey {
  readonly sealedPrivateKey: Buffer;
}

/** A key that is to be stored. */
export interface SealedSigningKey extends Omit<NewSigningKey, 'privateKey'> {
  readonly sealedPrivateKey: Buffer;
  readonly notBefore: Date;
}

const LIST = statement<SigningKeyRow>(
  'signing_key.list',
  `SELECT id, algorithm, sealed_private_key AS "sealedPrivateKey", public_jwk AS "publicJwk", not_before AS "notBefore",
     retired_at AS "retiredAt" FROM signing_key WHERE retired_at IS NULL OR retired_at > now() ORDER BY algorithm, not_before, id`,
);
const INSERT = decision(
  'signing_key.insert',
  (acting) =>
    `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) SELECT $1, $2, $3, $4::jsonb, $5 WHERE ${acting}`,
);
const INSERT_FIRST = statement<{ id: string }>(
  'signing_key.insert_first',
  `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (algorithm) WHERE retired_at IS NULL DO NOTHING RETURNING id`,
);
// Of two who replace the same key the second waits here for the first, and then finds nothing.
const RETIRE_CURRENT = decision<{ id: string }>(
  'signing_key.retire_current',
  (acting) =>
    `UPDATE signing_key SET retired_at = $2 WHERE ${acting} AND id = $1 AND retired_at IS NULL RETURNING id`,
);
// After a leak, keys that were to go later go now.
const RETIRE_OTHERS = decision(
  'signing_key.retire_others',
  (acting) => `UPDATE signing_key SET retired_at = $2 WHERE ${acting} AND algorithm = $1 AND retired_at > $2`,
);
const FORGET = statement(
  'signing_key.forget',
  `DELETE FROM signing_key WHERE retired_at < now() - $1::int * interval '1 day'`,
);

/** The keys by which we sign. A change is announced on topic `signing-key` with the algorithm. */
@Injectable()
export class SigningKeyRepository {
  constructor(private readonly database: Database) {}

  /** Those that are not retired, the ones that wait for their time among them; a few rows. */
  async list(): Promise<SigningKeyRow[]> {
    return this.database.rows(LIST);
  }

  /**
   * Stores the first key of an algorithm.
   * @returns false where there is one, which stays
   */
  async addFirst(key: SealedSigningKey): Promise<boolean> {
    return (await this.database.rows(INSERT_FIRST, valuesOf(key))).length > 0;
  }

  /**
   * Stores the key that follows on all others of its algorithm.
   * @param replacedId the one that was current when this one was made
   * @param othersRetireAt when those go, at the latest
   * @returns false where another one has taken its place since: nothing is changed then
   */
  async replace(key: SealedSigningKey, replacedId: string, othersRetireAt: Date): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [current] = await transaction.rows(RETIRE_CURRENT, [replacedId, othersRetireAt]);
      if (!current) return false;
      await transaction.rows(RETIRE_OTHERS, [key.algorithm, othersRetireAt]);
      await transaction.rows(INSERT, valuesOf(key));
      return true;
    });
  }

  /** Deletes keys that were retired `days` days ago. */
  async forgetRetired(days: number): Promise<void> {
    await this.database.rows(FORGET, [days]);
  }
}

function valuesOf({ id, algorithm, sealedPrivateKey, publicJwk, notBefore }: SealedSigningKey): unknown[] {
  return [id, algorithm, sealedPrivateKey, JSON.stringify(publicJwk), notBefore];
}
