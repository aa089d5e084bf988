import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bool, int8, nullable, type RowOf, text, uuid } from '../../postgres-types';
import { statement } from '../../statement';

const LISTED_ROW = {
  id: uuid,
  /** Whether partners have to remove it. */
  withdrawn: bool,
  revision: int8,
};
/** A card in a list of changes. */
export type ListedCardRow = RowOf<typeof LISTED_ROW>;

const CARD_ROW = { id: uuid, uid: text, displayName: text, email: nullable(text), revision: int8 };
/** A card of the address book for trusted servers. */
export type AddressCardRow = RowOf<typeof CARD_ROW>;

/** Accounts that want to be in the book. */
const SHOWN = `SELECT a.uid, a.display_name, a.email, hashtextextended(a.display_name || E'\\n' || coalesce(a.email, ''), 0) AS content_hash
   FROM user_account a JOIN user_preference p ON p.uid = a.uid
   WHERE a.enabled AND p.app = 'federation' AND p.key = 'in_address_book' AND p.value = 'yes'`;

/** Revisions grow in the order of commits, because one caller at a time makes them. */
const LOCK = statement({
  name: 'address_card.lock',
  sql: `SELECT pg_advisory_xact_lock(hashtextextended('address-cards', 0))`,
});

/**
 * Brings the cards into agreement with the accounts that want to be in the book. Each changed card gets a revision of its own. The
 * first one is 2: servers that read the empty book of earlier versions hold the token 1.
 */
const REFRESH = statement({
  name: 'address_card.refresh',
  params: { isOn: bool },
  sql: `WITH shown AS (${SHOWN} AND :isOn::boolean), change AS (
     SELECT c.id, s.uid, s.content_hash FROM shown s LEFT JOIN address_card c ON c.uid = s.uid
     WHERE c.id IS NULL OR c.content_hash <> s.content_hash
     UNION ALL
     SELECT c.id, NULL, NULL FROM address_card c WHERE NOT c.withdrawn AND NOT EXISTS (SELECT FROM shown s WHERE s.uid = c.uid)
   ), numbered AS (
     SELECT change.*, (SELECT coalesce(max(revision), 1) FROM address_card) + row_number() OVER (ORDER BY change.uid, change.id) AS revision
     FROM change
   ), renewed AS (
     UPDATE address_card c SET uid = n.uid, content_hash = n.content_hash, withdrawn = n.uid IS NULL, revision = n.revision
     FROM numbered n WHERE c.id = n.id
   )
   INSERT INTO address_card (id, uid, content_hash, revision) SELECT gen_random_uuid(), n.uid, n.content_hash, n.revision FROM numbered n WHERE n.id IS NULL`,
});
/** A reader without a revision has nothing that could be withdrawn. */
const AFTER = statement({
  name: 'address_card.after',
  params: { after: int8, isFirst: bool, limit: int8 },
  row: LISTED_ROW,
  sql: `SELECT id, withdrawn, revision FROM address_card WHERE revision > :after AND NOT (:isFirst::boolean AND withdrawn)
   ORDER BY revision LIMIT :limit`,
});
const LATEST = statement({
  name: 'address_card.latest',
  row: { revision: int8 },
  sql: 'SELECT coalesce(max(revision), 1) AS revision FROM address_card',
});
/** The present consent counts, not that of the last report. */
const ONE = statement({
  name: 'address_card.one',
  params: { id: uuid },
  row: CARD_ROW,
  sql: `SELECT c.id, s.uid, s.display_name AS "displayName", s.email, c.revision FROM address_card c JOIN (${SHOWN}) s ON s.uid = c.uid
   WHERE c.id = :id`,
});

/** Changes of the address book since a revision. */
export interface AddressCardChanges {
  readonly cards: readonly ListedCardRow[];
  /** Revision of the last of them; if there are none, of the whole book. */
  readonly revision: number;
  readonly isTruncated: boolean;
}

/** The address book that trusted servers read: accounts that want to be in it. */
@Injectable()
export class AddressCardRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param isOn whether address books are exchanged: otherwise all cards are withdrawn
   * @param after revision that the reader has; undefined for none
   * @returns undefined if there was no such revision
   */
  async changes(
    isOn: boolean,
    after: number | undefined,
    limit: number,
  ): Promise<AddressCardChanges | undefined> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(LOCK);
      await transaction.rows(REFRESH, { isOn });
      const [latest] = await transaction.rows(LATEST);
      if (after !== undefined && after > latest!.revision) return undefined;
      const known = after ?? 0;
      const rows = await transaction.rows(AFTER, { after: known, isFirst: known <= 1, limit: limit + 1 });
      const isTruncated = rows.length > limit;
      const cards = rows.slice(0, limit);
      return { cards, isTruncated, revision: isTruncated ? cards.at(-1)!.revision : latest!.revision };
    });
  }

  /** A card whose account wants to be in the book now. */
  async card(id: string): Promise<AddressCardRow | undefined> {
    return (await this.database.rows(ONE, { id }))[0];
  }
}
