import { eventually, startDavPartner, type DavPartner, type DavShare } from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { AMONG_FAKES } from '../federation/outgoing-world';

const isFull = process.env.LONG_RUNS === 'full';
/** The second number shows that the time grows evenly with the number of shares. */
const SHARES = isFull ? [50, 100] : [10];
const CHANGES = isFull ? 40 : 5;
/** The time from a change at the partner to another ETag here, per share in use, at five requests per second. */
const MOST_MS_PER_SHARE = 200;
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

/** One change in one of the shares, while a client looks at bob's root again and again. @returns milliseconds */
async function change(number: number): Promise<number> {
  const before = await world.etag('bob', '/');
  const { tree } = shares[number % shares.length]!;
  tree.file(`/file-${number}.txt`, 'content');
  // As at every server, the ETag of a folder changes with its content.
  tree.folder('');
  const from = Date.now();
  await eventually('the change at the recipient', async () => (await world.etag('bob', '/')) !== before);
  return Date.now() - from;
}

const ofHundred = (times: readonly number[], part: number): number =>
  [...times].sort((one, other) => one - other)[Math.ceil((times.length * part) / 100) - 1]!;

it.each(SHARES)(
  'changes at a server of another product in %i shares in use are seen here, within the budget of requests',
  async (count) => {
    while (shares.length < count) await receive(`room-${shares.length}`);
    for (let share = 0; share < count; share += 1) await world.etag('bob', `/room-${share}`);
    const asked = () => partner.requests.filter(({ path }) => path.startsWith(DAV_PATH)).length;
    const [requestsBefore, from] = [asked(), Date.now()];
    const times: number[] = [];
    for (let number = 0; number < CHANGES; number += 1) times.push(await change(number));
    const perSecond = (1000 * (asked() - requestsBefore)) / (Date.now() - from);
    process.stdout.write(
      `${count} shares: another ETag after ${ofHundred(times, 50)} ms (p50), ${ofHundred(times, 95)} ms (p95); ` +
        `${perSecond.toFixed(1)} requests per second to the partner\n`,
    );
    // Each change is also followed by requests for the folder that changed.
    expect(perSecond).toBeLessThan(2 * REQUESTS_PER_SECOND);
    if (isFull) expect(ofHundred(times, 95)).toBeLessThan(count * MOST_MS_PER_SHARE);
  },
  TIMEOUT_MS,
);
