import type { Transaction } from '../../database';
import { PasskeyEntity } from '../../entities/accounts/passkey.entity';
import { RecoveryCodeEntity } from '../../entities/accounts/recovery-code.entity';
import { TotpEntity } from '../../entities/accounts/totp.entity';

/** Replaces the recovery codes of an account; older ones end. */
export async function replaceRecoveryCodes(
  transaction: Transaction,
  uid: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  const rows = await transaction.repository(RecoveryCodeEntity);
  await rows.delete({ uid });
  await rows.insert(codeHashes.map((codeHash) => ({ codeHash, uid })));
}

export async function hasRecoveryCodes(transaction: Transaction, uid: string): Promise<boolean> {
  return (await transaction.repository(RecoveryCodeEntity)).existsBy({ uid });
}

/** Recovery codes replace a lost second factor, so without a factor they are removed. */
export async function removeCodesOfNoFactor(transaction: Transaction, uid: string): Promise<void> {
  const hasApp = await (await transaction.repository(TotpEntity)).existsBy({ uid });
  const hasPasskey = await (await transaction.repository(PasskeyEntity)).existsBy({ uid });
  if (!hasApp && !hasPasskey) await (await transaction.repository(RecoveryCodeEntity)).delete({ uid });
}
