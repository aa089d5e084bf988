import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { nullable, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

/** An ended session at an issuer. It has at least one of `subject` and `session`. */
export interface SignOut {
  readonly issuer: string;
  readonly subject: string | null;
  /** Name of the session (`sid`); null: all sessions of the subject have ended. */
  readonly session: string | null;
  /** Time by the issuer's clock. */
  readonly at: Date;
}

/** Allowed difference of clocks. A session without a name at the issuer ends if it was opened until then. */
const SKEW = "interval '30 seconds'";

const SIGN_OUT = statement({
  name: 'issuer_sign_out.end',
  params: { issuer: text, subject: nullable(text), session: nullable(text), at: timestamptz },
  row: { uid: text },
  sql: `WITH known AS (
     SELECT uid FROM external_identity WHERE kind = 'oidc' AND source = :issuer AND subject = :subject
     UNION SELECT uid FROM browser_session WHERE issuer = :issuer AND issuer_session = :session),
   ended AS (DELETE FROM browser_session s USING known k
     WHERE s.uid = k.uid AND s.issuer = :issuer
       AND CASE WHEN s.issuer_session IS NULL OR :session::text IS NULL THEN s.created_at <= :at::timestamptz + ${SKEW}
           ELSE s.issuer_session = :session END)
   UPDATE external_identity e SET signed_out_at = GREATEST(e.signed_out_at, :at) FROM known k
   WHERE e.kind = 'oidc' AND e.source = :issuer AND e.uid = k.uid RETURNING e.uid`,
});

/** Ends of sessions at issuers of OpenID Connect. */
@Injectable()
export class IssuerSignOuts {
  constructor(private readonly database: Database) {}

  /**
   * Ends the sessions of browsers behind it, and invalidates older tokens. A repetition changes nothing.
   * @returns the account of the person, if there is one
   */
  async end(signOut: SignOut): Promise<string | undefined> {
    return (await this.database.rows(SIGN_OUT, { ...signOut }))[0]?.uid;
  }
}
