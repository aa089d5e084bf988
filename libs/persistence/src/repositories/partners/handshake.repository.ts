import { Injectable } from '@nestjs/common';
import type { AgreedSecret, HandshakeState } from '#federation/exchange';
import { Database, type Queryable, type Transaction } from '../../database';
import { fromNow, now } from '../../database-clock';
import { TrustedHandshakeEntity } from '../../entities/partners/trusted-handshake.entity';
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
import { statement } from '../../statement';

/** A handshake about a secret with a trusted partner. Tokens are sealed. */
const HANDSHAKE_ROW = {
  peerId: int8,
  hostKey: text,
  state: textOf<HandshakeState>(),
  sealedOwnToken: nullable(bytea),
  sealedPartnerToken: nullable(bytea),
  /** Whether a secret exists, from this handshake or an earlier one. */
  hasSecret: bool,
  /** Attempts of the present step. */
  attempts: int4,
  changedAt: timestamptz,
};
export type HandshakeRow = RowOf<typeof HANDSHAKE_ROW>;

const COLUMNS = `h.peer_id AS "peerId", p.host_key AS "hostKey", h.state, h.sealed_own_token AS "sealedOwnToken",
  h.sealed_partner_token AS "sealedPartnerToken", h.secret_hmac IS NOT NULL AS "hasSecret", h.attempts, h.changed_at AS "changedAt"`;

const LOCK = statement({
  name: 'handshake.lock',
  params: { peerId: int8 },
  row: HANDSHAKE_ROW,
  sql: `SELECT ${COLUMNS} FROM trusted_handshake h JOIN peer p ON p.id = h.peer_id WHERE h.peer_id = :peerId FOR NO KEY UPDATE OF h`,
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

/** A handshake at the start of a step that is due now. */
const anew = (state: HandshakeState) => ({ state, attempts: 0, dueAt: now, reason: '', changedAt: now });

/** Secrets that trusted partners and this instance share. */
@Injectable()
export class HandshakeRepository {
  constructor(private readonly database: Database) {}

  /** Starts again. An earlier secret stays valid until there is a new one. */
  async begin(peerId: number, sealedOwnToken: Buffer): Promise<void> {
    const begun = { ...anew('asking'), peerId, sealedOwnToken, sealedPartnerToken: null };
    await this.database.write(TrustedHandshakeEntity, (handshakes) => handshakes.upsert(begun, ['peerId']));
  }

  /** The handshake with a partner, for a change in this transaction. */
  async lock(transaction: Queryable, peerId: number): Promise<HandshakeRow | undefined> {
    return (await transaction.rows(LOCK, { peerId }))[0];
  }

  /** Notes that the secret has to be fetched from the partner with this token of theirs. */
  async fetch(transaction: Transaction, peerId: number, sealedPartnerToken: Buffer): Promise<void> {
    const handshakes = await transaction.repository(TrustedHandshakeEntity);
    await handshakes.upsert({ ...anew('fetching'), peerId, sealedPartnerToken }, ['peerId']);
  }

  /** Notes that a partner that wants to be asked is there. */
  async askNow(transaction: Transaction, peerId: number): Promise<void> {
    const handshakes = await transaction.repository(TrustedHandshakeEntity);
    await handshakes.update({ peerId, state: 'asking' }, { dueAt: now });
  }

  /** Stores the secret, sealed and as its lookup key, unless the handshake has moved on, and deletes the tokens. @returns whether it was stored */
  async finish(
    transaction: Transaction,
    { peerId, state }: Pick<HandshakeRow, 'peerId' | 'state'>,
    { secretHmac, sealedSecret }: AgreedSecret,
  ): Promise<boolean> {
    const handshakes = await transaction.repository(TrustedHandshakeEntity);
    const tokens = { sealedOwnToken: null, sealedPartnerToken: null };
    const done = {
      ...tokens,
      state: 'done',
      secretHmac,
      sealedSecret,
      dueAt: null,
      reason: '',
      changedAt: now,
    };
    return (await handshakes.update({ peerId, state }, done)).affected === 1;
  }

  /**
   * If the partner took a step in the meantime, that step is kept.
   * @param afterSeconds until the next step; null for none @param reason for operators, without a secret
   */
  async move(
    { peerId, state }: Pick<HandshakeRow, 'peerId' | 'state'>,
    next: HandshakeState,
    afterSeconds: number | null,
    reason: string,
  ): Promise<void> {
    const dueAt = afterSeconds === null ? null : fromNow(afterSeconds * 1000);
    const attempts = state === next ? {} : { attempts: 0 };
    await this.database.write(TrustedHandshakeEntity, (handshakes) =>
      handshakes.update({ peerId, state }, { ...attempts, state: next, dueAt, reason, changedAt: now }),
    );
  }

  /** Claims due handshakes. A minute later they are due again, unless they were moved. */
  claim(limit: number): Promise<HandshakeRow[]> {
    return this.database.rows(CLAIM, { limit });
  }

  /** The host that agreed on the secret, if it is trusted now. */
  async partnerWithSecret(secretHmac: Buffer): Promise<number | undefined> {
    return (await this.database.rows(PARTNER_WITH, { secretHmac }))[0]?.id;
  }
}
