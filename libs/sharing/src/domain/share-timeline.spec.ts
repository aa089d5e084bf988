import { timelineOf, type RecordedEvent, type RecordedMessage } from './share-timeline';

const at = (minute: number): Date => new Date(Date.UTC(2030, 0, 1, 0, minute));
const event = (minute: number, action: string, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...{ at: at(minute), action, actorKind: 'user', actor: 'alice', outcome: 'done', detail: {} },
  ...more,
});
const message = (minute: number, state: string, more: Partial<RecordedMessage> = {}): RecordedMessage => ({
  ...{ createdAt: at(minute), finishedAt: at(minute + 1), kind: 'share-create', state },
  ...{ partner: 'there.example.org', attempts: 1, nextAttemptAt: null, reason: null, traceId: null },
  ...more,
});

describe('the timeline of a share', () => {
  it('has decisions, deliveries and the first read in the order of their time', () => {
    const events = [
      event(9, 'share.delete', { detail: { because: 'node-deleted', owner: 'alice' } }),
      event(0, 'share.create', { detail: { permissions: 1, owner: 'alice', recipient: 'bob@there' } }),
      event(6, 'share.read', { actorKind: 'partner', actor: 'there.example.org' }),
      event(4, 'share.accept', { actorKind: 'partner', actor: 'there.example.org' }),
    ];
    const timeline = timelineOf(events, [message(1, 'delivered')]);
    expect(timeline.map(({ event: step, actor }) => [step, actor])).toEqual([
      ['created', 'alice'],
      ['delivered', 'there.example.org'],
      ['accepted', 'there.example.org'],
      ['first-read', 'there.example.org'],
      ['ended', 'alice'],
    ]);
    expect(timeline[0]!.details).toEqual({ permissions: 1, recipient: 'bob@there' });
    expect(timeline.at(-1)!.details).toEqual({ because: 'node-deleted' });
  });

  it.each([
    ['refused', 'refused'],
    ['dead', 'given-up'],
    ['not-sent', 'not-sent'],
    ['cancelled', 'cancelled'],
  ])('says why a message is %s', (state, step) => {
    const [entry] = timelineOf([], [message(0, state, { reason: 'no such account', traceId: 'abc' })]);
    expect(entry).toMatchObject({
      event: step,
      details: { reason: 'no such account', attempts: 1, traceId: 'abc' },
    });
  });

  it('shows the next attempt of a failed message', () => {
    const failing = { finishedAt: null, attempts: 3, nextAttemptAt: at(30), reason: 'HTTP 503' };
    expect(timelineOf([], [message(2, 'pending', failing)])).toMatchObject([
      { at: at(2), event: 'waiting', details: { nextAttempt: at(30).getTime() / 1000, reason: 'HTTP 503' } },
    ]);
  });

  it('leaves out replaced and untried messages, and events of other objects', () => {
    const untried = { finishedAt: null, attempts: 0 };
    const messages = [message(0, 'superseded'), message(0, 'pending', untried)];
    expect(timelineOf([event(0, 'account.update')], messages)).toEqual([]);
  });
});
