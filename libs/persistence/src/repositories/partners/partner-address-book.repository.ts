import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { BookChanges, DueAddressBook, StoredCard } from '#federation/exchange';
import { Database } from '../../database';
import { fromNow, now } from '../../database-clock';
import {
  PartnerAddressBookEntity,
  PartnerAddressCardEntity,
} from '../../entities/partners/partner-address-book.entity';
import { bool, bytea, filtered, int8, text } from '../../postgres-types';
import { statement } from '../../statement';

/** Books of partners that are trusted and agreed on a secret. A renamed partner has to agree on one with its new host. */
const READABLE = `SELECT h.peer_id FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id JOIN peer host ON host.id = p.host_id
  WHERE :isOn::boolean AND h.sealed_secret IS NOT NULL AND host.trust = 'trusted' AND p.alias_of IS NULL`;

const REMOVE_ENDED = statement({
  name: 'partner_address_book.remove_ended',
  params: { isOn: bool },
  sql: `DELETE FROM partner_address_book b WHERE b.peer_id NOT IN (${READABLE})`,
});
const ENTER = statement({
  name: 'partner_address_book.enter',
  params: { isOn: bool },
  sql: `INSERT INTO partner_address_book (peer_id) ${READABLE} ON CONFLICT (peer_id) DO NOTHING`,
});
const CLAIM = statement({
  name: 'partner_address_book.claim',
  params: { limit: int8 },
  row: { peerId: int8, hostKey: text, syncToken: text, sealedSecret: filtered(bytea) },
  sql: `WITH due AS (
     SELECT b.peer_id FROM partner_address_book b WHERE b.due_at <= now() ORDER BY b.due_at LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE partner_address_book b SET due_at = now() + interval '15 minutes'
   FROM due, trusted_handshake h, peer p WHERE b.peer_id = due.peer_id AND h.peer_id = b.peer_id AND p.id = b.peer_id AND h.sealed_secret IS NOT NULL
   RETURNING b.peer_id AS "peerId", p.host_key AS "hostKey", b.sync_token AS "syncToken", h.sealed_secret AS "sealedSecret"`,
});

const cardRow = (peerId: number, { name, etag, card }: StoredCard) => ({
  ...{ peerId, name, etag, cloudId: card?.cloudId ?? null, canonical: card?.canonical ?? null },
  ...{
    displayName: card?.displayName ?? '',
    email: card?.email ?? '',
    organisation: card?.organisation ?? '',
  },
});

/** Address books of trusted servers, as they were read. */
@Injectable()
export class PartnerAddressBookRepository {
  constructor(private readonly database: Database) {}

  /** Removes books of partners that are no longer trusted, and claims those that are due. @param isOn whether books are exchanged */
  async claim(isOn: boolean, limit: number): Promise<DueAddressBook[]> {
    await this.database.rows(REMOVE_ENDED, { isOn });
    if (!isOn) return [];
    await this.database.rows(ENTER, { isOn });
    return this.database.rows(CLAIM, { limit });
  }

  /** ETags of the stored cards, by name. */
  async etags(peerId: number): Promise<ReadonlyMap<string, string>> {
    const cards = await this.database
      .reader(PartnerAddressCardEntity)
      .find({ where: { peerId }, select: { name: true, etag: true } });
    return new Map(cards.map(({ name, etag }) => [name, etag]));
  }

  /** Stores changes; nothing, if the book was removed in the meantime. */
  async keep(peerId: number, { changed, removed, syncToken, afterSeconds }: BookChanges): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const books = await transaction.repository(PartnerAddressBookEntity);
      const progress = syncToken === undefined ? {} : { syncToken, fetchedAt: now };
      const kept = await books.update(
        { peerId },
        { ...progress, dueAt: fromNow(afterSeconds * 1000), error: '' },
      );
      if (kept.affected === 0) return;
      const cards = await transaction.repository(PartnerAddressCardEntity);
      if (removed.length > 0) await cards.delete({ peerId, name: In([...removed]) });
      if (changed.length > 0)
        await cards.upsert(
          changed.map((card) => cardRow(peerId, card)),
          ['peerId', 'name'],
        );
    });
  }

  /** @param anew whether everything has to be read again @param reason for operators, without a secret */
  async fail(peerId: number, reason: string, afterSeconds: number, anew = false): Promise<void> {
    const failed = { error: reason, dueAt: fromNow(afterSeconds * 1000), ...(anew ? { syncToken: '' } : {}) };
    await this.database.write(PartnerAddressBookEntity, (books) => books.update({ peerId }, failed));
  }

  /** Removes the cards of a partner that gives us no access any more. */
  async empty(peerId: number): Promise<void> {
    await this.database.write(PartnerAddressCardEntity, (cards) => cards.delete({ peerId }));
  }
}
