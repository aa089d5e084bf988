import type pg from 'pg';
import type { OidcIssuer } from '../../../libs/testing/src/rigs/oidc-issuer';
import { UIDS } from './held';
import type { MatrixRow } from './matrix-rows';

/** Accounts that also sign in by an access token of the issuer. */
export const TOKEN_CALLERS = ['owner', 'admin'] as const;
export type TokenCaller = (typeof TOKEN_CALLERS)[number];

/** Gives these accounts to people of the issuer, whose tokens are then remembered. @returns values of Authorization headers */
export async function makeTokens(
  issuer: OidcIssuer,
  pool: pg.Pool,
  url: string,
): Promise<Record<TokenCaller, string>> {
  const made: [TokenCaller, string][] = [];
  for (const caller of TOKEN_CALLERS) {
    const subject = `subject-of-${caller}`;
    issuer.people.set(subject, { preferred_username: UIDS[caller] });
    await pool.query(
      `INSERT INTO external_identity (kind, source, subject, uid, managed_fields) VALUES ('oidc', $1, $2, $3, '{}')`,
      [issuer.url, subject, UIDS[caller]],
    );
    const authorization = `Bearer ${await issuer.token(subject)}`;
    const reply = await fetch(`${url}/ocs/v2.php/cloud/user`, { headers: { authorization } });
    if (!reply.ok) throw new Error(`the token of ${caller} was answered ${reply.status}`);
    // Fields that only the issuer changes get other answers; other specs test them.
    await pool.query(`UPDATE external_identity SET managed_fields = '{}' WHERE subject = $1`, [subject]);
    made.push([caller, authorization]);
  }
  return Object.fromEntries(made) as Record<TokenCaller, string>;
}

/** Whether a row applies to tokens: routes without an account are left out. */
export const isForTokens = ({ scope }: MatrixRow): boolean => scope !== '-';
