import type { DeliveryOutcome } from './delivery-outcome';
import { presentable, settle } from './settlement';
import { isLeftToUs, shareProgress } from './share-progress';

const random = { next: () => 0.5 };
const NOW = 1_000_000;
const HOUR = 3_600_000;
const message = {
  kind: 'share-create' as const,
  attempts: 0,
  sameFailures: 0,
  maybeDelivered: false,
  deadlineMs: NOW + HOUR,
};
const retry = (more: Partial<Extract<DeliveryOutcome, { kind: 'retry' }>> = {}): DeliveryOutcome => ({
  kind: 'retry',
  errorClass: 'network',
  message: 'connection refused',
  ...more,
});

describe('the next state of a message', () => {
  it.each([{ kind: 'delivered' }, { kind: 'already-gone' }] as const)('is settled after %j', (outcome) => {
    expect(settle(message, outcome, NOW, random)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      availableAtMs: null,
      message: null,
      dropsFollowing: false,
    });
  });

  it('is not sent, with a reason, if the partner has no such message', () => {
    const changed = { ...message, kind: 'share-permissions' as const };
    const settlement = settle(changed, { kind: 'not-sent', message: 'no such message' }, NOW, random);
    expect(settlement).toMatchObject({
      state: 'not-sent',
      availableAtMs: null,
      message: 'no such message',
      dropsFollowing: false,
    });
    expect(shareProgress('share-permissions', settlement)?.deliveryState).toBe('not-sent');
    expect(shareProgress('share-unshare', settlement)?.deliveryState).toBe('revoked');
  });

  it('waits after a temporary failure', () => {
    expect(settle(message, retry(), NOW, random)).toMatchObject({
      state: 'pending',
      attempts: 1,
      availableAtMs: NOW + 2500,
      errorClass: 'network',
      message: 'connection refused',
    });
  });

  it('is given up if its time ends before the next attempt', () => {
    const late = { ...message, attempts: 8, deadlineMs: NOW + 60_000 };
    expect(settle(late, retry(), NOW, random)).toMatchObject({ state: 'dead', availableAtMs: null });
    expect(settle(message, retry({ retryAfterMs: 2 * HOUR }), NOW, random).state).toBe('dead');
  });

  it('is given up after the maximum of failures of one class, even between other failures', () => {
    const soft = retry({ repeatsAtMost: 5 });
    const old = { ...message, attempts: 8, deadlineMs: NOW + 100 * HOUR };
    expect(settle({ ...old, sameFailures: 3 }, soft, NOW, random).state).toBe('pending');
    expect(settle({ ...message, attempts: 4, sameFailures: 4 }, soft, NOW, random).state).toBe('dead');
  });

  it('distinguishes a decision about the share from a message that cannot succeed', () => {
    const verdict = { errorClass: 'rejected', message: 'User does not exist' } as const;
    expect(settle(message, { kind: 'refused', ...verdict }, NOW, random).state).toBe('refused');
    expect(settle(message, { kind: 'failed', ...verdict }, NOW, random).state).toBe('dead');
  });

  it('drops the messages after an offer that never arrived, but not after one that may have arrived', () => {
    const refused: DeliveryOutcome = { kind: 'refused', errorClass: 'rejected', message: '' };
    expect(settle(message, refused, NOW, random).dropsFollowing).toBe(true);
    expect(settle({ ...message, maybeDelivered: true }, refused, NOW, random).dropsFollowing).toBe(false);
    expect(settle({ ...message, kind: 'share-permissions' }, refused, NOW, random).dropsFollowing).toBe(
      false,
    );
    const ambiguous = retry({ repeatsAtMost: 1, maybeDelivered: true });
    expect(settle(message, ambiguous, NOW, random)).toMatchObject({ state: 'dead', dropsFollowing: false });
  });

  it('remembers that an attempt may have arrived', () => {
    const timeout = settle(message, retry({ maybeDelivered: true }), NOW, random);
    expect(timeout.maybeDelivered).toBe(true);
    expect(settle({ ...message, maybeDelivered: true }, retry(), NOW, random).maybeDelivered).toBe(true);
  });
});

it.each([
  ['a\u0000b\r\nc\u202ed', 'a b c d'],
  ['  spaces \t ', 'spaces'],
  ['\ud800', '\ufffd'],
  [`${'x'.repeat(499)}\u{1f600}`, `${'x'.repeat(499)}\ufffd`],
  ['y'.repeat(2000), 'y'.repeat(500)],
])('shows %j as %j', (text, shown) => {
  expect(presentable(text)).toBe(shown);
});

describe('the state of an attempt in its share', () => {
  const settled = (state: 'pending' | 'delivered' | 'refused' | 'dead') => ({
    state,
    attempts: 1,
    availableAtMs: null,
    errorClass: null,
    message: null,
    maybeDelivered: false,
    dropsFollowing: false,
  });
  it.each([
    ['share-create', 'delivered', 'delivered', false],
    ['share-create', 'pending', 'retrying', false],
    ['share-create', 'refused', 'refused', true],
    ['share-create', 'dead', 'dead', false],
    ['share-permissions', 'delivered', 'delivered', false],
    ['share-permissions', 'pending', 'retrying', false],
    ['share-permissions', 'refused', 'delivered', false],
    ['share-permissions', 'dead', 'dead', false],
    ['reshare-request', 'delivered', 'delivered', false],
    ['reshare-request', 'pending', 'retrying', false],
    ['reshare-request', 'refused', 'refused', true],
    ['reshare-request', 'dead', 'dead', false],
    ['reshare-permissions', 'refused', 'delivered', false],
    ['share-unshare', 'delivered', 'revoked', false],
    ['share-unshare', 'pending', 'revoking', false],
    ['share-unshare', 'refused', 'revoked', false],
    ['share-unshare', 'dead', 'revoked', false],
  ] as const)('%s, %s: %s', (kind, state, deliveryState, freesRecipient) => {
    expect(shareProgress(kind, settled(state))).toEqual({ deliveryState, freesRecipient });
  });

  it.each([
    'received-accept',
    'received-decline',
    'reshare-accepted',
    'reshare-declined',
    'reshare-undo',
  ] as const)('%s does not show', (kind) => {
    expect(shareProgress(kind, settled('delivered'))).toBeUndefined();
  });

  it('a request that its addressee does not understand decides nothing yet', () => {
    const left = { ...settled('refused'), errorClass: 'unsupported' } as const;
    expect(isLeftToUs(left)).toBe(true);
    expect(shareProgress('reshare-request', left)).toBeUndefined();
    expect(shareProgress('share-create', left)).toMatchObject({ deliveryState: 'refused' });
    expect(isLeftToUs({ ...left, errorClass: 'denied' })).toBe(false);
    expect(isLeftToUs({ ...left, state: 'dead' })).toBe(false);
  });
});
