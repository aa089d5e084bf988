import { Injectable } from '@nestjs/common';
import {
  BEGINNINGS,
  isOffer,
  settle,
  shareProgress,
  type DeliveryOutcome,
  type OutgoingMessage,
  type Randomness,
  type Settlement,
} from '#federation/exchange';
import { Database, type Transaction } from '../../database';
import { LOCK_RECEIVED, probeAccepted } from './delivered-acceptances';
import { recordHealth } from './delivery-health';
import { sameFailures } from './limited-failures';
import type { DispatchedMessage } from './outbox-dispatch.repository';
import { supersedeReplaced } from './replaced-meanwhile';
import { notifyOfUndelivered } from './share-request-settlement';
import { noteAnswered } from '../shares/offer-arrival';
import { ReshareSettlement } from '../shares/reshare-settlement';
import {
  type ClaimRow,
  CLAIM,
  type OpenRow,
  LOCK_SHARES,
  LOCK_OPEN,
  SETTLE,
  DROP_FOLLOWING,
  TELL_VERDICTS,
} from './delivery-statements';

/** A message that this process is sending, with the number of its claim. */
export interface ClaimedMessage extends OutgoingMessage {
  readonly round: number;
  /** The row of the partner's host, whose breaker counts its attempts. */
  readonly hostId: number;
  /** Whether the partner failed lately: only then is a success recorded with it. */
  readonly peerTroubled: boolean;
  /** The partner's host. */
  readonly host: string;
  /** Origin of the message, in the form for `readOrigin`; null if it is unknown. */
  readonly origin: string | null;
}

export interface FinishedAttempt {
  readonly message: ClaimedMessage;
  readonly outcome: DeliveryOutcome;
}

/** Claims messages for sending and records the results. */
@Injectable()
export class DeliveryRepository {
  private readonly reshares: ReshareSettlement;

  constructor(
    private readonly database: Database,
    private readonly random: Randomness,
  ) {
    this.reshares = new ReshareSettlement(database);
  }

  /**
   * Claims messages for sending. Messages that are missing in the answer must not be sent: another process claimed them,
   * or they are settled,
   * cancelled or superseded, or their partner is barred now.
   */
  async claim(wanted: readonly DispatchedMessage[], leaseMs: number): Promise<ClaimedMessage[]> {
    // A claim that a crash of Postgres undoes is made again.
    const rows = await this.database.transaction(
      (transaction) =>
        transaction.last.rows(CLAIM, {
          messageIds: wanted.map((one) => one.messageId),
          rounds: wanted.map((one) => one.round),
          leaseMs,
        }),
      { commitsLazily: true },
    );
    return rows.filter((row) => row.state === 'inflight').map(claimed);
  }

  /**
   * Records each attempt once: a failure counts only for the process that still has the claim, a success always.
   * @returns how many were recorded
   */
  settle(finished: readonly FinishedAttempt[]): Promise<number> {
    return this.database.transaction((transaction) => this.settleIn(transaction, finished));
  }

  private async settleIn(transaction: Transaction, finished: readonly FinishedAttempt[]): Promise<number> {
    // Locks shares before messages, as writers of messages do.
    const shareIds = finished.flatMap(({ message }) =>
      message.subject.type === 'share' ? [message.subject.id] : [],
    );
    const receivedShareIds = acceptancesIn(finished);
    const [, , open] = await Promise.all([
      shareIds.length > 0 ? transaction.rows(LOCK_SHARES, { shareIds }) : undefined,
      receivedShareIds.length > 0 ? transaction.rows(LOCK_RECEIVED, { receivedShareIds }) : undefined,
      transaction.rows(LOCK_OPEN, { messageIds: finished.map(({ message }) => message.messageId) }),
    ]);
    const byId = new Map(open.map((row) => [row.id, row]));
    const failures = await sameFailures(transaction, finished);
    const counted = finished.flatMap((one) => this.decide(one, byId, failures));
    if (counted.length === 0) return 0;
    await transaction.rows(SETTLE, { counted: JSON.stringify(counted.map(settledRecord)) });
    await supersedeReplaced(transaction, idsOf(counted.filter(endedAs('pending'))));
    await noteAnswered(transaction, offeredIn(counted.filter(endedAs('pending', 'dead'))));
    const dropping = counted.filter(({ settlement }) => settlement.dropsFollowing);
    if (dropping.length > 0) await transaction.rows(DROP_FOLLOWING, { ids: idsOf(dropping) });
    await this.reshares.follow(
      transaction,
      counted.filter(({ message }) => message.kind === 'reshare-request'),
    );
    await probeAccepted(
      transaction,
      acceptancesIn(counted.filter(({ settlement }) => settlement.state === 'delivered')),
    );
    await notifyOfUndelivered(
      transaction,
      counted.filter(({ message }) => message.kind === 'share-request'),
    );
    const awaited = counted.filter(
      ({ message }) => BEGINNINGS.includes(message.kind) && message.attempts === 0,
    );
    await recordHealth(transaction, counted, open[0]!.now_ms, this.random);
    if (awaited.length > 0) await transaction.last.rows(TELL_VERDICTS, { ids: idsOf(awaited) });
    return counted.length;
  }

