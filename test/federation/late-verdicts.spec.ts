import {
  eventually,
  ownCloudDocument,
  replyJson,
  startFakeServer,
  type FakeServer,
} from '../../libs/testing/src';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';

/** A slow server: it answers an offer only on command. */
class SlowPartner {
  private release: (() => void) | undefined;
  private constructor(readonly server: FakeServer) {}

  static async start(): Promise<SlowPartner> {
    const server = await startFakeServer((request, response) => {
      if (request.path === '/ocm-provider/') return replyJson(response, 200, ownCloudDocument(server.url));
      if (!request.path.endsWith('/shares')) return replyJson(response, 404, {});
      partner.release = () => replyJson(response, 400, { message: 'User bea is away for good' });
    });
    const partner = new SlowPartner(server);
    return partner;
  }

  /** Answers the offer that waits. */
  async refuse(): Promise<void> {
    (await eventually('an offer', () => this.release))();
  }
}

describe('a verdict that comes after the caller was answered', () => {
  let world: OutgoingWorld;
  let partner: SlowPartner;
  beforeAll(async () => {
    [world, partner] = await Promise.all([
      OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '50ms' }),
      SlowPartner.start(),
    ]);
  });
  afterAll(async () => {
    // Its open requests end with it; the gateway would wait for them.
    await partner.server.close();
    await world.stop();
  });

  it('keeps the share as refused, notifies its owner, and allows a new share with the recipient', async () => {
    const bea = `bea@${hostOf(partner.server)}`;
    const made = await world.offer('late.txt', bea);
    expect(recordOf(made)).toMatchObject({ delivery_state: 'pending', delivery_attempts: 0 });
    const { id } = recordOf(made);
    await partner.refuse();
    const record = await world.settled(id, { delivery_state: 'refused' });
    expect(record).toMatchObject({
      delivery_attempts: 1,
      delivery_error: 'User bea is away for good',
      delivery_next_attempt: null,
    });
    expect(await world.notifications()).toEqual([
      expect.objectContaining({
        app: 'files_sharing',
        object_type: 'federated_share',
        object_id: id,
        subject: `Your share "late.txt" was refused for ${bea}`,
        message: 'User bea is away for good',
      }),
    ]);
    const again = await world.ask('POST', '', { path: '/late.txt', shareType: '6', shareWith: bea });
    expect(again.code).toBe(100);
    expect((await world.ask('DELETE', `/${String(id)}`)).code).toBe(100);
  });
});

describe('a server that has no sharing, discovered after the caller was answered', () => {
  it('marks the share as failed with the cause, notifies its owner, and lets it be made again or deleted', async () => {
    let describes: (() => void) | undefined;
    const server = await startFakeServer((_request, response) => {
      const answer = (): void => replyJson(response, 404, {});
      if (describes === undefined) describes = answer;
      else answer();
    });
    const world = await OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '50ms' });
    try {
      const bea = `bea@${hostOf(server)}`;
      const { id, delivery_state: state } = recordOf(await world.offer('lost.txt', bea));
      expect(state).toBe('pending');
      (await eventually('the first question', () => describes))();
      const failed = await world.settled(id, { delivery_state: 'dead' });
      expect(failed).toMatchObject({
        delivery_error: 'it is no server that shares',
        delivery_next_attempt: null,
      });
      expect(await world.notifications()).toEqual([
        expect.objectContaining({
          object_id: id,
          subject: `Your share "lost.txt" could not be delivered to ${bea}`,
          message: 'it is no server that shares',
        }),
      ]);
      // The second one gets a definite answer while its caller waits, or later: both are answers to a new share.
      const again = await world.ask('POST', '', { path: '/lost.txt', shareType: '6', shareWith: bea });
      expect([100, 403]).toContain(again.code);
      expect(again.message ?? '').not.toMatch(/already/);
      expect((await world.ask('DELETE', `/${String(id)}`)).code).toBe(100);
    } finally {
      await server.close();
      await world.stop();
    }
  });
});

describe('a caller who waits', () => {
  it('holds no database connection meanwhile', async () => {
    const partner = await SlowPartner.start();
    const world = await OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '3s', DATABASE_POOL: '2' });
    let waiting: Promise<unknown>[] = [];
    try {
      await world.sharing.put('alice', '/a.txt');
      const hosts = Array.from({ length: 8 }, (_, index) => `user${index}@${hostOf(partner.server)}`);
      waiting = hosts.map((shareWith) =>
        world.ask('POST', '', { path: '/a.txt', shareType: '6', shareWith }),
      );
      await eventually(
        'the offers',
        async () => (await world.list({ path: '/a.txt' })).length === hosts.length,
      );
    } finally {
      await partner.server.close();
      await world.stop();
      await Promise.allSettled(waiting);
    }
  });
});
