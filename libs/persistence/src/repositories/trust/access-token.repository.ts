import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import { bytea, int8, nullable, timestamptz } from '../../postgres-types';
import { statement } from '../../statement';

/** An access token that was obtained for a received share's secret. */
export interface AccessTokenRow {
  /** The sealed token. */
  readonly tokenEnc: Buffer;
  readonly expiresAt: Date;
}

const READ = statement({
  name: 'access_token.read',
  params: { receivedShareId: int8 },
  row: { tokenEnc: nullable(bytea), expiresAt: nullable(timestamptz) },
  sql: `SELECT access_token_enc AS "tokenEnc", access_token_expires_at AS "expiresAt" FROM received_share WHERE id = :receivedShareId`,
});
// Without a token, the time is the end of a lease: until then its holder may make the exchange.
const CLAIM = statement({
  name: 'access_token.claim',
  params: { receivedShareId: int8, leaseMs: int8, marginMs: int8, worthless: nullable(bytea) },
  row: { id: int8 },
  sql: `UPDATE received_share SET access_token_enc = NULL, access_token_expires_at = now() + :leaseMs::bigint * interval '1 millisecond'
   WHERE id = :receivedShareId AND CASE WHEN access_token_enc IS NULL
     THEN access_token_expires_at IS NULL OR access_token_expires_at <= now()
     ELSE access_token_expires_at <= now() + :marginMs::bigint * interval '1 millisecond' OR access_token_enc = :worthless END
   RETURNING id`,
});
const SAVE = statement({
  name: 'access_token.save',
  params: { receivedShareId: int8, tokenEnc: bytea, validMs: int8 },
  sql: `UPDATE received_share SET access_token_enc = :tokenEnc, access_token_expires_at = now() + :validMs::bigint * interval '1 millisecond'
   WHERE id = :receivedShareId`,
});
const GIVE_UP = statement({
  name: 'access_token.give_up',
  params: { receivedShareId: int8 },
  sql: `UPDATE received_share SET access_token_expires_at = NULL WHERE id = :receivedShareId AND access_token_enc IS NULL`,
});

/**
 * The access tokens of received shares, one for all replicas: a partner may invalidate an older one when it gives a new
 * one. One worker claims the exchange, and no connection is held while the partner is asked.
 */
@Injectable()
export class AccessTokenRepository {
  constructor(private readonly database: Database) {}

  /** The stored token, expired or not; undefined for none. */
  async find(receivedShareId: number): Promise<AccessTokenRow | undefined> {
    const [row] = await this.database.rows(READ, { receivedShareId });
    return row?.tokenEnc && row.expiresAt ? { tokenEnc: row.tokenEnc, expiresAt: row.expiresAt } : undefined;
  }

  /**
   * Claims the exchange for `leaseMs`. Only one caller gets it, and only if there is no token, the token ends within
   * `marginMs`, or it is the one in `worthless`.
   */
  async claim(
    receivedShareId: number,
    { leaseMs, marginMs, worthless }: { leaseMs: number; marginMs: number; worthless: Buffer | null },
  ): Promise<boolean> {
    return (await this.database.rows(CLAIM, { receivedShareId, leaseMs, marginMs, worthless })).length > 0;
  }

  async save(receivedShareId: number, tokenEnc: Buffer, validMs: number): Promise<void> {
    await this.database.rows(SAVE, { receivedShareId, tokenEnc, validMs });
  }

  /** Ends a claim without a result. */
  async giveUp(receivedShareId: number): Promise<void> {
    await this.database.rows(GIVE_UP, { receivedShareId });
  }
}
