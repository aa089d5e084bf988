import { Injectable } from '@nestjs/common';
import { LINK_DIALECT, TAKES_SEEN } from '#federation/protocol';
import type { DecidedShare, NewMessage } from '#federation/exchange';
import { Database } from '../../database';
import { array, bool, bytea, int4, int8, text } from '../../postgres-types';
import { statement } from '../../statement';
import { OutboxRepository } from '../deliveries/outbox.repository';

const NOTE = statement({
  name: 'seen_offer.note',
  params: { recipientUid: text, ids: array(int8), capability: text, linkDialect: text },
  row: { id: int8, peerId: int8, providerId: text, tokenEnc: bytea, revision: int4, hears: bool },
  sql: `UPDATE received_share r SET seen_at = now() FROM peer p
   WHERE p.id = r.peer_id AND r.id = ANY(:ids::bigint[]) AND r.recipient_uid = :recipientUid AND r.state = 'pending' AND r.seen_at IS NULL
   RETURNING r.id, r.peer_id AS "peerId", r.provider_id AS "providerId", r.token_enc AS "tokenEnc", r.revision,
     r.dialect <> :linkDialect AND coalesce(coalesce(p.pinned_profile, p.profile) -> 'capabilities' ? :capability, false) AS hears`,
});

/** Offers that their recipients have seen. */
@Injectable()
export class SeenOfferRepository {
  private readonly outbox: OutboxRepository;

  constructor(private readonly database: Database) {
    this.outbox = new OutboxRepository(database);
  }

  /** Marks the pending shares of `ids` as seen, and writes messages to servers that ask for them. */
  async note(
    recipientUid: string,
    ids: readonly number[],
    messageOf: (share: DecidedShare & { readonly revision: number }) => NewMessage,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const seen = await transaction.rows(NOTE, {
        recipientUid,
        ids,
        capability: TAKES_SEEN,
        linkDialect: LINK_DIALECT,
      });
      await this.outbox.insertAll(transaction, seen.filter(({ hears }) => hears).map(messageOf));
    });
  }
}
