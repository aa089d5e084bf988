import { SecretBox } from '#platform';
import { ChangeFeed, DeliveryRepository, OutboxDispatchRepository, OutboxRepository } from '#persistence';
import { FederationOutbox } from '../../testing/src/rigs/federation-outbox';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { RequestReply } from './request-reply';
import { Verdicts } from './verdicts';

class Feed {
  isLive = true;
  listeners: ((topic: never, key: string) => void)[] = [];
  gaps: (() => void)[] = [];
  onChange(listener: (topic: never, key: string) => void): void {
    this.listeners.push(listener);
  }
  onGap(listener: () => void): void {
    this.gaps.push(listener);
  }
  announce(topic: string, key: string): void {
    for (const listener of this.listeners) listener(topic as never, key);
  }
}

const MINUTE = 60_000;

describe('waiting for a reply', () => {
  it('ends with an existing reply', async () => {
    const replies = new RequestReply(new Feed());
    expect(await replies.wait({ topic: 'peer', key: 'a', read: async () => 7, timeoutMs: MINUTE })).toBe(7);
  });

  it.each([
    ['when it is announced', (feed: Feed) => feed.announce('peer', 'a')],
    ['when announcements may have been missed', (feed: Feed) => feed.gaps.forEach((gap) => gap())],
  ])('reads again %s', async (_name, tell) => {
    const feed = new Feed();
    const replies = new RequestReply(feed);
    const kept: { value?: number } = {};
    let looks = 0;
    const read = async () => (looks++, kept.value);
    const waiting = replies.wait({ topic: 'peer', key: 'a', read, timeoutMs: MINUTE });
    feed.announce('peer', 'b');
    feed.announce('delivery', 'a');
    await Promise.resolve();
    expect(looks).toBe(1);
    kept.value = 5;
    tell(feed);
    expect(await waiting).toBe(5);
  });

  it('reads again after a while, in case an announcement was lost', async () => {
    const kept: { value?: number } = {};
    const read = async () => kept.value;
    const waiting = new RequestReply(new Feed()).wait({ topic: 'peer', key: 'a', read, timeoutMs: MINUTE });
    kept.value = 6;
    expect(await waiting).toBe(6);
  });

  it('ends without a reply when the time is over, after a last read', async () => {
    const replies = new RequestReply(new Feed());
    let looks = 0;
    const read = async () => void looks++;
    expect(await replies.wait({ topic: 'peer', key: 'a', read, timeoutMs: 1 })).toBeUndefined();
    expect(looks).toBeGreaterThan(1);
  });

  describe('to a new request', () => {
    const waitFor = (feed: Feed, tell: (feed: Feed) => void, isNew: boolean) => {
      const replies = new RequestReply(feed);
      let looks = 0;
      tell(feed);
      const read = async () => (looks++, 'there');
      return {
        reply: replies.wait({ topic: 'delivery', key: '7', read, timeoutMs: MINUTE, isNew }),
        looks: () => looks,
      };
    };
    const nothing = (): void => undefined;

    it('reads it only after the announcement', async () => {
      const feed = new Feed();
      const waiting = waitFor(feed, (own) => own.announce('delivery', '8'), true);
      expect(waiting.looks()).toBe(0);
      feed.announce('delivery', '7');
      expect(await waiting.reply).toBe('there');
      expect(waiting.looks()).toBe(1);
    });

    it.each([
      ['it was announced before', (feed: Feed) => feed.announce('delivery', '7'), true],
      ['no announcements can arrive', (feed: Feed) => void (feed.isLive = false), true],
      ['it is older', nothing, false],
    ])('reads it at once if %s', async (_name, tell, isNew) => {
      const waiting = waitFor(new Feed(), tell, isNew);
      expect(waiting.looks()).toBe(1);
      expect(await waiting.reply).toBe('there');
    });

    it('reads it after a while, in case the announcement was lost', async () => {
      expect(await waitFor(new Feed(), nothing, true).reply).toBe('there');
    });
  });

  it('polls while no announcements can arrive', async () => {
    const feed = new Feed();
    feed.isLive = false;
    let looks = 0;
    const read = async () => (++looks === 3 ? 'there' : undefined);
    expect(await new RequestReply(feed).wait({ topic: 'peer', key: 'a', read, timeoutMs: MINUTE })).toBe(
      'there',
    );
  });
});

describe('the verdict on a message', () => {
  let test: TestDatabase;
  let feed: ChangeFeed;
  let outbox: FederationOutbox;
  beforeAll(async () => {
    test = await createTestDatabase();
    feed = new ChangeFeed(test.url);
    await feed.start();
    outbox = new FederationOutbox(test.database);
  });
  afterAll(async () => {
    await feed.stop();
    await test.drop();
  });
  beforeEach(() => outbox.clear());

  it.each([
    [
      { kind: 'delivered', reply: { recipientDisplayName: 'Bob' } } as const,
      { state: 'delivered', reply: { recipientDisplayName: 'Bob' } },
    ],
    [
      { kind: 'refused', errorClass: 'rejected', message: 'User does not exist' } as const,
      { state: 'refused', message: 'User does not exist' },
    ],
    [
      { kind: 'retry', errorClass: 'network', message: 'connection refused' } as const,
      { state: 'pending', errorClass: 'network' },
    ],
  ])('arrives as soon as a worker has it: %j', async (outcome, expected) => {
    const verdicts = new Verdicts(new OutboxRepository(test.database), feed);
    const deliveries = new DeliveryRepository(test.database, { next: () => 0 });
    const messageId = await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    const waiting = verdicts.wait(messageId!, MINUTE);
    const { messages } = await new OutboxDispatchRepository(
      test.database,
      new SecretBox(() => Buffer.alloc(32)),
    ).dispatch(MINUTE);
    const [message] = await deliveries.claim(messages, MINUTE);
    await deliveries.settle([{ message: message!, outcome }]);
    expect(await waiting).toMatchObject(expected);
  });

  it('does not come if no worker takes the request', async () => {
    const verdicts = new Verdicts(new OutboxRepository(test.database), feed);
    const messageId = await outbox.write(await outbox.addPeer('a.example'), 'share-create', 1);
    expect(await verdicts.wait(messageId!, 5)).toBeUndefined();
  });
});
