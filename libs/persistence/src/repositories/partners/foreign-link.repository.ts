import { Injectable } from '@nestjs/common';
import type { LinkToSave } from '#federation/exchange';
import { InjectRepository } from '@nestjs/typeorm';
import { In } from 'typeorm';
import { Database, type Queryable, type Transaction } from '../../database';
import { longerAgoThan } from '../../database-clock';
import { ForeignLinkEntity } from '../../entities/partners/foreign-link.entity';
import {
  array,
  bool,
  bytea,
  filtered,
  int4,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../postgres-types';
import { statement } from '../../statement';
import { LISTED, MOUNTED } from '../../received-states';

/** A link whose server will offer a share, or has offered it. */
const REQUESTED_LINK = {
  id: int8,
  /** Id of that share at its server; null if the server did not name it. */
  providerId: nullable(text),
};
export type RequestedLink = RowOf<typeof REQUESTED_LINK>;

/** Result of saving a link. */
export type SettledLink =
  | { readonly state: 'saved'; readonly receivedShareId: number }
  /** `reason` is our own word, `words` are the other server's text. */
  | { readonly state: 'refused'; readonly reason: string; readonly words: string };

/** Seconds for which an offer is awaited. A later offer has another cause. */
const AWAITED_SECONDS = 600;
/** Seconds after the request for a link in which it is not requested again. */
const UNDER_WAY_SECONDS = 30;

const HAS_SHARE = `EXISTS (SELECT FROM received_share r WHERE r.id = l.received_share_id AND r.state IN ${MOUNTED})`;
const UNDER_WAY = `(l.state IN ('waiting', 'asked') AND l.created_at > now() - interval '${UNDER_WAY_SECONDS} seconds')`;

const FORGET_ONE = statement({
  name: 'foreign_link.forget_one',
  params: { uid: text, peerId: int8, tokenHmac: bytea },
  sql: `DELETE FROM foreign_link l WHERE uid = :uid AND peer_id = :peerId AND token_hmac = :tokenHmac AND NOT (${HAS_SHARE} OR ${UNDER_WAY})`,
});
const BEGIN = statement({
  name: 'foreign_link.begin',
  params: { uid: text, peerId: int8, tokenHmac: bytea, sealedKeys: bytea },
  row: { id: int8, isNew: bool },
  sql: `WITH made AS (
     INSERT INTO foreign_link (uid, peer_id, token_hmac, sealed_keys) VALUES (:uid, :peerId, :tokenHmac, :sealedKeys)
     ON CONFLICT (uid, peer_id, token_hmac) DO NOTHING RETURNING id
   )
   SELECT id, true AS "isNew" FROM made
   UNION ALL SELECT id, false FROM foreign_link WHERE uid = :uid AND peer_id = :peerId AND token_hmac = :tokenHmac`,
});
const ANNOUNCE = statement({
  name: 'foreign_link.announce',
  sql: `SELECT pg_notify('drawbridge_changes', 'foreign-link:')`,
});
const OF_HOST =
  'peer_id IN (SELECT a.id FROM peer p JOIN peer a ON a.host_id = p.host_id WHERE p.id = :peerId)';
const LOCK_ASKED = statement({
  name: 'foreign_link.lock_asked',
  params: { uid: text, peerId: int8 },
  row: REQUESTED_LINK,
  sql: `SELECT id, provider_id AS "providerId" FROM foreign_link
   WHERE uid = :uid AND state = 'asked' AND created_at > now() - interval '${AWAITED_SECONDS} seconds'
     AND ${OF_HOST}
   ORDER BY id FOR NO KEY UPDATE`,
});
/** For one host: the share with that id, or its offers since a link was saved that belong to no other link. */
const OFFERED = statement({
  name: 'foreign_link.offered',
  params: { uid: text, peerId: int8, named: array(text), ids: array(int8) },
  row: { id: int8, providerId: text, state: text },
  sql: `SELECT r.id, r.provider_id AS "providerId", r.state FROM received_share r
   WHERE r.recipient_uid = :uid AND r.${OF_HOST}
     AND (r.provider_id = ANY(:named::text[]) AND r.state IN ${LISTED}
       OR r.state = 'pending' AND r.received_at >= (SELECT min(created_at) FROM foreign_link WHERE id = ANY(:ids::bigint[])))
   ORDER BY r.id`,
});
const SETTLED = statement({
  name: 'foreign_link.settled',
  params: { id: int8 },
  row: { state: textOf<'saved' | 'refused'>(), reason: text, words: text, receivedShareId: filtered(int8) },
  sql: `SELECT state, reason, words, received_share_id AS "receivedShareId" FROM foreign_link
   WHERE id = :id AND state IN ('saved', 'refused')`,
});
const FORGET = statement({
  name: 'foreign_link.forget',
  params: { days: int4, batch: int8 },
  row: { id: int8 },
  sql: `DELETE FROM foreign_link WHERE id = ANY (ARRAY(SELECT id FROM foreign_link
     WHERE state <> 'saved' AND created_at < now() - :days::int * interval '1 day' LIMIT :batch)) RETURNING id`,
});

/** Public links of other servers that our users save. A change is announced on topic `foreign-link` with the id. */
@Injectable()
export class ForeignLinkRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(ForeignLinkEntity)
    private readonly links = database.reader(ForeignLinkEntity),
  ) {}

  /** A link that its user already has, or that is being saved, is not begun again. */
  begin(link: {
    readonly uid: string;
    readonly peerId: number;
    readonly tokenHmac: Buffer;
    readonly sealedKeys: Buffer;
  }): Promise<{ readonly id: number; readonly isNew: boolean }> {
    return this.database.transaction(async (transaction) => {
      await transaction.rows(FORGET_ONE, { uid: link.uid, peerId: link.peerId, tokenHmac: link.tokenHmac });
      return (
        await transaction.rows(BEGIN, {
          uid: link.uid,
          peerId: link.peerId,
          tokenHmac: link.tokenHmac,
          sealedKeys: link.sealedKeys,
        })
      )[0]!;
    });
  }

  /** undefined if its server was asked already. */
  async waiting(id: number): Promise<LinkToSave | undefined> {
    const link = await this.links.findOneBy({ id, state: 'waiting' });
    return link?.sealedKeys
      ? { id, uid: link.uid, peerId: link.peerId, sealedKeys: link.sealedKeys }
      : undefined;
  }

  /** Ids of at most `most` links that have waited for this number of seconds: the queue may have lost their jobs. */
  async leftWaiting(seconds: number, most: number): Promise<number[]> {
    const waiting = await this.links.find({
      select: { id: true },
      where: { state: 'waiting', createdAt: longerAgoThan(seconds * 1000) },
      order: { createdAt: 'ASC' },
      take: most,
    });
    return waiting.map(({ id }) => id);
  }

  /** Wakes the workers, for callers without access to the queue. */
  async announce(): Promise<void> {
    await this.database.rows(ANNOUNCE);
  }

  /** Notes that its server will offer a share, and deletes the keys of the link. */
  async asked(id: number, providerId: string | null): Promise<void> {
    await this.database.write(ForeignLinkEntity, (links) =>
      links.update({ id, state: 'waiting' }, { state: 'asked', providerId, sealedKeys: null }),
    );
  }

  /** Notes the refusal, and deletes the keys of the link. */
  async refuse(id: number, reason: string, words: string): Promise<void> {
    await this.database.write(ForeignLinkEntity, (links) =>
      links.update({ id, state: 'waiting' }, { state: 'refused', reason, words, sealedKeys: null }),
    );
  }

  /** Saved links of a user at a partner's host whose offers are awaited, for a change in this transaction. */
  lockRequested(transaction: Queryable, uid: string, peerId: number): Promise<RequestedLink[]> {
    return transaction.rows(LOCK_ASKED, { uid, peerId });
  }

  /** Shares that this host offered because of these links, and those that it offered for other reasons at the same time. */
  offered(
    transaction: Queryable,
    uid: string,
    peerId: number,
    asked: readonly RequestedLink[],
  ): Promise<{ readonly id: number; readonly providerId: string; readonly state: string }[]> {
    const named = asked.flatMap(({ providerId }) => (providerId === null ? [] : [providerId]));
    return transaction.rows(OFFERED, { uid, peerId, named, ids: asked.map(({ id }) => id) });
  }

  async save(transaction: Transaction, id: number, receivedShareId: number): Promise<void> {
    const links = await transaction.repository(ForeignLinkEntity);
    const open = { id, state: In(['waiting', 'asked']) };
    await links.update(open, { state: 'saved', receivedShareId, sealedKeys: null });
  }

  /** undefined while there is no result. */
  async settled(id: number): Promise<SettledLink | undefined> {
    return (await this.database.rows(SETTLED, { id }))[0];
  }

  /** Deletes links without success that ended this number of days ago. @returns how many, at most `batch` */
  async forget(days: number, batch: number): Promise<number> {
    return (await this.database.rows(FORGET, { days, batch })).length;
  }
}
