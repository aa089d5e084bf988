import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan } from 'typeorm';
import { actingText } from '../../acting-text';
import { Database } from '../../database';
import { OfferReportEntity } from '../../entities/partners/offer-report.entity';
import { int8, text } from '../../postgres-types';
import { ACTING, statement } from '../../statement';

/** An offer of another server that its recipient reported. */
interface OfferReportRow {
  readonly id: number;
  readonly reporterUid: string;
  readonly hostKey: string;
  readonly owner: string;
  readonly sender: string;
  readonly name: string;
  readonly reason: string;
  readonly createdAt: Date;
}

/** Returns no row if the account has no such offer, or has the maximum of reports. */
const ADD = statement({
  name: 'offer_report.add',
  params: { uid: text, receivedShareId: int8, reason: text, most: int8, acting: text },
  row: { id: int8 },
  sql: `INSERT INTO offer_report (reporter_uid, host_key, owner, sender, name, reason)
   SELECT :uid, p.host_key, r.owner, r.sender, r.name, :reason FROM received_share r JOIN peer p ON p.id = r.peer_id
   WHERE r.id = :receivedShareId AND r.recipient_uid = :uid
     AND (SELECT count(*) FROM offer_report WHERE reporter_uid = :uid) < :most AND ${ACTING}
   RETURNING id`,
});

/** Offers that their recipients reported to the operators. */
@Injectable()
export class OfferReportRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(OfferReportEntity)
    private readonly reports = database.reader(OfferReportEntity),
  ) {}

  /** @returns its id; undefined if the account has no such offer, or already has `most` reports */
  async add(uid: string, receivedShareId: number, reason: string, most: number): Promise<number | undefined> {
    const values = { uid, receivedShareId, reason, most, acting: actingText() };
    return (await this.database.rows(ADD, values))[0]?.id;
  }

  /** A page behind the id `after`, oldest first. */
  list(after: number, limit: number): Promise<OfferReportRow[]> {
    return this.reports.find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
  }

  /** @returns whether it existed */
  async close(id: number): Promise<boolean> {
    const removed = await this.database.write(OfferReportEntity, (reports) => reports.delete({ id }));
    return removed.affected === 1;
  }
}
