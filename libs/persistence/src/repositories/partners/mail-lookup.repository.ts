import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { MailLookupResult } from '#federation/exchange';
import { Database } from '../../database';
import { fromNow, inFuture, longerAgoThan } from '../../database-clock';
import { MailLookupEntity } from '../../entities/partners/mail-lookup.entity';
import { bool, int8, text } from '../../postgres-types';
import { statement } from '../../statement';

const MINUTE_MS = 60_000;
/** Milliseconds for which each result counts. */
const KEPT_MS: Readonly<Record<MailLookupResult['state'], number>> = {
  found: 60 * MINUTE_MS,
  none: 15 * MINUTE_MS,
  failed: 5 * MINUTE_MS,
};
/** A lookup without a result is made again after it. */
const WAITING_MINUTES = 10;

const FORGET_EXPIRED = statement({
  name: 'mail_lookup.forget_expired',
  params: { mail: text },
  sql: 'DELETE FROM mail_lookup WHERE mail = :mail AND expires_at <= now()',
});
/** Of concurrent searches for one address, one makes the row. */
const BEGIN = statement({
  name: 'mail_lookup.begin',
  params: { mail: text },
  row: { id: int8, isNew: bool },
  sql: `WITH made AS (
     INSERT INTO mail_lookup (mail, expires_at) VALUES (:mail, now() + interval '${WAITING_MINUTES} minutes')
     ON CONFLICT (mail) DO NOTHING RETURNING id
   )
   SELECT id, true AS "isNew" FROM made UNION ALL SELECT id, false FROM mail_lookup WHERE mail = :mail`,
});
const FORGET = statement({
  name: 'mail_lookup.forget',
  params: { batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM mail_lookup WHERE id = ANY (ARRAY(SELECT id FROM mail_lookup WHERE expires_at <= now() LIMIT :batch)) RETURNING id`,
});

/** Searches at other servers for the accounts of mail addresses. A result is announced on topic `mail-lookup` with the id. */
@Injectable()
export class MailLookupRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(MailLookupEntity)
    private readonly lookups = database.reader(MailLookupEntity),
  ) {}

  /** Id of the lookup of this address that still counts; undefined for none. */
  async known(mail: string): Promise<number | undefined> {
    return (await this.lookups.findOneBy({ mail, expiresAt: inFuture() }))?.id;
  }

  begin(mail: string): Promise<{ readonly id: number; readonly isNew: boolean }> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(FORGET_EXPIRED, { mail });
      return (await transaction.rows(BEGIN, { mail }))[0]!;
    });
  }

  /** undefined if its server was asked already. */
  async waiting(id: number): Promise<string | undefined> {
    return (await this.lookups.findOneBy({ id, state: 'waiting' }))?.mail;
  }

  /** Ids of at most `most` lookups that have waited for this number of seconds: the queue may have lost their jobs. */
  async leftWaiting(seconds: number, most: number): Promise<number[]> {
    const waiting = await this.lookups.find({
      select: { id: true },
      where: { state: 'waiting', createdAt: longerAgoThan(seconds * 1000), expiresAt: inFuture() },
      order: { createdAt: 'ASC' },
      take: most,
    });
    return waiting.map(({ id }) => id);
  }

  async settle(id: number, result: MailLookupResult): Promise<void> {
    await this.database.write(MailLookupEntity, (lookups) =>
      lookups.update({ id, state: 'waiting' }, { ...result, expiresAt: fromNow(KEPT_MS[result.state]) }),
    );
  }

  /** The account, or null for none; undefined while there is no result. */
  async settled(id: number): Promise<{ readonly cloudId: string | null } | undefined> {
    const lookup = await this.lookups.findOneBy({ id });
    return lookup && lookup.state !== 'waiting' ? { cloudId: lookup.cloudId } : undefined;
  }

  /** Deletes lookups that no longer count. @returns how many, at most `batch` */
  async forget(batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { batch })).length;
  }
}
