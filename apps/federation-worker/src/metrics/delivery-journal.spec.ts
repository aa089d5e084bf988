import type { DeliveryOutcome } from '#federation/exchange';
import type { ClaimedMessage } from '#persistence';
import { createLogger, currentOrigin, Tracing, type NewSpan, type Span } from '#platform';
import { DeliveryJournal } from './delivery-journal';

const ORIGIN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };

const MESSAGE: ClaimedMessage = {
  ...{ messageId: 7, kind: 'share-create', subject: { type: 'share', id: 3 }, peerId: 1, revision: 0 },
  ...{ dedupeKey: 'share-create:share/3:0', payload: {}, sealedSecret: null, attempts: 0, round: 1 },
  ...{ maybeDelivered: false, hostId: 1, peerTroubled: false, host: 'b.example.org' },
  origin: `r-1 00-${ORIGIN.traceId}-${ORIGIN.spanId}-01`,
};

function recording() {
  const begun: NewSpan[] = [];
  const ended: (string | undefined)[] = [];
  const lines: string[] = [];
  const span: Span = {
    context: { ...ORIGIN, spanId: 'c'.repeat(16) },
    child: () => span,
    set: () => undefined,
    end: (failure) => void ended.push(failure),
  };
  const start = (one: NewSpan): Span => {
    begun.push(one);
    return span;
  };
  const tracing = new Tracing({ start, close: () => Promise.resolve() });
  const logger = createLogger('debug', { write: (line) => void lines.push(line) });
  return { journal: new DeliveryJournal(tracing, logger), begun, ended, lines };
}

const delivered: DeliveryOutcome = { kind: 'delivered' };
const waits: DeliveryOutcome = {
  ...{ kind: 'retry', errorClass: 'timeout', message: 'too late', maybeDelivered: true },
};
const refused: DeliveryOutcome = { kind: 'refused', errorClass: 'rejected', message: 'no' };
const failed: DeliveryOutcome = { kind: 'failed', errorClass: 'unsupported', message: 'not here' };

it('the first attempt is a part of the message’s trace', async () => {
  const { journal, begun, ended, lines } = recording();
  await journal.attempt(MESSAGE, () => Promise.resolve(delivered));
  expect(begun).toMatchObject([{ name: 'deliver share-create', parent: ORIGIN, links: [] }]);
  expect(ended).toEqual([undefined]);
  expect(JSON.parse(lines[0]!)).toMatchObject({
    requestId: 'r-1',
    traceId: ORIGIN.traceId,
    partner: 'b.example.org',
  });
});

it('a later attempt has its own trace with a link to it', async () => {
  const { journal, begun, ended } = recording();
  await journal.attempt({ ...MESSAGE, attempts: 1 }, () => Promise.resolve(waits));
  expect(begun).toMatchObject([{ parent: undefined, links: [ORIGIN] }]);
  expect(ended).toEqual(['timeout']);
});

const WARN = 40;
const DEBUG = 20;
it.each([
  { attempts: 0, outcome: delivered, level: DEBUG, msg: 'a message was sent' },
  { attempts: 0, outcome: waits, level: WARN, msg: 'a message has to wait' },
  { attempts: 1, outcome: waits, level: DEBUG, msg: 'a message goes on to wait' },
  { attempts: 2, outcome: delivered, level: WARN, msg: 'a message was sent after it had waited' },
  {
    attempts: 2,
    outcome: { kind: 'already-gone' } as const,
    level: WARN,
    msg: 'a message was sent after it had waited',
  },
  { attempts: 0, outcome: refused, level: WARN, msg: 'a partner refused a message' },
  { attempts: 3, outcome: refused, level: WARN, msg: 'a partner refused a message' },
  { attempts: 0, outcome: failed, level: WARN, msg: 'a message can never be sent' },
])(
  '$outcome.kind after $attempts attempts is logged as "$msg", with its reason',
  async ({ attempts, outcome, level, msg }) => {
    const { journal, lines } = recording();
    await journal.attempt({ ...MESSAGE, attempts }, () => Promise.resolve(outcome));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level, outcome: outcome.kind, msg },
    ]);
    const { reason } = JSON.parse(lines[0]!) as { reason?: string };
    expect(reason).toBe('message' in outcome ? outcome.message : undefined);
  },
);

it('log lines of the attempt carry the same ids', async () => {
  const { journal } = recording();
  let seen: unknown;
  await journal.attempt(MESSAGE, async () => {
    seen = currentOrigin()?.requestId;
    return delivered;
  });
  expect(seen).toBe('r-1');
});

it('an attempt that fails in this process ends its span, and its error is thrown', async () => {
  const { journal, ended, lines } = recording();
  const failure = new Error('no database');
  await expect(journal.attempt(MESSAGE, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(ended).toEqual(['own-failure']);
  expect(lines).toEqual([]);
});

it('a message without a stored origin begins a trace', async () => {
  const { journal, begun } = recording();
  await journal.attempt({ ...MESSAGE, origin: null }, () => Promise.resolve(delivered));
  expect(begun).toMatchObject([{ parent: undefined, links: [] }]);
});
