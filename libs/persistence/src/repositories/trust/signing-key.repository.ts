import type { JsonWebKey } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan } from 'typeorm';
import type { SigningAlgorithm } from '#federation/protocol';
import { Database } from '../../database';
import { selected } from '../../selected';
import { inFuture, longerAgoThan } from '../../database-clock';
import { SigningKeyEntity } from '../../entities/trust/signing-key.entity';
import { bytea, jsonText, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

const DAY_MS = 86_400_000;

/** A key of ours with its private half, sealed by SecretBox. */
export interface SigningKeyRow extends SealedSigningKey {
  readonly retiredAt: Date | null;
}

/** A new key, before it is stored. */
export interface SealedSigningKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicJwk: JsonWebKey;
  readonly sealedPrivateKey: Buffer;
  readonly notBefore: Date;
}

const NEW_KEY = {
  id: text,
  algorithm: text,
  sealedPrivateKey: bytea,
  publicJwk: jsonText,
  notBefore: timestamptz,
};

const INSERT_FIRST = statement({
  name: 'signing_key.insert_first',
  params: NEW_KEY,
  row: { id: text },
  sql: `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) VALUES (:id, :algorithm, :sealedPrivateKey, :publicJwk, :notBefore)
   ON CONFLICT (algorithm) WHERE retired_at IS NULL DO NOTHING RETURNING id`,
});
const COLUMNS = {
  id: true,
  algorithm: true,
  publicJwk: true,
  sealedPrivateKey: true,
  notBefore: true,
  retiredAt: true,
} as const;

/** The keys with which we sign. A change is announced on topic `signing-key` with the algorithm. */
@Injectable()
export class SigningKeyRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(SigningKeyEntity)
    private readonly keys = database.reader(SigningKeyEntity),
  ) {}

  /** Keys that are not retired, including those that are not used yet; a few rows. */
  async list(): Promise<SigningKeyRow[]> {
    const rows = await this.keys.find({
      where: [{ retiredAt: IsNull() }, { retiredAt: inFuture() }],
      order: { algorithm: 'ASC', notBefore: 'ASC', id: 'ASC' },
    });
    return rows.map((key) => selected(COLUMNS, key));
  }

  /**
   * Stores the first key of an algorithm.
   * @returns false if there is one already, which stays
   */
  async addFirst(key: SealedSigningKey): Promise<boolean> {
    return (await this.database.rows(INSERT_FIRST, valuesOf(key))).length > 0;
  }

  /**
   * Stores the successor of all other keys of its algorithm.
   * @param replacedId the current key when this one was made
   * @param othersRetireAt latest time at which the other keys end
   * @returns false if another key has replaced that one: then nothing is changed
   */
  async replace(key: SealedSigningKey, replacedId: string, othersRetireAt: Date): Promise<boolean> {
    return this.database.write(SigningKeyEntity, async (keys) => {
      // If two processes replace the same key, the second waits here for the first, and then finds no row.
      const current = await keys.update(
        { id: replacedId, retiredAt: IsNull() },
        { retiredAt: othersRetireAt },
      );
      if (current.affected === 0) return false;
      // After a leak, keys with a later end are retired now.
      const later = { algorithm: key.algorithm, retiredAt: MoreThan(othersRetireAt) };
      await keys.update(later, { retiredAt: othersRetireAt });
      await keys.insert({ ...key, publicJwk: key.publicJwk as object });
      return true;
    });
  }

  /** Deletes keys that were retired `days` days ago. */
  async forgetRetired(days: number): Promise<void> {
    await this.database.write(SigningKeyEntity, (keys) =>
      keys.delete({ retiredAt: longerAgoThan(days * DAY_MS) }),
    );
  }
}

const valuesOf = ({ id, algorithm, sealedPrivateKey, publicJwk, notBefore }: SealedSigningKey) => ({
  id,
  algorithm,
  sealedPrivateKey,
  publicJwk: JSON.stringify(publicJwk),
  notBefore,
});
