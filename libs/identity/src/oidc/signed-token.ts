import { errors, jwtVerify, type JWTHeaderParameters, type JWTPayload } from 'jose';
import type { Issuer } from './issuer';
import { IssuerFailure } from './read-json';

/** Allowed difference of clocks. */
export const CLOCK_SKEW_SECONDS = 30;

interface SignedToken {
  readonly payload: JWTPayload;
  readonly protectedHeader: Partial<JWTHeaderParameters>;
}

/**
 * Reads a token that the issuer signed for one of these audiences, and that is valid now.
 * @param terms `requiredClaims` besides issuer and audience; `algorithms` without any that use a shared secret
 * @throws JOSEError for an invalid token, IssuerFailure while the keys cannot be read; `isOutage` distinguishes them
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

/** Whether the issuer could not be asked, in contrast to a wrong token. */
export function isOutage(error: unknown): boolean {
  if (error instanceof IssuerFailure) return true;
  // jose has no error class for another answer in place of keys.
  if (
    error instanceof errors.JWKSTimeout ||
    (error as { code?: unknown } | null)?.code === 'ERR_JOSE_GENERIC'
  )
    return true;
  return error instanceof Error && error.cause !== undefined && isOutage(error.cause);
}
