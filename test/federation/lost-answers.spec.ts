import type { ServerResponse } from 'node:http';
import {
  eventually,
  ownCloudDocument,
  replyJson,
  startFakeServer,
  type FakeServer,
} from '../../libs/testing/src';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';

interface Offer {
  readonly providerId: string;
  readonly sharedSecret: string;
}

/** An ownCloud that takes each offer, and whose answer to it is decided by the test. */
class Taker {
  readonly offers: Offer[] = [];
  readonly notices: unknown[] = [];
  private constructor(readonly server: FakeServer) {}

  static async start(answer: (offer: Offer, response: ServerResponse) => void): Promise<Taker> {
    const server = await startFakeServer(({ path, body }, response) => {
      if (path === '/ocm-provider/') return replyJson(response, 200, ownCloudDocument(server.url));
      if (path.endsWith('/shares')) {
        const { providerId, protocol } = JSON.parse(body) as {
          providerId: string;
          protocol: { options: { sharedSecret: string } };
        };
        const offer = { providerId, sharedSecret: protocol.options.sharedSecret };
        taker.offers.push(offer);
        return answer(offer, response);
      }
      if (!path.endsWith('/notifications')) return replyJson(response, 404, {});
      taker.notices.push((JSON.parse(body) as { notificationType: string }).notificationType);
      return replyJson(response, 201, {});
    });
    const taker = new Taker(server);
    return taker;
  }
}

let world: OutgoingWorld;
const takers: Taker[] = [];
beforeAll(async () => {
  world = await OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '50ms' });
});
afterAll(async () => {
  await Promise.all(takers.map(({ server }) => server.close()));
  await world.stop();
});

async function taker(...answer: Parameters<typeof Taker.start>): Promise<Taker> {
  const started = await Taker.start(...answer);
  takers.push(started);
  return started;
}

const cut = (_offer: Offer, response: ServerResponse): void => void response.socket?.destroy();

/** The message of the recipient's server about an offer. */
async function say(notificationType: string, { providerId, sharedSecret }: Offer): Promise<number> {
  const notification = { sharedSecret, message: 'said' };
  const reply = await fetch(`${world.sharing.gateway.url}/ocm/notifications`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notificationType, resourceType: 'file', providerId, notification }),
  });
  return reply.status;
}

/** Kinds of the messages about a share that are not finished. */
async function open(shareId: unknown): Promise<string[]> {
  const rows = await world.query<{ kind: string }>(
    `SELECT kind FROM outbox_message WHERE subject_id = ${Number(shareId)} AND state IN ('pending', 'queued', 'inflight') ORDER BY id`,
  );
  return rows.map(({ kind }) => kind);
}

describe('an offer whose answer was lost', () => {
  const delivered = { delivery_state: 'delivered', delivery_error: null, delivery_next_attempt: null };

  it('is not made again after its recipient accepted it', async () => {
    const bea = await taker(cut);
    const { id } = recordOf(await world.offer('later.txt', `bea@${hostOf(bea.server)}`));
    await world.settled(id, { delivery_state: 'retrying' });
    expect(await say('SHARE_ACCEPTED', bea.offers[0]!)).toBe(201);
    expect(await world.settled(id, delivered)).toMatchObject({ acceptance: 'accepted' });
    expect(await open(id)).toEqual([]);
    expect(bea.offers).toHaveLength(1);
  });

  it('is not made again if its recipient accepted it before the answer was lost', async () => {
    const bea = await taker((offer, response) => {
      void say('SHARE_ACCEPTED', offer).then(() => cut(offer, response));
    });
    const { id } = recordOf(await world.offer('at-once.txt', `bea@${hostOf(bea.server)}`));
    expect(await world.settled(id, delivered)).toMatchObject({ acceptance: 'accepted' });
    expect(await open(id)).toEqual([]);
    expect(bea.offers).toHaveLength(1);
  });

  it('is not made again if its owner ended the share before the answer was lost', async () => {
    const held: ServerResponse[] = [];
    const bea = await taker((_offer, response) => void held.push(response));
    const { id } = recordOf(await world.offer('ended.txt', `bea@${hostOf(bea.server)}`));
    await eventually('the offer', () => bea.offers.length > 0);
    expect((await world.ask('DELETE', `/${String(id)}`)).code).toBe(100);
    await eventually('the message about the end', async () => (await open(id)).includes('share-unshare'));
    held[0]!.socket?.destroy();
    await eventually('the end of the share', async () => {
      await world.letTimePass();
      return bea.notices.length > 0;
    });
    expect([bea.offers.length, bea.notices]).toEqual([1, ['SHARE_UNSHARED']]);
  });
});
