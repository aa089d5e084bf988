import { classifyFailure, type FailureClass } from '#federation/protocol';
import type { DeliveryReport } from '../ports/delivery-report';
import { outcomeOfReport, outcomeWithoutProfile } from './delivery-outcome';

const reportOf = (outcome: DeliveryReport['outcome']): DeliveryReport => ({
  outcome,
  attempts: [],
  provenDialect: null,
});

const OFFER = { kind: 'share-create', product: 'owncloud10' } as const;

describe('the meaning of a report for its message', () => {
  it.each<[DeliveryReport['outcome'], object]>([
    [{ kind: 'delivered', reshare: null }, { kind: 'delivered' }],
    [{ kind: 'already-gone' }, { kind: 'already-gone' }],
    [{ kind: 'not-sent' }, { kind: 'not-sent', message: expect.stringContaining('no such message') }],
    [
      { kind: 'refused', reason: 'recipient-unknown', words: 'no bea here' },
      { kind: 'refused', errorClass: 'recipient-unknown', message: 'no bea here' },
    ],
    [
      { kind: 'refused', reason: 'denied', words: '' },
      { kind: 'refused', errorClass: 'denied', message: '' },
    ],
    [
      { kind: 'refused', reason: 'unsupported', words: '' },
      { kind: 'refused', errorClass: 'unsupported', message: '' },
    ],
    [
      { kind: 'refused', reason: 'blocked', words: '' },
      { kind: 'failed', errorClass: 'blocked' },
    ],
    [
      { kind: 'refused', reason: 'blocked-http', words: '' },
      { kind: 'failed', errorClass: 'blocked-http' },
    ],
    [
      { kind: 'refused', reason: 'share-unknown', words: 'no share 9' },
      { kind: 'refused', errorClass: 'share-unknown', message: 'no share 9' },
    ],
    [
      { kind: 'rediscover', words: 'it answers from elsewhere' },
      { kind: 'retry', errorClass: 'undiscovered', repeatsAtMost: 5 },
    ],
    [
      { kind: 'rediscover', words: 'Invalid signature', missesSignature: true },
      { kind: 'retry', errorClass: 'signature-refused', message: 'Invalid signature', repeatsAtMost: 5 },
    ],
    [
      { kind: 'refused', reason: 'signature-refused', words: '' },
      { kind: 'refused', errorClass: 'signature-refused', message: '' },
    ],
    [
      { kind: 'retry', errorClass: 'not-listening', retryAfterMs: null, mayHaveArrived: false },
      { kind: 'retry', errorClass: 'not-listening' },
    ],
    [
      { kind: 'retry', errorClass: 'limited', retryAfterMs: 7000, mayHaveArrived: false },
      { kind: 'retry', errorClass: 'limited', retryAfterMs: 7000, maybeDelivered: false },
    ],
    [
      { kind: 'retry', errorClass: 'unknown-host', retryAfterMs: null, mayHaveArrived: false },
      { kind: 'retry', errorClass: 'unknown-host' },
    ],
  ])('%o is %o', (outcome, expected) => {
    expect(outcomeOfReport(OFFER, reportOf(outcome), undefined)).toMatchObject(expected);
  });

  it('waits longer before it repeats an offer that may have arrived', () => {
    const timeout = reportOf({
      kind: 'retry',
      errorClass: 'timeout',
      retryAfterMs: null,
      mayHaveArrived: true,
    });
    expect(outcomeOfReport(OFFER, timeout, undefined)).toMatchObject({ retryAfterMs: 120_000 });
    expect(outcomeOfReport({ ...OFFER, product: 'nextcloud' }, timeout, undefined)).toMatchObject({
      retryAfterMs: 120_000,
    });
    for (const errorClass of ['closed', 'reset'] as const) {
      const cut = reportOf({ kind: 'retry', errorClass, retryAfterMs: null, mayHaveArrived: true });
      expect(outcomeOfReport({ ...OFFER, product: 'opencloud' }, cut, undefined)).toMatchObject({
        retryAfterMs: 120_000,
        maybeDelivered: true,
      });
    }
    expect(outcomeOfReport({ ...OFFER, product: 'drawbridge' }, timeout, undefined)).not.toHaveProperty(
      'retryAfterMs',
    );
    expect(outcomeOfReport({ ...OFFER, kind: 'share-unshare' }, timeout, undefined)).not.toHaveProperty(
      'retryAfterMs',
    );
  });

  it('shows the last request of several', () => {
    const attempt = {
      endpoint: 'https://a.org/ocm/shares',
      dialect: 'ocm-webdav',
      httpStatus: 501,
      durationMs: 3,
      errorClass: null,
      excerpt: 'no',
    } as const;
    const attempts = [attempt, { ...attempt, dialect: 'legacy', httpStatus: 200 } as const];
    const report = { ...reportOf({ kind: 'delivered', reshare: null }), attempts };
    expect(outcomeOfReport(OFFER, report, undefined)).toMatchObject({
      evidence: { dialect: 'legacy', httpStatus: 200, excerpt: 'no' },
    });
  });
});

describe('the outcome for a message to a server without a profile', () => {
  const found = (errorClass: FailureClass, isNew: boolean) =>
    ({ kind: 'inconclusive', errorClass, isNew }) as const;

  it.each<FailureClass>(['unknown-host', 'not-listening', 'tls', 'certificate'])(
    'an unknown server that does not exist (%s) ends an offer at once, and nothing else',
    (errorClass) => {
      expect(outcomeWithoutProfile(found(errorClass, true), true).kind).toBe('failed');
      expect(outcomeWithoutProfile(found(errorClass, true), false).kind).toBe('retry');
      expect(outcomeWithoutProfile(found(errorClass, false), true).kind).toBe('retry');
    },
  );

  it.each<FailureClass>(['timeout', 'dns', 'network', 'reset', 'partner-error', 'limited'])(
    'a message to a server whose discovery failed without a result (%s) waits, even for an unknown server',
    (errorClass) => {
      expect(outcomeWithoutProfile(found(errorClass, true), true).kind).toBe('retry');
    },
  );

  it('an address that our own rules forbid is not tried again', () => {
    expect(outcomeWithoutProfile(found('blocked', false), false)).toMatchObject({
      kind: 'failed',
      errorClass: 'blocked',
    });
    expect(classifyFailure('blocked', false)).toMatchObject({ kind: 'refused', reason: 'blocked' });
  });

  it('a server that is no sharing server ends an offer, but not other messages to a former partner', () => {
    expect(outcomeWithoutProfile({ kind: 'no-partner', isNew: true }, true)).toMatchObject({
      kind: 'failed',
      errorClass: 'undiscovered',
    });
    expect(outcomeWithoutProfile({ kind: 'no-partner', isNew: false }, true).kind).toBe('retry');
  });
});
