import { z } from 'zod';
import type { Strength } from '#persistence';

const CLAIMS = z.looseObject({
  amr: z.array(z.string()).catch([]),
  acr: z.string().optional().catch(undefined),
});
/** Value of `amr` for several factors. Source: RFC 8176, section 2. */
const SEVERAL_FACTORS = 'mfa';

/**
 * Strength of a sign-in at the issuer.
 * @param secondFactorAcr values of `acr` that mean a second factor there
 */
export function claimedStrength(claims: unknown, secondFactorAcr: readonly string[] = []): Strength {
  const { amr, acr } = CLAIMS.parse(claims);
  const isStrong = amr.includes(SEVERAL_FACTORS) || (acr !== undefined && secondFactorAcr.includes(acr));
  return isStrong ? 'two_factors' : 'one_factor';
}