  private decide(
    finished: FinishedAttempt,
    open: Map<number, OpenRow>,
    failures: ReadonlyMap<number, number>,
  ): SettledAttempt[] {
    const { message, outcome } = finished;
    const row = open.get(message.messageId);
    const held = row !== undefined && row.state === 'inflight' && row.round === message.round;
    const succeeded = outcome.kind === 'delivered' || outcome.kind === 'already-gone';
    if (!row || !(held || succeeded)) return [];
    // A message that is twice in one batch counts once.
    open.delete(message.messageId);
    const { kind } = message;
    const attempted = {
      kind,
      attempts: row.attempts,
      sameFailures: failures.get(message.messageId) ?? 0,
      maybeDelivered: row.maybe_delivered,
      deadlineMs: row.deadline_ms,
    };
    return [{ ...finished, settlement: settle(attempted, outcome, row.now_ms, this.random) }];
  }
}

interface SettledAttempt extends FinishedAttempt {
  readonly settlement: Settlement;
}

/** Ids of the received shares whose acceptances these attempts sent. */
const acceptancesIn = (attempts: readonly FinishedAttempt[]): number[] =>
  attempts.flatMap(({ message: { kind, subject } }) => (kind === 'received-accept' ? [subject.id] : []));

const endedAs =
  (...states: readonly Settlement['state'][]) =>
  ({ settlement }: SettledAttempt): boolean =>
    states.includes(settlement.state);

/** Ids of the shares that these attempts offered. */
const offeredIn = (attempts: readonly FinishedAttempt[]): number[] =>
  attempts.flatMap(({ message: { kind, subject } }) => (isOffer(kind) ? [subject.id] : []));

const idsOf = (attempts: readonly SettledAttempt[]): number[] =>
  attempts.map(({ message }) => message.messageId);

function claimed(row: ClaimRow): ClaimedMessage {
  return {
    messageId: row.id,
    round: row.round,
    kind: row.kind,
    subject: { type: row.subject_type, id: row.subject_id },
    peerId: row.peer_id,
    hostId: row.host_id,
    dedupeKey: row.dedupe_key,
    revision: row.revision,
    payload: row.payload,
    sealedSecret: row.sealed_secret,
    attempts: row.attempts,
    maybeDelivered: row.maybe_delivered,
    peerTroubled: row.troubled,
    host: row.host,
    origin: row.origin,
  };
}

/** One input row of SETTLE. */
function settledRecord({ message, outcome, settlement }: SettledAttempt): Record<string, unknown> {
  const { endpoint, dialect, httpStatus, durationMs, excerpt } = outcome.evidence ?? {};
  const progress = message.subject.type === 'share' ? shareProgress(message.kind, settlement) : undefined;
  return {
    id: message.messageId,
    round: message.round,
    state: settlement.state,
    attempts: settlement.attempts,
    available_at_ms: settlement.availableAtMs,
    error_class: settlement.errorClass,
    error_message: settlement.message,
    maybe_delivered: settlement.maybeDelivered,
    reply: outcome.kind === 'delivered' ? (outcome.reply ?? null) : null,
    outcome: outcome.kind,
    endpoint: endpoint ?? null,
    dialect: dialect ?? null,
    http_status: httpStatus ?? null,
    duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    excerpt: excerpt ?? null,
    share_id: message.subject.type === 'share' ? message.subject.id : null,
    revision: message.revision,
    delivery_state: progress?.deliveryState ?? null,
    frees_recipient: progress?.freesRecipient ?? false,
    drops_following: settlement.dropsFollowing,
  };
}
