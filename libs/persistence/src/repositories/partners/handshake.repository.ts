import { Injectable } from '@nestjs/common';
import { actingText } from '../../acting-text';
import { Database, type Queryable } from '../../database';
import {
  bool,
  bytea,
  int4,
  int8,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../postgres-types';
import { ACTING, statement } from '../../statement';

/**
 * `asking`: we ask the partner to fetch a secret from us; `asked`: it said that it will; `declined`: it said that it will
 * ask us; `fetching`: we fetch one from it; the others are final.
 */
export type HandshakeState = 'asking' | 'asked' | 'declined' | 'fetching' | 'done' | 'failed';

/** A secret that is being agreed on with a trusted partner. Tokens are sealed; of the secret only its HMAC is kept. */
const HANDSHAKE_ROW = {
  peerId: int8,
  hostKey: text,
  state: textOf<HandshakeState>(),
  sealedOwnToken: nullable(bytea),
  sealedPartnerToken: nullable(bytea),
  /** From this handshake, or from the one before. */
  hasSecret: bool,
  /** Of the step that it is at. */
  attempts: int4,
  changedAt: timestamptz,
};
export type HandshakeRow = RowOf<typeof HANDSHAKE_ROW>;

const COLUMNS = `h.peer_id AS "peerId", p.host_key AS "hostKey", h.state, h.sealed_own_token AS "sealedOwnToken",
  h.sealed_partner_token AS "sealedPartnerToken", h.secret_hmac IS NOT NULL AS "hasSecret", h.attempts, h.changed_at AS "changedAt"`;

const BEGIN = statement({
  name: 'handshake.begin',
  params: { peerId: int8, sealedOwnToken: bytea, acting: text },
  sql: `INSERT INTO trusted_handshake (peer_id, sealed_own_token, due_at) SELECT :peerId, :sealedOwnToken, now() WHERE ${ACTING}
   ON CONFLICT (peer_id) DO UPDATE SET state = 'asking', sealed_own_token = excluded.sealed_own_token,
     sealed_partner_token = NULL, attempts = 0, due_at = now(), reason = '', changed_at = now()`,
});
const LOCK = statement({
  name: 'handshake.lock',
  params: { peerId: int8 },
  row: HANDSHAKE_ROW,
  sql: `SELECT ${COLUMNS} FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id WHERE h.peer_id = :peerId FOR NO KEY UPDATE OF h`,
});
const FETCH = statement({
  name: 'handshake.fetch',
  params: { peerId: int8, sealedPartnerToken: bytea, acting: text },
  sql: `INSERT INTO trusted_handshake (peer_id, state, sealed_partner_token, due_at) SELECT :peerId, 'fetching', :sealedPartnerToken, now() WHERE ${ACTING}
   ON CONFLICT (peer_id) DO UPDATE SET state = 'fetching', sealed_partner_token = excluded.sealed_partner_token,
     attempts = 0, due_at = now(), reason = '', changed_at = now()`,
});
const ASK_NOW = statement({
  name: 'handshake.ask_now',
  params: { peerId: int8 },
  sql: `UPDATE trusted_handshake SET due_at = now() WHERE peer_id = :peerId AND state = 'asking'`,
});
const FINISH = statement({
  name: 'handshake.finish',
  params: { peerId: int8, state: text, secretHmac: bytea, acting: text },
  row: { peerId: int8 },
  sql: `UPDATE trusted_handshake SET state = 'done', secret_hmac = :secretHmac, sealed_own_token = NULL, sealed_partner_token = NULL,
     due_at = NULL, reason = '', changed_at = now() WHERE peer_id = :peerId AND state = :state AND ${ACTING} RETURNING peer_id AS "peerId"`,
});
/** A step that the partner took meanwhile is kept. */
const MOVE = statement({
  name: 'handshake.move',
  params: { peerId: int8, state: text, next: text, afterSeconds: nullable(int4), reason: text, acting: text },
  sql: `UPDATE trusted_handshake SET state = :next, due_at = now() + :afterSeconds::int * interval '1 second', reason = :reason, changed_at = now(),
     attempts = CASE WHEN :state = :next THEN attempts ELSE 0 END
   WHERE peer_id = :peerId AND state = :state AND ${ACTING}`,
});
const CLAIM = statement({
  name: 'handshake.claim',
  params: { limit: int8 },
  row: HANDSHAKE_ROW,
  sql: `WITH due AS (
     SELECT h.peer_id FROM trusted_handshake h WHERE h.due_at <= now() ORDER BY h.due_at LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE trusted_handshake h SET attempts = attempts + 1, due_at = now() + interval '1 minute'
   FROM due, peer p WHERE h.peer_id = due.peer_id AND p.id = h.peer_id RETURNING ${COLUMNS}`,
});
const PARTNER_WITH = statement({
  name: 'handshake.partner_with_secret',
  params: { secretHmac: bytea },
  row: { id: int8 },
  sql: `SELECT host.id FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id JOIN peer host ON host.id = p.host_id
   WHERE h.secret_hmac = :secretHmac AND host.trust = 'trusted' LIMIT 1`,
});

/** Secrets in common with trusted partners. */
@Injectable()
export class HandshakeRepository {
  constructor(private readonly database: Database) {}

  /** Starts anew; a secret that was agreed on before holds until there is a new one. */
  async begin(peerId: number, sealedOwnToken: Buffer): Promise<void> {
    await this.database.rows(BEGIN, { peerId, sealedOwnToken, acting: actingText() });
  }

  /** The handshake with a partner, for a change in this transaction. */
  async lock(transaction: Queryable, peerId: number): Promise<HandshakeRow | undefined> {
    return (await transaction.rows(LOCK, { peerId }))[0];
  }

  /** The secret has to be fetched from the partner with this token of theirs. */
  async fetch(transaction: Queryable, peerId: number, sealedPartnerToken: Buffer): Promise<void> {
    await transaction.rows(FETCH, { peerId, sealedPartnerToken, acting: actingText() });
  }

  /** A partner that wants to be asked is there. */
  async askNow(transaction: Queryable, peerId: number): Promise<void> {
    await transaction.rows(ASK_NOW, { peerId });
  }

  /** Keeps the secret, unless the handshake moved on meanwhile; tokens are forgotten. @returns whether it was kept */
  async finish(
    transaction: Queryable,
    { peerId, state }: Pick<HandshakeRow, 'peerId' | 'state'>,
    secretHmac: Buffer,
  ): Promise<boolean> {
    return (await transaction.rows(FINISH, { peerId, state, secretHmac, acting: actingText() })).length > 0;
  }

  /** @param afterSeconds until the next step; null for none @param reason for operators, without a secret */
  async move(
    { peerId, state }: Pick<HandshakeRow, 'peerId' | 'state'>,
    next: HandshakeState,
    afterSeconds: number | null,
    reason: string,
  ): Promise<void> {
    await this.database.rows(MOVE, { peerId, state, next, afterSeconds, reason, acting: actingText() });
  }

  /** Claims handshakes that are due; a minute later they are due again, unless they were moved. */
  claim(limit: number): Promise<HandshakeRow[]> {
    return this.database.rows(CLAIM, { limit });
  }

  /** The host that it was agreed on with, where that is trusted now. */
  async partnerWithSecret(secretHmac: Buffer): Promise<number | undefined> {
    return (await this.database.rows(PARTNER_WITH, { secretHmac }))[0]?.id;
  }
}
