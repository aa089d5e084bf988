import { Injectable } from '@nestjs/common';
import { Database, violatesForeignKey } from '../../database';
import { PasskeyEntity } from '../../entities/accounts/passkey.entity';
import { bytea, int8, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';
import { hasRecoveryCodes, removeCodesOfNoFactor, replaceRecoveryCodes } from './recovery-code-rows';

/** Accepts an answer to a challenge once: a second answer, or one to an earlier challenge, gets no row. */
const USE = statement({
  name: 'passkey.use',
  params: { uid: text, credentialId: bytea, signCount: int8, challengedAt: timestamptz },
  row: { id: int8 },
  sql: `UPDATE passkey SET challenged_at = :challengedAt, sign_count = :signCount, used_at = now()
   WHERE uid = :uid AND credential_id = :credentialId AND challenged_at < :challengedAt AND (sign_count < :signCount OR :signCount = 0 AND sign_count = 0)
   RETURNING id`,
});

export type PasskeyRow = Pick<
  PasskeyEntity,
  'id' | 'credentialId' | 'publicKey' | 'signCount' | 'transports' | 'name' | 'createdAt' | 'usedAt'
>;
export type NewPasskey = Pick<
  PasskeyEntity,
  'uid' | 'credentialId' | 'publicKey' | 'signCount' | 'transports' | 'name' | 'challengedAt'
>;

/** Passkeys of accounts. They end with their account. */
@Injectable()
export class PasskeyRepository {
  private readonly passkeys;

  constructor(private readonly database: Database) {
    this.passkeys = database.reader(PasskeyEntity);
  }

  /** Passkeys of an account, the oldest first. */
  async list(uid: string): Promise<PasskeyRow[]> {
    return this.passkeys.find({ where: { uid }, order: { id: 'ASC' } });
  }

  /**
   * @param codeHashes recovery codes for an account that has none
   * @returns `exists` if the key is already known, or the account is gone
   */
  async add(
    passkey: NewPasskey,
    codeHashes: readonly Buffer[],
  ): Promise<'added' | 'added-with-codes' | 'exists'> {
    try {
      return await this.database.transaction(async (transaction) => {
        const rows = await transaction.repository(PasskeyEntity);
        const query = rows
          .createQueryBuilder()
          .insert()
          .values({ ...passkey, usedAt: null })
          .orIgnore();
        const written = await query.returning('id').execute();
        if ((written.raw as unknown[]).length === 0) return 'exists';
        const getsCodes = !(await hasRecoveryCodes(transaction, passkey.uid));
        if (getsCodes) await replaceRecoveryCodes(transaction, passkey.uid, codeHashes);
        return getsCodes ? 'added-with-codes' : 'added';
      });
    } catch (error) {
      if (violatesForeignKey(error)) return 'exists';
      throw error;
    }
  }

  /** @returns whether the answer is to a later challenge than the last one, and does not come from a copied key */
  async use(uid: string, credentialId: Buffer, signCount: number, challengedAt: Date): Promise<boolean> {
    return (await this.database.rows(USE, { uid, credentialId, signCount, challengedAt })).length > 0;
  }

  /** Removes a passkey; recovery codes are removed with the last factor. @returns whether it existed */
  async remove(uid: string, id: number): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const removed = await (await transaction.repository(PasskeyEntity)).delete({ uid, id });
      await removeCodesOfNoFactor(transaction, uid);
      return removed.affected === 1;
    });
  }
}
