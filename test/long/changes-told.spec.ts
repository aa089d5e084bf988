import { eventually } from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { PushClient } from '../edge/push-client';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { isFullForm } from '../../libs/testing/src/full-form';

const CHANGES = isFullForm ? 100 : 5;
/** The time from the answer to the owner's PUT until the recipient's root has another ETag, for 95 of 100 changes. */
const MOST_MS = 2000;
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const TIMEOUT_MS = 600_000;

let owner: SharingWorld;
let recipient: SharingWorld;
let client: PushClient;

beforeAll(async () => {
  const world = () =>
    SharingWorld.start({ compatibility: 'owncloud10', env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' } });
  [owner, recipient] = [await world(), await world()];
  await owner.addUser('alice');
  await recipient.addUser('bob');
  await owner.makeFolder('alice', '/room');
  const shareWith = `bob@${new URL(recipient.gateway.url).host}`;
  await owner.share('alice', { path: '/room', shareType: '6', shareWith, permissions: '31' });
  const pending = await recipient.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' });
  const [offer] = pending.data as { id: number }[];
  await recipient.must('POST', `${REMOTE_SHARES}/pending/${offer!.id}`, { as: 'bob' });
  await eventually('the share at its place', async () => (await recipient.etag('bob', '/room')) !== '');
  client = await PushClient.open(recipient.gateway.url, 'bob', PASSWORD);
}, TIMEOUT_MS);
afterAll(async () => {
  client?.close();
  await recipient?.stop();
  await owner?.stop();
}, TIMEOUT_MS);

/** @returns milliseconds from the change to another ETag of the root, and to the event at the client */
async function change(number: number): Promise<{ seenMs: number; notifiedMs: number }> {
  const before = await recipient.etag('bob', '/');
  client.heard.length = 0;
  await owner.put('alice', `/room/file-${number}.txt`);
  const writtenAt = Date.now();
  let seenMs: number | undefined;
  let notifiedMs: number | undefined;
  await eventually('the change at the recipient', async () => {
    if (seenMs === undefined && (await recipient.etag('bob', '/')) !== before)
      seenMs = Date.now() - writtenAt;
    if (client.heard.includes('notify_file')) notifiedMs ??= Date.now() - writtenAt;
    return seenMs !== undefined && notifiedMs !== undefined;
  });
  return { seenMs: seenMs!, notifiedMs: notifiedMs! };
}

const ofHundred = (times: readonly number[], part: number): number =>
  [...times].sort((one, other) => one - other)[Math.ceil((times.length * part) / 100) - 1]!;

it(
  'a change at the owner changes the ETag at the recipient’s root, and the clients get an event',
  async () => {
    const changes = [];
    for (let number = 0; number < CHANGES; number += 1) changes.push(await change(number));
    expect(await recipient.read('bob', `/room/file-${CHANGES - 1}.txt`)).toBe('content');
    const [seen, told] = [changes.map(({ seenMs }) => seenMs), changes.map(({ notifiedMs }) => notifiedMs)];
    process.stdout.write(
      `${CHANGES} changes: another ETag after ${ofHundred(seen, 50)} ms (p50), ${ofHundred(seen, 95)} ms (p95); ` +
        `clients told after ${ofHundred(told, 50)} ms (p50), ${ofHundred(told, 95)} ms (p95)\n`,
    );
    if (isFullForm) expect(ofHundred(seen, 95)).toBeLessThan(MOST_MS);
  },
  TIMEOUT_MS,
);
