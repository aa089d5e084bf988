import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../../database';
import { decision, statement } from '../../statement';

/**
 * `asking`: we ask the partner to fetch a secret from us; `asked`: it said that it will; `declined`: it said that it will
 * ask us; `fetching`: we fetch one from it; the others are final.
 */
export type HandshakeState = 'asking' | 'asked' | 'declined' | 'fetching' | 'done' | 'failed';

/** A secret that is being agreed on with a trusted partner. Tokens are sealed; of the secret only its HMAC is kept. */
export interface HandshakeRow {
  readonly peerId: number;
  readonly hostKey: string;
  readonly state: HandshakeState;
  readonly sealedOwnToken: Buffer | null;
  readonly sealedPartnerToken: Buffer | null;
  /** From this handshake, or from the one before. */
  readonly hasSecret: boolean;
  /** Of the step that it is at. */
  readonly attempts: number;
  readonly changedAt: Date;
}

const COLUMNS = `h.peer_id AS "peerId", p.host_key AS "hostKey", h.state, h.sealed_own_token AS "sealedOwnToken",
  h.sealed_partner_token AS "sealedPartnerToken", h.secret_hmac IS NOT NULL AS "hasSecret", h.attempts, h.changed_at AS "changedAt"`;

const BEGIN = decision(
  'handshake.begin',
  (
    acting,
  ) => `INSERT INTO trusted_handshake (peer_id, sealed_own_token, due_at) SELECT $1, $2, now() WHERE ${acting}
   ON CONFLICT (peer_id) DO UPDATE SET state = 'asking', sealed_own_token = excluded.sealed_own_token,
     sealed_partner_token = NULL, attempts = 0, due_at = now(), reason = '', changed_at = now()`,
);
const LOCK = statement<HandshakeRow>(
  'handshake.lock',
  `SELECT ${COLUMNS} FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id WHERE h.peer_id = $1 FOR NO KEY UPDATE OF h`,
);
const FETCH = decision(
  'handshake.fetch',
  (
    acting,
  ) => `INSERT INTO trusted_handshake (peer_id, state, sealed_partner_token, due_at) SELECT $1, 'fetching', $2, now() WHERE ${acting}
   ON CONFLICT (peer_id) DO UPDATE SET state = 'fetching', sealed_partner_token = excluded.sealed_partner_token,
     attempts = 0, due_at = now(), reason = '', changed_at = now()`,
);
const ASK_NOW = statement(
  'handshake.ask_now',
  `UPDATE trusted_handshake SET due_at = now() WHERE peer_id = $1 AND state = 'asking'`,
);
const FINISH = decision<{ peerId: number }>(
  'handshake.finish',
  (
    acting,
  ) => `UPDATE trusted_handshake SET state = 'done', secret_hmac = $3, sealed_own_token = NULL, sealed_partner_token = NULL,
     due_at = NULL, reason = '', changed_at = now() WHERE peer_id = $1 AND state = $2 AND ${acting} RETURNING peer_id AS "peerId"`,
);
/** A step that the partner took meanwhile is kept. */
const MOVE = decision(
  'handshake.move',
  (
    acting,
  ) => `UPDATE trusted_handshake SET state = $3, due_at = now() + $4::int * interval '1 second', reason = $5, changed_at = now(),
     attempts = CASE WHEN $2 = $3 THEN attempts ELSE 0 END
   WHERE peer_id = $1 AND state = $2 AND ${acting}`,
);
const CLAIM = statement<HandshakeRow>(
  'handshake.claim',
  `WITH due AS (
     SELECT h.peer_id FROM trusted_handshake h WHERE h.due_at <= now() ORDER BY h.due_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE trusted_handshake h SET attempts = attempts + 1, due_at = now() + interval '1 minute'
   FROM due, peer p WHERE h.peer_id = due.peer_id AND p.id = h.peer_id RETURNING ${COLUMNS}`,
);
const PARTNER_WITH = statement<{ id: number }>(
  'handshake.partner_with_secret',
  `SELECT host.id FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id JOIN peer host ON host.id = p.host_id
   WHERE h.secret_hmac = $1 AND host.trust = 'trusted' LIMIT 1`,
);

/** Secrets in common with trusted partners. */
@Injectable()
export class HandshakeRepository {
  constructor(private readonly database: Database) {}

  /** Starts anew; a secret that was agreed on before holds until there is a new one. */
  async begin(peerId: number, sealedOwnToken: Buffer): Promise<void> {
    await this.database.rows(BEGIN, [peerId, sealedOwnToken]);
  }

  /** The handshake with a partner, for a change in this transaction. */
  async lock(transaction: Queryable, peerId: number): Promise<HandshakeRow | undefined> {
    return (await transaction.rows(LOCK, [peerId]))[0];
  }

  /** The secret has to be fetched from the partner with this token of theirs. */
  async fetch(transaction: Queryable, peerId: number, sealedPartnerToken: Buffer): Promise<void> {
    await transaction.rows(FETCH, [peerId, sealedPartnerToken]);
  }

  /** A partner that wants to be asked is there. */
  async askNow(transaction: Queryable, peerId: number): Promise<void> {
    await transaction.rows(ASK_NOW, [peerId]);
  }

  /** Keeps the secret, unless the handshake moved on meanwhile; tokens are forgotten. @returns whether it was kept */
  async finish(
    transaction: Queryable,
    { peerId, state }: Pick<HandshakeRow, 'peerId' | 'state'>,
    secretHmac: Buffer,
  ): Promise<boolean> {
    return (await transaction.rows(FINISH, [peerId, state, secretHmac])).length > 0;
  }

  /** @param afterSeconds until the next step; null for none @param reason for operators, without a secret */
  async move(
    { peerId, state }: Pick<HandshakeRow, 'peerId' | 'state'>,
    next: HandshakeState,
    afterSeconds: number | null,
    reason: string,
  ): Promise<void> {
    await this.database.rows(MOVE, [peerId, state, next, afterSeconds, reason]);
  }

  /** Claims handshakes that are due; a minute later they are due again, unless they were moved. */
  claim(limit: number): Promise<HandshakeRow[]> {
    return this.database.rows(CLAIM, [limit]);
  }

  /** The host that it was agreed on with, where that is trusted now. */
  async partnerWithSecret(secretHmac: Buffer): Promise<number | undefined> {
    return (await this.database.rows(PARTNER_WITH, [secretHmac]))[0]?.id;
  }
}
