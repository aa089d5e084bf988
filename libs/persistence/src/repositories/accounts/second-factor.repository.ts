import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database, violatesForeignKey } from '../../database';
import { PasskeyEntity } from '../../entities/accounts/passkey.entity';
import { RecoveryCodeEntity } from '../../entities/accounts/recovery-code.entity';
import { TotpEntity } from '../../entities/accounts/totp.entity';
import { bytea, int8, text, voidResult } from '../../postgres-types';
import { ACTING, statement } from '../../statement';
import { hasRecoveryCodes, removeCodesOfNoFactor, replaceRecoveryCodes } from './recovery-code-rows';

/** Accepts a period once: a second request with the same code gets no row. */
const USE_STEP = statement({
  name: 'second_factor.use_step',
  params: { uid: text, step: int8 },
  row: { uid: text },
  sql: 'UPDATE totp SET last_step = :step WHERE uid = :uid AND last_step < :step RETURNING uid',
});
const USE_RECOVERY_CODE = statement({
  name: 'second_factor.use_recovery_code',
  params: { uid: text, codeHash: bytea, acting: text },
  row: { uid: text, recorded: voidResult },
  sql: `WITH used AS (DELETE FROM recovery_code WHERE uid = :uid AND code_hash = :codeHash AND ${ACTING} RETURNING uid)
   SELECT uid, audit('second-factor.recover', 'account', uid) AS recorded FROM used`,
});

/** Second factors of accounts. They end with their account. */
@Injectable()
export class SecondFactorRepository {
  private readonly totps;
  private readonly recoveryCodes;
  private readonly passkeys;

  constructor(private readonly database: Database) {
    this.totps = database.reader(TotpEntity);
    this.recoveryCodes = database.reader(RecoveryCodeEntity);
    this.passkeys = database.reader(PasskeyEntity);
  }

  /** undefined if the account has none. */
  async find(uid: string): Promise<Pick<TotpEntity, 'sealedSecret' | 'createdAt'> | undefined> {
    return (await this.totps.findOneBy({ uid })) ?? undefined;
  }

  /** Creation times of the account's passkeys, the oldest first. */
  async passkeysSince(uid: string): Promise<readonly Date[]> {
    const rows = await this.passkeys.find({ where: { uid }, order: { id: 'ASC' } });
    return rows.map(({ createdAt }) => createdAt);
  }

  async countRecoveryCodes(uid: string): Promise<number> {
    return this.recoveryCodes.countBy({ uid });
  }

  /**
   * @param codeHashes recovery codes for an account that has none
   * @returns `exists` if the account has an app, or is gone
   */
  async setUp(
    totp: Pick<TotpEntity, 'uid' | 'sealedSecret' | 'lastStep'>,
    codeHashes: readonly Buffer[],
  ): Promise<'added' | 'added-with-codes' | 'exists'> {
    try {
      return await this.database.transaction(async (transaction) => {
        const rows = await transaction.repository(TotpEntity);
        const { uid, sealedSecret, lastStep } = totp;
        const query = rows.createQueryBuilder().insert().values({ uid, sealedSecret, lastStep }).orIgnore();
        const written = await query.returning('uid').execute();
        if ((written.raw as unknown[]).length === 0) return 'exists';
        const getsCodes = !(await hasRecoveryCodes(transaction, uid));
        if (getsCodes) await replaceRecoveryCodes(transaction, uid, codeHashes);
        return getsCodes ? 'added-with-codes' : 'added';
      });
    } catch (error) {
      if (violatesForeignKey(error)) return 'exists';
      throw error;
    }
  }

  /** Replaces the recovery codes; older ones end. */
  async replaceRecoveryCodes(uid: string, codeHashes: readonly Buffer[]): Promise<void> {
    await this.database.transaction((transaction) => replaceRecoveryCodes(transaction, uid, codeHashes));
  }

  /** @returns whether no code of this or a later period was used before */
  async useStep(uid: string, step: number): Promise<boolean> {
    return (await this.database.rows(USE_STEP, { uid, step })).length > 0;
  }

  /** Uses up a recovery code. @returns whether the account had it */
  async useRecoveryCode(uid: string, codeHash: Buffer): Promise<boolean> {
    return (await this.database.rows(USE_RECOVERY_CODE, { uid, codeHash, acting: actingText() })).length > 0;
  }

  /** Removes the app; recovery codes are removed with the last factor. */
  async removeApp(uid: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await (await transaction.repository(TotpEntity)).delete({ uid });
      await removeCodesOfNoFactor(transaction, uid);
    });
  }

  /** Removes the app, passkeys and recovery codes. @returns whether there was any second factor */
  async removeAll(uid: string): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const app = await (await transaction.repository(TotpEntity)).delete({ uid });
      const passkeys = await (await transaction.repository(PasskeyEntity)).delete({ uid });
      await removeCodesOfNoFactor(transaction, uid);
      return (app.affected ?? 0) + (passkeys.affected ?? 0) > 0;
    });
  }
}
