import { errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose';
import type { Issuer } from './issuer';
import { IssuerFailure } from './read-json';

/** Clocks may differ by so much. */
export const CLOCK_SKEW_SECONDS = 30;

interface SignedToken {
  readonly payload: JWTPayload;
  readonly protectedHeader: Partial<JWTHeaderParameters>;
}

/**
 * Reads a token that the issuer signed for one of these audiences, and that holds now.
 * @param terms `requiredClaims` besides issuer and audience; `algorithms` none of which has a shared secret
 * @throws JOSEError where it is another one, IssuerFailure while the keys cannot be read; `isOutage` tells them apart
 */
export async function readSignedToken(
  token: string,
  issuer: Issuer,
  terms: {
    readonly audience: readonly string[];
    readonly algorithms: readonly string[];
    readonly requiredClaims: readonly string[];
  },
): Promise<SignedToken> {
  return jwtVerify(token, await issuer.keys(), {
    issuer: issuer.name,
    audience: [...terms.audience],
    algorithms: [...terms.algorithms],
    requiredClaims: [...terms.requiredClaims],
    clockTolerance: CLOCK_SKEW_SECONDS,
  });
}

/** Whether the issuer could not be asked, as opposed to a token that is wrong. */
export function isOutage(error: unknown): boolean {
  if (error instanceof IssuerFailure) return true;
  // An answer in place of keys: jose has no class of its own for it.
  if (
    error instanceof errors.JWKSTimeout ||
    (error as { code?: unknown } | null)?.code === 'ERR_JOSE_GENERIC'
  )
    return true;
  return error instanceof Error && error.cause !== undefined && isOutage(error.cause);
}
