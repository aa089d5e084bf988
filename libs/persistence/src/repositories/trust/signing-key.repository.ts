import { Injectable } from '@nestjs/common';
import type { NewSigningKey, PublicSigningKey, SigningAlgorithm } from '#federation/signatures';
import { actingText } from '../../acting-text';
import { Database } from '../../database';
import {
  bytea,
  int4,
  jsonb,
  jsonText,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';

/** A key of ours with its private half, which SecretBox opens. */
const SIGNING_KEY_ROW = {
  id: text,
  publicJwk: jsonb<PublicSigningKey['publicJwk']>(),
  algorithm: textOf<SigningAlgorithm>(),
  notBefore: timestamptz,
  retiredAt: nullable(timestamptz),
  sealedPrivateKey: bytea,
};
export type SigningKeyRow = RowOf<typeof SIGNING_KEY_ROW>;

/** A key that is to be stored. */
export interface SealedSigningKey extends Omit<NewSigningKey, 'privateKey'> {
  readonly sealedPrivateKey: Buffer;
  readonly notBefore: Date;
}

const LIST = statement({
  name: 'signing_key.list',
  row: SIGNING_KEY_ROW,
  sql: `SELECT id, algorithm, sealed_private_key AS "sealedPrivateKey", public_jwk AS "publicJwk", not_before AS "notBefore",
     retired_at AS "retiredAt" FROM signing_key WHERE retired_at IS NULL OR retired_at > now() ORDER BY algorithm, not_before, id`,
});
const NEW_KEY = {
  id: text,
  algorithm: text,
  sealedPrivateKey: bytea,
  publicJwk: jsonText,
  notBefore: timestamptz,
};

const INSERT = statement({
  name: 'signing_key.insert',
  params: { ...NEW_KEY, acting: text },
  sql: `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) SELECT :id, :algorithm, :sealedPrivateKey, :publicJwk::jsonb, :notBefore WHERE ${ACTING}`,
});
const INSERT_FIRST = statement({
  name: 'signing_key.insert_first',
  params: NEW_KEY,
  row: { id: text },
  sql: `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) VALUES (:id, :algorithm, :sealedPrivateKey, :publicJwk, :notBefore)
   ON CONFLICT (algorithm) WHERE retired_at IS NULL DO NOTHING RETURNING id`,
});
// Of two who replace the same key the second waits here for the first, and then finds nothing.
const RETIRE_CURRENT = statement({
  name: 'signing_key.retire_current',
  params: { replacedId: text, othersRetireAt: timestamptz, acting: text },
  row: { id: text },
  sql: `UPDATE signing_key SET retired_at = :othersRetireAt WHERE ${ACTING} AND id = :replacedId AND retired_at IS NULL RETURNING id`,
});
// After a leak, keys that were to go later go now.
const RETIRE_OTHERS = statement({
  name: 'signing_key.retire_others',
  params: { algorithm: text, othersRetireAt: timestamptz, acting: text },
  sql: `UPDATE signing_key SET retired_at = :othersRetireAt WHERE ${ACTING} AND algorithm = :algorithm AND retired_at > :othersRetireAt`,
});
const FORGET = statement({
  name: 'signing_key.forget',
  params: { days: int4 },
  sql: `DELETE FROM signing_key WHERE retired_at < now() - :days::int * interval '1 day'`,
});

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
      const [current] = await transaction.rows(RETIRE_CURRENT, {
        replacedId,
        othersRetireAt,
        acting: actingText(),
      });
      if (!current) return false;
      await transaction.rows(RETIRE_OTHERS, {
        algorithm: key.algorithm,
        othersRetireAt,
        acting: actingText(),
      });
      await transaction.rows(INSERT, { ...valuesOf(key), acting: actingText() });
      return true;
    });
  }

  /** Deletes keys that were retired `days` days ago. */
  async forgetRetired(days: number): Promise<void> {
    await this.database.rows(FORGET, { days });
  }
}

const valuesOf = ({ id, algorithm, sealedPrivateKey, publicJwk, notBefore }: SealedSigningKey) => ({
  id,
  algorithm,
  sealedPrivateKey,
  publicJwk: JSON.stringify(publicJwk),
  notBefore,
});
