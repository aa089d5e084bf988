import { z } from 'zod';
import { AuthenticationFailed } from '../authentication-failed';
import type { Issuer } from './issuer';
import type { OidcConfig } from './oidc-settings';
import { IssuerFailure, readJson } from './read-json';

export type Claims = Readonly<Record<string, unknown>>;

/**
 * The claims of a token. If it lacks a name or groups, the UserInfo endpoint adds them.
 * @throws AuthenticationFailed `wrong` if that endpoint describes another person; IssuerFailure
 */
export async function completeClaims(
  { issuer, config }: { readonly issuer: Issuer; readonly config: OidcConfig },
  accessToken: string,
  claims: Claims,
): Promise<Claims> {
  const wanted = [config.OIDC_ID_CLAIM, config.OIDC_NAME_CLAIM, config.OIDC_GROUPS_CLAIM ?? 'sub'];
  if (wanted.every((claim) => claims[claim] !== undefined)) return claims;
  const { userinfo_endpoint: endpoint } = await issuer.describe();
  const answer = endpoint === undefined ? undefined : await askUserInfo(endpoint, accessToken);
  if (answer === undefined) return claims;
  const ofPerson = z.looseObject({ sub: z.literal(String(claims.sub)) }).safeParse(answer);
  if (!ofPerson.success) throw new AuthenticationFailed('wrong');
  return { ...ofPerson.data, ...claims };
}

/** @returns undefined if the token is not for that endpoint, as with audiences of Entra ID */
async function askUserInfo(endpoint: string, accessToken: string): Promise<unknown> {
  try {
    return await readJson(endpoint, { headers: { authorization: `Bearer ${accessToken}` } });
  } catch (error) {
    const isRefused = error instanceof IssuerFailure && (error.status === 401 || error.status === 403);
    if (isRefused) return undefined;
    throw error;
  }
}
