import { Injectable } from '@nestjs/common';
import type { UnreportedAcceptance } from '#federation/exchange';
import { InjectRepository } from '@nestjs/typeorm';
import { Not } from 'typeorm';
import { Database, type Transaction } from '../../database';
import { longerAgoThan } from '../../database-clock';
import { InvitationAcceptanceEntity } from '../../entities/partners/invitation.entity';
import { int4, int8 } from '../../postgres-types';
import { statement } from '../../statement';
import { CONTACT_COLUMNS, contactRow, type ContactRow } from './contact.repository';

/** Result of an acceptance. */
export interface SettledAcceptance {
  readonly state: 'accepted' | 'refused';
  /** A word for the reason of the refusal. */
  readonly reason: string;
  readonly contact: ContactRow | null;
}

const FORGET = statement({
  name: 'invitation_acceptance.forget',
  params: { days: int4, batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM invitation_acceptance WHERE id = ANY (ARRAY(SELECT id FROM invitation_acceptance
     WHERE created_at < now() - :days::int * interval '1 day' LIMIT :batch)) RETURNING id`,
});

/** Acceptances of partners' invitations. A change is announced on topic `invitation` with the id. */
@Injectable()
export class InvitationAcceptanceRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(InvitationAcceptanceEntity)
    private readonly acceptances = database.reader(InvitationAcceptanceEntity),
  ) {}

  /** @returns the id with which a worker finds it */
  async insert(uid: string, peerId: number, sealedToken: Buffer): Promise<number> {
    const { identifiers } = await this.database.write(InvitationAcceptanceEntity, (acceptances) =>
      acceptances.insert({ uid, peerId, sealedToken }),
    );
    return identifiers[0]!.id as number;
  }

  /** undefined if it is settled already. */
  async waiting(id: number): Promise<UnreportedAcceptance | undefined> {
    const row = await this.acceptances.findOneBy({ id, state: 'waiting' });
    return row ? { id, uid: row.uid, peerId: row.peerId, sealedToken: row.sealedToken! } : undefined;
  }

  /** Ids of at most `most` acceptances that have waited for this number of seconds: the queue may have lost their jobs. */
  async leftWaiting(seconds: number, most: number): Promise<number[]> {
    const rows = await this.acceptances.find({
      select: { id: true },
      where: { state: 'waiting', createdAt: longerAgoThan(seconds * 1000) },
      order: { createdAt: 'ASC' },
      take: most,
    });
    return rows.map(({ id }) => id);
  }

  /** Stores the result, and deletes the token. @param contactId null if it was refused, for `reason` */
  async settle(
    transaction: Transaction,
    id: number,
    contactId: number | null,
    reason: string,
  ): Promise<void> {
    const acceptances = await transaction.repository(InvitationAcceptanceEntity);
    const state = contactId === null ? 'refused' : 'accepted';
    await acceptances.update({ id, state: 'waiting' }, { state, reason, contactId, sealedToken: null });
  }

  /** undefined while it waits. */
  async settled(id: number): Promise<SettledAcceptance | undefined> {
    const row = await this.acceptances
      .createQueryBuilder('acceptance')
      .innerJoin('acceptance.peer', 'peer')
      .leftJoin('acceptance.contact', 'contact')
      .select(['acceptance.id', 'acceptance.state', 'acceptance.reason', ...CONTACT_COLUMNS])
      .where({ id, state: Not('waiting') })
      .getOne();
    if (!row) return undefined;
    const { state, reason, contact, peer } = row;
    return {
      state: state as SettledAcceptance['state'],
      reason,
      contact: contact ? contactRow(contact, peer!) : null,
    };
  }

  /** Deletes acceptances of this age, including unused tokens. @returns how many, at most `batch` */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, batch })).length;
  }
}
