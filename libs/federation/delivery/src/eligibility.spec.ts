import * as fc from 'fast-check';
import { eligible, type OrderedMessage } from './eligibility';
import { isOpen, MESSAGE_STATES, type MessageState } from './message';

const NOW = 1000;
const message = (
  messageId: number,
  subjectId: number,
  state: MessageState,
  availableAtMs = 0,
): OrderedMessage => ({
  messageId,
  subject: { type: 'share', id: subjectId },
  state,
  availableAtMs,
});
const ids = (messages: readonly OrderedMessage[]) => eligible(messages, NOW).map((one) => one.messageId);

describe('which messages may be sent', () => {
  it.each<[string, OrderedMessage[], number[]]>([
    ['the first of its subject', [message(2, 1, 'pending'), message(1, 1, 'pending')], [1]],
    ['none while an earlier one is being sent', [message(1, 1, 'inflight'), message(2, 1, 'pending')], []],
    [
      'none while an earlier one waits for its time',
      [message(1, 1, 'pending', 2000), message(2, 1, 'pending')],
      [],
    ],
    ['the next after one that is over', [message(1, 1, 'dead'), message(2, 1, 'pending')], [2]],
    ['other subjects do not matter', [message(1, 1, 'queued'), message(2, 2, 'pending')], [2]],
    ['longest due first', [message(1, 1, 'pending', 900), message(2, 2, 'pending', 100)], [2, 1]],
  ])('%s', (_name, messages, expected) => {
    expect(ids(messages)).toEqual(expected);
  });

  it('is at most one per subject, due, and behind nothing open', () => {
    const any = fc.record({
      messageId: fc.nat(1000),
      subjectId: fc.nat(5),
      state: fc.constantFrom(...MESSAGE_STATES),
      availableAtMs: fc.nat(2000),
    });
    fc.assert(
      fc.property(fc.uniqueArray(any, { selector: (one) => one.messageId }), (rows) => {
        const messages = rows.map((row) =>
          message(row.messageId, row.subjectId, row.state, row.availableAtMs),
        );
        const chosen = eligible(messages, NOW);
        expect(new Set(chosen.map((one) => one.subject.id)).size).toBe(chosen.length);
        for (const one of chosen) {
          const before = messages.filter(
            (m) => m.subject.id === one.subject.id && m.messageId < one.messageId,
          );
          expect(before.some((earlier) => isOpen(earlier.state))).toBe(false);
          expect(one.availableAtMs).toBeLessThanOrEqual(NOW);
        }
      }),
    );
  });
});
