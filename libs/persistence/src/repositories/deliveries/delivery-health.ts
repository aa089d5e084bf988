import {
  afterOutcome,
  breakerState,
  isTroubled,
  type DeliveryOutcome,
  type Gate,
  type Randomness,
} from '#federation/exchange';
import type { Queryable } from '../../database';
import { array, int8, jsonb } from '../../postgres-types';
import { statement } from '../../statement';
import { saveGates } from './outbox-dispatch.repository';
import { PartnerGateRepository } from '../partners/partner-gate.repository';

const LOCK_GATES = statement({
  name: 'delivery_health.lock_gates',
  params: { ids: array(int8) },
  row: { id: int8, gate: jsonb<Gate>() },
  sql: 'SELECT id, gate FROM peer WHERE id = ANY(:ids::bigint[]) ORDER BY id FOR NO KEY UPDATE',
});

interface Attempted {
  readonly message: { readonly hostId: number; readonly peerTroubled: boolean };
  readonly outcome: DeliveryOutcome;
}

/**
 * Updates the breakers of hosts, with all attempts of one transaction. A healthy partner that answers
 * costs nothing. A recovered partner gets its waiting messages at once, and its files are tried again.
 */
export async function recordHealth(
  transaction: Queryable,
  attempts: readonly Attempted[],
  nowMs: number,
  random: Randomness,
): Promise<void> {
  const telling = attempts.filter(
    ({ message, outcome }) =>
      outcome.kind !== 'not-sent' && (message.peerTroubled || 'errorClass' in outcome),
  );
  if (telling.length === 0) return;
  const peers = await transaction.rows(LOCK_GATES, {
    ids: [...new Set(telling.map(({ message }) => message.hostId))],
  });
  const gates = peers.map(({ id, gate }) => {
    const own = telling.filter(({ message }) => message.hostId === id);
    const breaker = own.reduce(
      (state, { outcome }) => afterOutcome(state, outcome, nowMs, random),
      gate.breaker,
    );
    const open = breakerState(breaker, nowMs) === 'open';
    const recovered = isTroubled(gate.breaker) && own.some(({ outcome }) => outcome.kind === 'delivered');
    return {
      id,
      gate: { ...gate, breaker },
      parkedUntilMs: open ? breaker.openUntilMs : null,
      recovered: recovered && !open,
    };
  });
  await saveGates(transaction, gates);
  const recovered = gates.filter((gate) => gate.recovered).map((gate) => gate.id);
  if (recovered.length === 0) return;
  const partners = new PartnerGateRepository(transaction);
  await partners.bringForward(recovered);
  await partners.tryContent(recovered);
}
