import { setTimeout as pause } from 'node:timers/promises';
import { basicAuth, eventually, startDavPartner, type DavPartner, type DavShare } from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { seededRandom } from './seeded-random';
import { isFullForm } from '../../libs/testing/src/full-form';

/** The second number shows that the time grows evenly with the number of shares. */
const SHARES = isFullForm ? [50, 100] : [10];
const CHANGES = isFullForm ? 100 : 5;
const CHANGE_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 100;
const LIMIT_MS = 300_000;
const SEED = 19;
const REQUESTS_PER_SECOND = 5;
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const TIMEOUT_MS = 1_500_000;
const DAV_PATH = '/public.php/webdav';

let world: SharingWorld;
let partner: DavPartner;
const shares: DavShare[] = [];

beforeAll(async () => {
  world = await SharingWorld.start({ compatibility: 'owncloud10', env: AMONG_FAKES });
  partner = await startDavPartner();
  await world.addUser('bob');
}, TIMEOUT_MS);
afterAll(async () => {
  await world?.stop();
  await partner?.close();
}, TIMEOUT_MS);

/** The partner's server offers a folder to bob, who accepts it. */
async function receive(name: string): Promise<void> {
  const offered = partner.share(`id-of-${name}`);
  const from = `alice@${partner.url}`;
  const body = {
    ...{ name, providerId: offered.providerId, owner: from, sender: from },
    shareWith: `bob@${new URL(world.gateway.url).host}`,
    shareType: 'user',
    resourceType: 'folder',
    protocol: { name: 'webdav', options: { sharedSecret: offered.secret } },
  };
  const reply = await fetch(`${world.gateway.url}/ocm/shares`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(201);
  const { data } = await world.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' });
  await world.must('POST', `${REMOTE_SHARES}/pending/${(data as [{ id: number }])[0].id}`, { as: 'bob' });
  shares.push(offered);
}

/** ETags in bob's root: a listing there asks no partner, but says that its shares are in use. */
async function etags(): Promise<ReadonlyMap<string, string>> {
  const { body } = await world.client.send({
    method: 'PROPFIND',
    target: '/remote.php/webdav/',
    headers: { authorization: basicAuth('bob', PASSWORD), depth: '1' },
  });
  const entries = body.matchAll(/<d:href>\/remote\.php\/webdav\/(room-\d+)\/<.*?getetag>([^<]*)</gs);
  return new Map([...entries].map(([, name, etag]) => [name!, etag!]));
}

/**
 * Every second a change in one of the shares, in random order, while a client lists bob's root again and again.
 * @returns milliseconds from each change to another ETag of its share at bob
 */
async function changes(number: number): Promise<number[]> {
  const random = seededRandom(SEED + shares.length);
  const waiting = new Map<string, { readonly before: string; readonly from: number }>();
  const times: number[] = [];
  let nextAt = Date.now();
  for (let made = 0; times.length < number;) {
    const seen = await etags();
    for (const [name, { before, from }] of waiting)
      if (seen.get(name) !== before) {
        times.push(Date.now() - from);
        waiting.delete(name);
      }
    if ([...waiting.values()].some(({ from }) => Date.now() - from > LIMIT_MS))
      throw new Error('a change was not seen');
    if (made < number && Date.now() >= nextAt) {
      const index = Math.floor(random() * shares.length);
      const name = `room-${index}`;
      nextAt += CHANGE_EVERY_MS;
      if (waiting.has(name)) continue;
      const { tree } = shares[index]!;
      tree.file(`/file-${made++}.txt`, 'content');
      // As at every server, the ETag of a folder changes with its content.
      tree.folder('');
      waiting.set(name, { before: seen.get(name)!, from: Date.now() });
    }
    await pause(LOOK_EVERY_MS);
  }
  return times;
}

const ofHundred = (times: readonly number[], part: number): number =>
  [...times].sort((one, other) => one - other)[Math.ceil((times.length * part) / 100) - 1]!;

it.each(SHARES)(
  'changes at a server of another product in %i shares in use are seen here, within the budget of requests',
  async (count) => {
    while (shares.length < count) await receive(`room-${shares.length}`);
    await eventually('all shares in the tree', async () => (await etags()).size === count);
    const asked = () => partner.requests.filter(({ path }) => path.startsWith(DAV_PATH)).length;
    const [requestsBefore, from] = [asked(), Date.now()];
    const times = await changes(CHANGES);
    const perSecond = (1000 * (asked() - requestsBefore)) / (Date.now() - from);
    process.stdout.write(
      `${count} shares: another ETag after ${ofHundred(times, 50)} ms (p50), ${ofHundred(times, 95)} ms (p95); ` +
        `${perSecond.toFixed(1)} requests per second to the partner\n`,
    );
    // The first and the last round of requests may lie half outside of the measured time.
    expect(perSecond).toBeLessThan(1.2 * REQUESTS_PER_SECOND);
    if (!isFullForm) return;
    // A machine under load asks less often.
    expect(perSecond).toBeGreaterThan(REQUESTS_PER_SECOND / 2);
    // A change is seen when its share is asked next, after one round through all of them.
    const roundMs = (1000 * count) / perSecond;
    expect(ofHundred(times, 95)).toBeLessThan(1.2 * roundMs);
  },
  TIMEOUT_MS,
);
