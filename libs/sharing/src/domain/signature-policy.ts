import type { SharingPolicy } from './policy';
import type { SignatureDemand } from './signature-demand';

/**
 * The one rule that decides whether an unsigned message is refused.
 * @param said an administrator's demand on this partner; null if the setting decides
 * @param isKnownSigner whether the partner is known to sign its messages
 */
export function demandsSignature(
  { federation }: SharingPolicy,
  said: SignatureDemand | null,
  isKnownSigner: boolean,
): boolean {
  const demand = said ?? federation.signatures;
  return demand === 'required' || (demand === 'known' && isKnownSigner);
}
