import * as fc from 'fast-check';
import { ERROR_CLASSES, type ErrorClass } from '#federation/protocol';
import { afterOutcome, breakerState, CLOSED, isTroubled, type Breaker } from './breaker';
import type { DeliveryOutcome } from './delivery-outcome';

const middle = { next: () => 0 };
const START = 1_000_000;
const ok: DeliveryOutcome = { kind: 'delivered' };
const failure = (errorClass: ErrorClass): DeliveryOutcome => ({ kind: 'retry', errorClass, message: 'x' });

function after(outcomes: readonly DeliveryOutcome[], everyMs = 1000, breaker: Breaker = CLOSED): Breaker {
  return outcomes.reduce(
    (state, outcome, index) => afterOutcome(state, outcome, START + index * everyMs, middle),
    breaker,
  );
}

describe('the breaker of a partner', () => {
  it('opens for half a minute after five failures within a minute', () => {
    const four = after(Array(4).fill(failure('timeout')));
    expect(breakerState(four, START + 4000)).toBe('closed');
    const five = afterOutcome(four, failure('network'), START + 4000, middle);
    expect(five.openUntilMs).toBe(START + 4000 + 30_000);
  });

  it('stays closed after five failures in an hour', () => {
    expect(after(Array(5).fill(failure('timeout')), 720_000).openUntilMs).toBeNull();
  });

  it('opens when half of twenty results are failures', () => {
    const halves = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? failure('partner-error') : ok,
    );
    // Results before the first failure are not kept.
    expect(after(halves, 30_000).openUntilMs).toBeNull();
    expect(after([...halves, ok, failure('partner-error')], 30_000).openUntilMs).not.toBeNull();
  });

  it.each(['unknown-host', 'certificate'] as const)('opens for half an hour at once on %s', (errorClass) => {
    expect(after([failure(errorClass)]).openUntilMs).toBe(START + 30 * 60_000);
  });

  it.each([
    'denied',
    'rejected',
    'limited',
    'share-unknown',
    'unsupported',
    'policy',
    'blocked',
    'blocked-http',
    'blocked-redirect',
    'undiscovered',
    'busy',
    'closed',
    'internal',
  ] as const)('counts %s as an answer', (errorClass) => {
    expect(after(Array(30).fill(failure(errorClass)))).toEqual(CLOSED);
  });

  it('allows one attempt after the pause, and doubles the pause up to half an hour on failure', () => {
    let breaker = after(Array(5).fill(failure('network')), 0);
    const pauses = [];
    for (let round = 0; round < 8; round++) {
      const probeAt = breaker.openUntilMs!;
      expect(breakerState(breaker, probeAt - 1)).toBe('open');
      expect(breakerState(breaker, probeAt)).toBe('half-open');
      breaker = afterOutcome(breaker, failure('network'), probeAt, middle);
      pauses.push((breaker.openUntilMs! - probeAt) / 1000);
    }
    expect(pauses).toEqual([60, 120, 240, 480, 960, 1800, 1800, 1800]);
  });

  it('closes after the first answer, even a refusal', () => {
    const open = after(Array(5).fill(failure('network')), 0);
    expect(afterOutcome(open, ok, open.openUntilMs!, middle)).toEqual(CLOSED);
    const refusal: DeliveryOutcome = { kind: 'refused', errorClass: 'rejected', message: 'no' };
    expect(afterOutcome(open, refusal, open.openUntilMs!, middle)).toEqual(CLOSED);
  });

  it('does not open further after failures of requests that began earlier', () => {
    const open = after(Array(5).fill(failure('network')), 0);
    expect(afterOutcome(open, failure('network'), START + 1, middle).openUntilMs).toBe(open.openUntilMs);
  });

  it('stores nothing for a partner without failures', () => {
    expect(after(Array(100).fill(ok))).toEqual(CLOSED);
  });

  it('stays small, and counts as troubled exactly while a failure is stored', () => {
    const outcome = fc.oneof(fc.constant(ok), fc.constantFrom(...ERROR_CLASSES).map(failure));
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, fc.nat(120_000)), { maxLength: 60 }), (events) => {
        let breaker = CLOSED;
        let nowMs = START;
        for (const [result, passedMs] of events) {
          nowMs += passedMs;
          breaker = afterOutcome(breaker, result, nowMs, middle);
          expect(breaker.recent.length).toBeLessThanOrEqual(20);
          expect(isTroubled(breaker)).toBe(breaker.recent.some((one) => one.failed));
          expect((breaker.openUntilMs ?? 0) - nowMs).toBeLessThanOrEqual(30 * 60_000);
        }
      }),
    );
  });
});
