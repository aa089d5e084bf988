import type { SharingPolicy } from './policy';
import type { SignatureDemand } from './signature-demand';

/**
 * The one rule of whether an unsigned message is refused.
 * @param said the setting of an administrator for the partner; null where the setting decides
 * @param isKnownSigner whether it is known that the partner signs what it sends
 */
export function demandsSignature(
  { federation }: SharingPolicy,
  said: SignatureDemand | null,
  isKnownSigner: boolean,
): boolean {
  const demand = said ?? federation.signatures;
  return demand === 'required' || (demand === 'known' && isKnownSigner);
}
