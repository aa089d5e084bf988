import type { DeliveryOutcome } from '#federation/exchange';
import type { ClaimedMessage, DispatchedMessage, FinishedAttempt } from '#persistence';
import { eventually } from '../../../testing/src/waiting';
import { DeliverMessage } from './deliver-message';

let signals: AbortSignal[];
let answers: (() => void)[];
let finished: FinishedAttempt[];
let deliver: DeliverMessage;

beforeEach(() => {
  [signals, answers, finished] = [[], [], []];
  const store = {
    claim: async (wanted: readonly DispatchedMessage[]) =>
      wanted.map(({ messageId, round }) => ({ messageId, round, kind: 'share-create' }) as ClaimedMessage),
    settle: async (attempts: readonly FinishedAttempt[]) => finished.push(...attempts),
  };
  const sender = {
    send: (_message: unknown, signal: AbortSignal) =>
      new Promise<DeliveryOutcome>((resolve, reject) => {
        signals.push(signal);
        answers.push(() => resolve({ kind: 'delivered' }));
        signal.throwIfAborted();
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };
  const witness = {
    attempt: (_message: unknown, make: () => Promise<DeliveryOutcome>) => make(),
    settled: () => undefined,
  };
  deliver = new DeliverMessage(store, sender, witness);
});

it('interrupts attempts that run or begin when the process ends, and repeats them later', async () => {
  const running = deliver.run({ messageId: 1, round: 1 });
  await eventually('the attempt', () => signals.length === 1);
  deliver.abort();
  await running;
  await deliver.run({ messageId: 2, round: 1 });
  expect(finished.map(({ message, outcome }) => [message.messageId, outcome.kind])).toEqual([
    [1, 'retry'],
    [2, 'retry'],
  ]);
  expect(finished[0]!.outcome).toMatchObject({ maybeDelivered: true });
});

it('leaves an attempt alone that has ended', async () => {
  const running = deliver.run({ messageId: 1, round: 1 });
  await eventually('the attempt', () => answers.length === 1);
  answers[0]!();
  await running;
  deliver.abort();
  expect(signals[0]!.aborted).toBe(false);
  expect(finished.map(({ outcome }) => outcome.kind)).toEqual(['delivered']);
});
