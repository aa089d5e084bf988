import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database, type Queryable } from '../../database';
import { bool, bytea, int4, int8, type RowOf, text, timestamptz } from '../../postgres-types';
import { ACTING, statement } from '../../statement';

/** An invitation of a user that nobody accepted yet. Its token is nowhere: who has it, has it from the user. */
const INVITATION_ROW = {
  id: int8,
  description: text,
  createdAt: timestamptz,
  expiresAt: timestamptz,
};
export type InvitationRow = RowOf<typeof INVITATION_ROW>;

/** An invitation as whoever presents its token finds it. */
const PRESENTED_INVITATION = {
  id: int8,
  uid: text,
  isOver: bool,
  isAccepted: bool,
};
export type PresentedInvitation = RowOf<typeof PRESENTED_INVITATION>;

const COLUMNS =
  'invitation.id, description, invitation.created_at AS "createdAt", invitation.expires_at AS "expiresAt"';
const INSERT = statement({
  name: 'invitation.insert',
  params: { uid: text, tokenHmac: bytea, description: text, validMs: int8, acting: text },
  row: INVITATION_ROW,
  sql: `INSERT INTO invitation (uid, token_hmac, description, expires_at)
   SELECT uid, :tokenHmac, :description, now() + :validMs::bigint * interval '1 millisecond' FROM user_account WHERE uid = :uid AND ${ACTING} RETURNING ${COLUMNS}`,
});
const OPEN = statement({
  name: 'invitation.open',
  params: { uid: text, after: int8, limit: int8 },
  row: INVITATION_ROW,
  sql: `SELECT ${COLUMNS} FROM invitation WHERE uid = :uid AND accepted_at IS NULL AND expires_at > now() AND id > :after ORDER BY id LIMIT :limit`,
});
const COUNT_OPEN = statement({
  name: 'invitation.count_open',
  params: { uid: text },
  row: { open: int4 },
  sql: 'SELECT count(*)::int AS open FROM invitation WHERE uid = :uid AND accepted_at IS NULL AND expires_at > now()',
});
const REMOVE = statement({
  name: 'invitation.remove',
  params: { uid: text, id: int8, acting: text },
  row: { id: int8 },
  sql: `DELETE FROM invitation WHERE uid = :uid AND id = :id AND accepted_at IS NULL AND ${ACTING} RETURNING id`,
});
const PRESENTED = `SELECT id, uid, expires_at <= now() AS "isOver", accepted_at IS NOT NULL AS "isAccepted" FROM invitation
   WHERE token_hmac = :tokenHmac`;
const FIND = statement({
  name: 'invitation.find',
  params: { tokenHmac: bytea },
  row: PRESENTED_INVITATION,
  sql: PRESENTED,
});
const LOCK = statement({
  name: 'invitation.lock',
  params: { tokenHmac: bytea },
  row: PRESENTED_INVITATION,
  sql: `${PRESENTED} FOR UPDATE`,
});
const ACCEPT = statement({
  name: 'invitation.accept',
  params: { id: int8, acting: text },
  sql: `UPDATE invitation SET accepted_at = now(), mail_at = NULL, sealed_token = NULL WHERE id = :id AND ${ACTING}`,
});
const FORGET = statement({
  name: 'invitation.forget',
  params: { days: int4, batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE expires_at < now() - :days::int * interval '1 day' LIMIT :batch)
   RETURNING id`,
});

/** Invitations of our users to people elsewhere. */
@Injectable()
export class InvitationRepository {
  constructor(private readonly database: Database) {}

  /** @param tokenHmac of its token, which is not kept @returns undefined where there is no such user */
  async insert(
    uid: string,
    tokenHmac: Buffer,
    description: string,
    validMs: number,
  ): Promise<InvitationRow | undefined> {
    return (
      await this.database.rows(INSERT, { uid, tokenHmac, description, validMs, acting: actingText() })
    )[0];
  }

  /** The user's invitations that can still be accepted, oldest first, those with a greater id than `after`. */
  open(uid: string, after: number, limit: number): Promise<InvitationRow[]> {
    return this.database.rows(OPEN, { uid, after, limit });
  }

  async countOpen(uid: string): Promise<number> {
    return (await this.database.rows(COUNT_OPEN, { uid }))[0]!.open;
  }

  /** Takes an invitation back. @returns whether it could still be accepted */
  async remove(uid: string, id: number): Promise<boolean> {
    return (await this.database.rows(REMOVE, { uid, id, acting: actingText() })).length > 0;
  }

  async find(tokenHmac: Buffer): Promise<PresentedInvitation | undefined> {
    return (await this.database.rows(FIND, { tokenHmac }))[0];
  }

  /** For its acceptance in this transaction: of two at once, the second one finds it accepted. */
  async lock(transaction: Queryable, tokenHmac: Buffer): Promise<PresentedInvitation | undefined> {
    return (await transaction.rows(LOCK, { tokenHmac }))[0];
  }

  async accept(transaction: Queryable, id: number): Promise<void> {
    await transaction.rows(ACCEPT, { id, acting: actingText() });
  }

  /** Forgets what ended so many days ago. @returns how many, `batch` at most */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, batch })).length;
  }
}
