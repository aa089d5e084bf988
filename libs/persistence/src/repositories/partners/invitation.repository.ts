import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../database';
import { decision, statement } from '../../statement';

/** An invitation of a user that nobody accepted yet. Its token is nowhere: who has it, has it from the user. */
export interface InvitationRow {
  readonly id: number;
  readonly description: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** An invitation as whoever presents its token finds it. */
export interface PresentedInvitation {
  readonly id: number;
  readonly uid: string;
  readonly isOver: boolean;
  readonly isAccepted: boolean;
}

const COLUMNS =
  'invitation.id, description, invitation.created_at AS "createdAt", invitation.expires_at AS "expiresAt"';
const INSERT = decision<InvitationRow>(
  'invitation.insert',
  (acting) => `INSERT INTO invitation (uid, token_hmac, description, expires_at)
   SELECT uid, $2, $3, now() + $4::bigint * interval '1 millisecond' FROM user_account WHERE uid = $1 AND ${acting} RETURNING ${COLUMNS}`,
);
const OPEN = statement<InvitationRow>(
  'invitation.open',
  `SELECT ${COLUMNS} FROM invitation WHERE uid = $1 AND accepted_at IS NULL AND expires_at > now() AND id > $2 ORDER BY id LIMIT $3`,
);
const COUNT_OPEN = statement<{ open: number }>(
  'invitation.count_open',
  'SELECT count(*)::int AS open FROM invitation WHERE uid = $1 AND accepted_at IS NULL AND expires_at > now()',
);
const REMOVE = decision<{ id: number }>(
  'invitation.remove',
  (acting) =>
    `DELETE FROM invitation WHERE uid = $1 AND id = $2 AND accepted_at IS NULL AND ${acting} RETURNING id`,
);
const PRESENTED = `SELECT id, uid, expires_at <= now() AS "isOver", accepted_at IS NOT NULL AS "isAccepted" FROM invitation
   WHERE token_hmac = $1`;
const FIND = statement<PresentedInvitation>('invitation.find', PRESENTED);
const LOCK = statement<PresentedInvitation>('invitation.lock', `${PRESENTED} FOR UPDATE`);
const ACCEPT = decision(
  'invitation.accept',
  (acting) =>
    `UPDATE invitation SET accepted_at = now(), mail_at = NULL, sealed_token = NULL WHERE id = $1 AND ${acting}`,
);
const FORGET = statement<{ id: number }>(
  'invitation.forget',
  `DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE expires_at < now() - $1::int * interval '1 day' LIMIT $2)
   RETURNING id`,
);

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
    return (await this.database.rows(INSERT, [uid, tokenHmac, description, validMs]))[0];
  }

  /** The user's invitations that can still be accepted, oldest first, those with a greater id than `after`. */
  open(uid: string, after: number, limit: number): Promise<InvitationRow[]> {
    return this.database.rows(OPEN, [uid, after, limit]);
  }

  async countOpen(uid: string): Promise<number> {
    return (await this.database.rows(COUNT_OPEN, [uid]))[0]!.open;
  }

  /** Takes an invitation back. @returns whether it could still be accepted */
  async remove(uid: string, id: number): Promise<boolean> {
    return (await this.database.rows(REMOVE, [uid, id])).length > 0;
  }

  async find(tokenHmac: Buffer): Promise<PresentedInvitation | undefined> {
    return (await this.database.rows(FIND, [tokenHmac]))[0];
  }

  /** For its acceptance in this transaction: of two at once, the second one finds it accepted. */
  async lock(transaction: Queryable, tokenHmac: Buffer): Promise<PresentedInvitation | undefined> {
    return (await transaction.rows(LOCK, [tokenHmac]))[0];
  }

  async accept(transaction: Queryable, id: number): Promise<void> {
    await transaction.rows(ACCEPT, [id]);
  }

  /** Forgets what ended so many days ago. @returns how many, `batch` at most */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, [days, batch])).length;
  }
}
