import type { Transaction } from '../../database';
import { PasskeyEntity } from '../../entities/accounts/passkey.entity';
import { RecoveryCodeEntity } from '../../entities/accounts/recovery-code.entity';
import { TotpEntity } from '../../entities/accounts/totp.entity';

/** Those that were made before end. */
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

/** Recovery codes are for the loss of a second factor: without one they are nothing. */
export async function removeCodesOfNoFactor(transaction: Transaction, uid: string): Promise<void> {
  const hasApp = await (await transaction.repository(TotpEntity)).existsBy({ uid });
  const hasPasskey = await (await transaction.repository(PasskeyEntity)).existsBy({ uid });
  if (!hasApp && !hasPasskey) await (await transaction.repository(RecoveryCodeEntity)).delete({ uid });
}
