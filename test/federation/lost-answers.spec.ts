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

/** Kinds of the messages about a share that are not finished. */
async function open(shareId: unknown): Promise<string[]> {
  const rows = await world.query<{ kind: string }>(
    `SELECT kind FROM outbox_message WHERE subject_id = ${Number(shareId)} AND state IN ('pending', 'queued', 'inflight') ORDER BY id`,
  );
  return rows.map(({ kind }) => kind);
}

describe('an offer whose answer was lost', () => {
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
