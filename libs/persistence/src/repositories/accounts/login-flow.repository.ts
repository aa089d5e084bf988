import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../database';
import { inFuture } from '../../database-clock';
import { LoginFlowEntity } from '../../entities/accounts/login-flow.entity';
import type { Strength } from '../../entities/accounts/strength';
import { bool, bytea, filtered, text, textOf, type RowOf } from '../../postgres-types';
import { selected } from '../../selected';
import { statement } from '../../statement';

const MINUTES = 20;
/** Number of expired requests that a new one removes. */
const SWEPT = 100;

const COLUMNS = { client: true, address: true, createdAt: true } as const;
/** A client's request that waits for a user's decision. */
export type WaitingLoginFlow = Readonly<Pick<LoginFlowEntity, keyof typeof COLUMNS>>;

const GRANTED = { uid: filtered(text), client: text, readOnly: bool, strength: textOf<Strength>() };
/** A granted request of a client. */
export type GrantedLoginFlow = RowOf<typeof GRANTED>;

const BEGIN = statement({
  name: 'login_flow.begin',
  params: { loginHash: bytea, pollHash: bytea, client: text, address: text },
  sql: `WITH swept AS (DELETE FROM login_flow WHERE id IN (SELECT id FROM login_flow WHERE expires_at < now() LIMIT ${SWEPT}))
   INSERT INTO login_flow (login_hash, poll_hash, client, address, expires_at)
   VALUES (:loginHash, :pollHash, :client, :address, now() + interval '${MINUTES} minutes')`,
});
const TAKE = statement({
  name: 'login_flow.take',
  params: { pollHash: bytea },
  row: GRANTED,
  sql: `DELETE FROM login_flow WHERE poll_hash = :pollHash AND uid IS NOT NULL AND expires_at > now()
   RETURNING uid, client, read_only AS "readOnly", strength`,
});

/** Clients' requests for an app password, for twenty minutes each. Neither their tokens nor the app password are stored. */
@Injectable()
export class LoginFlowRepository {
  private readonly flows;

  constructor(private readonly database: Database) {
    this.flows = database.reader(LoginFlowEntity);
  }

  async begin(flow: {
    readonly loginHash: Buffer;
    readonly pollHash: Buffer;
    readonly client: string;
    readonly address: string;
  }): Promise<void> {
    await this.database.rows(BEGIN, flow);
  }

  /** The waiting request with this token. */
  async findWaiting(loginHash: Buffer): Promise<WaitingLoginFlow | undefined> {
    const row = await this.flows.findOne({ select: COLUMNS, where: waiting(loginHash) });
    return row ? selected(COLUMNS, row) : undefined;
  }

  /** @returns whether it was waiting */
  async grant(
    loginHash: Buffer,
    answer: Pick<LoginFlowEntity, 'uid' | 'readOnly' | 'strength'>,
  ): Promise<boolean> {
    return this.database.write(
      LoginFlowEntity,
      async (rows) => (await rows.update(waiting(loginHash), answer)).affected === 1,
    );
  }

  /** Removes a granted request for the one client that knows its token. */
  async take(pollHash: Buffer): Promise<GrantedLoginFlow | undefined> {
    return (await this.database.rows(TAKE, { pollHash }))[0];
  }
}

const waiting = (loginHash: Buffer) => ({ loginHash, uid: IsNull(), expiresAt: inFuture() });
