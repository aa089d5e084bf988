import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan } from 'typeorm';
import { selected } from '../../selected';
import { Database, type Queryable, type Transaction, violatesForeignKey } from '../../database';
import { fromNow, inFuture, now } from '../../database-clock';
import { InvitationEntity } from '../../entities/partners/invitation.entity';
import { bool, bytea, int4, int8, type RowOf, text } from '../../postgres-types';
import { statement } from '../../statement';

/** A user's invitation that nobody accepted yet. Its token is not stored: the holder got it from the user. */
export type InvitationRow = Readonly<
  Pick<InvitationEntity, 'id' | 'description' | 'createdAt' | 'expiresAt'>
>;

/** An invitation, as the holder of its token sees it. */
const PRESENTED_INVITATION = {
  id: int8,
  uid: text,
  isOver: bool,
  isAccepted: bool,
};
export type PresentedInvitation = RowOf<typeof PRESENTED_INVITATION>;

const COLUMNS = { id: true, description: true, createdAt: true, expiresAt: true } as const;

/** Invitations of a user that can still be accepted. */
const openOf = (uid: string) => ({ uid, acceptedAt: IsNull(), expiresAt: inFuture() });

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
const FORGET = statement({
  name: 'invitation.forget',
  params: { days: int4, batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM invitation WHERE id = ANY (ARRAY(SELECT id FROM invitation WHERE expires_at < now() - :days::int * interval '1 day' LIMIT :batch))
   RETURNING id`,
});

/** Invitations of our users to people at other servers. */
@Injectable()
export class InvitationRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(InvitationEntity)
    private readonly invitations = database.reader(InvitationEntity),
  ) {}

  /** @param tokenHmac HMAC of its token, which is not stored @returns undefined if there is no such user */
  async insert(
    uid: string,
    tokenHmac: Buffer,
    description: string,
    validMs: number,
  ): Promise<InvitationRow | undefined> {
    const values = { uid, tokenHmac, description, expiresAt: fromNow(validMs) };
    try {
      return await this.database.write(InvitationEntity, async (invitations) => {
        const { identifiers } = await invitations.insert(values);
        const id = identifiers[0]!.id as number;
        return selected(COLUMNS, await invitations.findOneByOrFail({ id }));
      });
    } catch (error) {
      if (violatesForeignKey(error)) return undefined;
      throw error;
    }
  }

  /** The user's invitations behind the id `after` that can still be accepted, oldest first. */
  async open(uid: string, after: number, limit: number): Promise<InvitationRow[]> {
    const rows = await this.invitations.find({
      select: COLUMNS,
      where: { ...openOf(uid), id: MoreThan(after) },
      order: { id: 'ASC' },
      take: limit,
    });
    return rows.map((invitation) => selected(COLUMNS, invitation));
  }

  countOpen(uid: string): Promise<number> {
    return this.invitations.countBy(openOf(uid));
  }

  /** Withdraws an invitation. @returns whether it could still be accepted */
  async remove(uid: string, id: number): Promise<boolean> {
    const removed = await this.database.write(InvitationEntity, (invitations) =>
      invitations.delete({ uid, id, acceptedAt: IsNull() }),
    );
    return removed.affected === 1;
  }

  async find(tokenHmac: Buffer): Promise<PresentedInvitation | undefined> {
    return (await this.database.rows(FIND, { tokenHmac }))[0];
  }

  /** Locks it for its acceptance in this transaction: if two accept at once, the second finds it accepted. */
  async lock(transaction: Queryable, tokenHmac: Buffer): Promise<PresentedInvitation | undefined> {
    return (await transaction.rows(LOCK, { tokenHmac }))[0];
  }

  async accept(transaction: Transaction, id: number): Promise<void> {
    const invitations = await transaction.repository(InvitationEntity);
    await invitations.update({ id }, { acceptedAt: now, mailAt: null, sealedToken: null });
  }

  /** Deletes invitations that ended this number of days ago. @returns how many, at most `batch` */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, batch })).length;
  }
}
