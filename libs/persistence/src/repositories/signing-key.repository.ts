import { Injectable } from '@nestjs/common';
import type { NewSigningKey, PublicSigningKey } from '#federation/signatures';
import { Database, violates } from '../database';
import { statement } from '../statement';

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
const INSERT = statement(
  'signing_key.insert',
  `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) VALUES ($1, $2, $3, $4, $5)`,
);
const INSERT_FIRST = statement<{ id: string }>(
  'signing_key.insert_first',
  `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (algorithm) WHERE retired_at IS NULL DO NOTHING RETURNING id`,
);
// After a leak, keys that were to go later go now.
const RETIRE = statement(
  'signing_key.retire',
  `UPDATE signing_key SET retired_at = $2 WHERE algorithm = $1 AND (retired_at IS NULL OR retired_at > $2)`,
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
   * @param othersRetireAt when those go, at the latest
   * @returns false where another one was stored at the same time: this one is not
   */
  async replace(key: SealedSigningKey, othersRetireAt: Date): Promise<boolean> {
    try {
      await this.database.transaction(async (transaction) => {
        await transaction.rows(RETIRE, [key.algorithm, othersRetireAt]);
        await transaction.rows(INSERT, valuesOf(key));
      });
      return true;
    } catch (error) {
      if (violates(error, 'signing_key_current')) return false;
      throw error;
    }
  }

  /** Deletes keys that were retired `days` days ago. */
  async forgetRetired(days: number): Promise<void> {
    await this.database.rows(FORGET, [days]);
  }
}

function valuesOf({ id, algorithm, sealedPrivateKey, publicJwk, notBefore }: SealedSigningKey): unknown[] {
  return [id, algorithm, sealedPrivateKey, JSON.stringify(publicJwk), notBefore];
}
