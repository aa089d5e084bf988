import { Injectable } from '@nestjs/common';
import { IsNull, Not, type Repository } from 'typeorm';
import { SecretBox } from '#platform';
import { Database } from '../../database';
import { fromNow, now } from '../../database-clock';
import { InvitationEntity } from '../../entities/partners/invitation.entity';
import { bytea, filtered, float8, int4, int8, nullable, text, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

/** An invitation whose mail is due. */
export interface DueInvitation {
  readonly id: number;
  /** Number of attempts, including this one. */
  readonly attempts: number;
  readonly address: string;
  readonly token: string;
  readonly description: string;
  readonly expiresAt: Date;
  readonly senderUid: string;
  readonly senderName: string;
  readonly senderAddress: string | null;
}

const DUE_ROW = {
  senderUid: text,
  id: int8,
  attempts: int4,
  address: filtered(text),
  senderName: text,
  senderAddress: nullable(text),
  description: text,
  expiresAt: timestamptz,
  sealedToken: filtered(bytea),
};

/** An accepted or expired invitation needs no mail. */
const TAKE_NEXT = statement({
  name: 'invitation_mail.take_next',
  params: { leaseSeconds: float8 },
  row: DUE_ROW,
  sql: `WITH due AS (
     SELECT id FROM invitation WHERE mail_at <= now() AND accepted_at IS NULL AND expires_at > now()
     ORDER BY mail_at LIMIT 1 FOR UPDATE SKIP LOCKED
   )
   UPDATE invitation i SET mail_attempts = mail_attempts + 1, mail_at = now() + :leaseSeconds * interval '1 second'
   FROM due, user_account a WHERE i.id = due.id AND a.uid = i.uid
   RETURNING i.id, i.mail_attempts AS attempts, i.mail_to AS address, i.sealed_token AS "sealedToken", i.description,
     i.expires_at AS "expiresAt", a.uid AS "senderUid", a.display_name AS "senderName", a.email AS "senderAddress"`,
});
const GIVE_UP = statement({
  name: 'invitation_mail.give_up',
  params: { id: int8, subject: text, reason: text },
  sql: `WITH gone AS (UPDATE invitation SET mail_at = NULL, sealed_token = NULL WHERE id = :id RETURNING id, uid)
   INSERT INTO notification (uid, app, object_type, object_id, subject, message)
   SELECT uid, 'files_sharing', 'invitation', id::text, :subject, :reason FROM gone ON CONFLICT DO NOTHING`,
});

/** Invitations that wait to be mailed; their tokens are stored sealed until then. */
@Injectable()
export class InvitationMailRepository {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {}

  async queue(id: number, address: string, token: string): Promise<void> {
    const sealedToken = this.secrets.seal(token);
    await this.update({ id }, { mailTo: address, sealedToken, mailAt: now });
  }

  /**
   * Takes the mail that is due longest. It becomes due again after `leaseSeconds` unless one of the methods below ends
   * or moves it.
   */
  async takeNext(leaseSeconds: number): Promise<DueInvitation | undefined> {
    const [row] = await this.database.rows(TAKE_NEXT, { leaseSeconds });
    if (!row) return undefined;
    const { sealedToken, ...rest } = row;
    return { ...rest, token: this.secrets.open(sealedToken) };
  }

  /** Deletes the token: the mail was sent, or is no longer wanted. */
  async end(id: number): Promise<void> {
    await this.update({ id }, { mailAt: null, sealedToken: null });
  }

  async postpone(id: number, delaySeconds: number): Promise<void> {
    await this.update({ id, mailAt: Not(IsNull()) }, { mailAt: fromNow(delaySeconds * 1000) });
  }

  /** Ends the attempts; the inviting user gets a notification. */
  async giveUp(id: number, subject: string, reason: string): Promise<void> {
    await this.database.rows(GIVE_UP, { id, subject, reason });
  }

  private async update(...change: Parameters<Repository<InvitationEntity>['update']>): Promise<void> {
    await this.database.write(InvitationEntity, (invitations) => invitations.update(...change));
  }
}
