import * as fc from 'fast-check';
import { CLOSED } from './breaker';
import { admit, DEFAULT_LIMITS, OPEN_GATE, type Gate } from './gate';

const NOW = 1_000_000;
const plenty = { concurrency: 100, perSecond: 5, burst: 10 };
const openUntil = (openUntilMs: number): Gate => ({
  breaker: { recent: [{ atMs: NOW, failed: true }], openUntilMs, openings: 1 },
  bucket: null,
});

describe('the gate of a partner', () => {
  it.each([
    { wanted: 5, underWay: 0, admitted: 2 },
    { wanted: 1, underWay: 0, admitted: 1 },
    { wanted: 5, underWay: 1, admitted: 1 },
    { wanted: 5, underWay: 2, admitted: 0 },
    { wanted: 5, underWay: 7, admitted: 0 },
    { wanted: 0, underWay: 0, admitted: 0 },
  ])('keeps at most two under way by default: %j', ({ wanted, underWay, admitted }) => {
    expect(admit(OPEN_GATE, DEFAULT_LIMITS, wanted, underWay, NOW).admitted).toBe(admitted);
  });

  it('admits a burst, then a fixed number each second', () => {
    const first = admit(OPEN_GATE, plenty, 50, 0, NOW);
    expect(first).toMatchObject({ admitted: 10, parkedUntilMs: NOW + 200 });
    expect(admit(first.gate, plenty, 50, 0, NOW + 199).admitted).toBe(0);
    expect(admit(first.gate, plenty, 50, 0, NOW + 200).admitted).toBe(1);
    expect(admit(first.gate, plenty, 50, 0, NOW + 1000).admitted).toBe(5);
    expect(admit(first.gate, plenty, 50, 0, NOW + 3_600_000).admitted).toBe(10);
  });

  it('is parked while the breaker is open, and then admits one message', () => {
    const gate = openUntil(NOW + 30_000);
    expect(admit(gate, plenty, 5, 0, NOW)).toMatchObject({ admitted: 0, parkedUntilMs: NOW + 30_000 });
    expect(admit(gate, plenty, 5, 0, NOW + 30_000).admitted).toBe(1);
    expect(admit(gate, plenty, 5, 1, NOW + 30_000).admitted).toBe(0);
  });

  it('uses no tokens for refused messages, and works if the clock goes back', () => {
    const used = admit(OPEN_GATE, plenty, 4, 0, NOW).gate;
    expect(admit(used, plenty, 50, 0, NOW - 60_000).admitted).toBe(6);
    expect(admit(used, plenty, 0, 0, NOW).gate).toBe(used);
  });

  it('never admits more than the rate allows over any time', () => {
    const steps = fc.array(fc.record({ passedMs: fc.nat(5000), wanted: fc.nat(30) }), { maxLength: 50 });
    fc.assert(
      fc.property(
        steps,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 50 }),
        (events, perSecond, burst) => {
          const limits = { concurrency: 1000, perSecond, burst };
          let gate: Gate = { breaker: CLOSED, bucket: null };
          let nowMs = NOW;
          let total = 0;
          for (const { passedMs, wanted } of events) {
            nowMs += passedMs;
            const admission = admit(gate, limits, wanted, 0, nowMs);
            gate = admission.gate;
            total += admission.admitted;
            expect(admission.admitted).toBeLessThanOrEqual(wanted);
          }
          expect(total).toBeLessThanOrEqual(burst + ((nowMs - NOW) / 1000) * perSecond + 1e-6);
        },
      ),
    );
  });
});
