import { eventually } from '#testing';
import { DistantOrganisation } from './distant-organisation';
import { hurry } from './faults';
import { NetworkLink } from './network-link';
import { seededRandom } from './seeded-random';
import { isRight, openMessages, readEnds, rightEnds } from './share-ends';
import { ShareStories } from './share-stories';
import { wrongMessages } from './wrong-messages';
import { isFullForm } from '../../libs/testing/src/full-form';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name}${at}`);
const FILES = numbered('/file-', isFullForm ? 28 : 7);
const UIDS = numbered('bea', isFullForm ? 5 : 3);
const LIMIT_MS = 240_000;
/** A message that is being sent when the link is cut ends at a time limit. */
const NOTICE_LIMIT_MS = 60_000;

const KNOWN = 'SELECT FROM peer WHERE profile IS NOT NULL';
const FAILED = `SELECT FROM delivery_attempt WHERE outcome NOT IN ('delivered', 'already-gone', 'refused')`;
const COUNTS = `SELECT count(*)::int AS messages, sum(round)::int AS rounds FROM outbox_message WHERE state = 'delivered'`;

jest.setTimeout(LIMIT_MS);

const hindrance = NetworkLink.hindrance();
const title = `two instances in networks of their own${hindrance ? ` (skipped: ${hindrance})` : ''}`;

(hindrance ? describe.skip : describe)(title, () => {
  const random = seededRandom(seed);
  let link: NetworkLink;
  let owner: DistantOrganisation;
  let recipients: DistantOrganisation;
  let stories: ShareStories;
  let lost = 0;

  beforeAll(async () => {
    link = NetworkLink.open();
    [owner, recipients] = await Promise.all([
      DistantOrganisation.found(link.ends[0], async (world) => {
        await world.addUser('alice');
        for (const file of FILES) await world.put('alice', file);
      }),
      DistantOrganisation.found(link.ends[1], async (world) => {
        for (const uid of UIDS) await world.addUser(uid);
      }),
    ]);
    await owner.outbox.addPeer(recipients.host, { concurrency: 8 });
    await recipients.outbox.addPeer(owner.host, { concurrency: 8 });
    stories = new ShareStories({ owner, recipients, files: FILES, uids: UIDS, random });
  });
  afterAll(async () => {
    await Promise.all([owner?.close(), recipients?.close()]);
    link?.close();
  });

  it('bring every share to its end over a slow, lossy and interrupted link', async () => {
    const ending = new AbortController();
    const going = Promise.all([stories.goOn(ending.signal), hurry([owner, recipients], ending.signal)]);
    try {
      await stories.tell(1);
      await eventually('the first contact', async () => (await owner.outbox.query(KNOWN)).length > 0);
      await overNarrow();
      await overLossy();
      await overCut();
      await eventually('the end of all stories', isOver, LIMIT_MS / 2);
    } finally {
      ending.abort();
      await going;
    }
  });

  const quarter = (): number => Math.ceil(stories.size / 4);

  async function overNarrow(): Promise<void> {
    link.narrow();
    await stories.tell(quarter());
    await quiet();
    lost += link.lost();
    link.clear();
  }

  async function overLossy(): Promise<void> {
    const [ending, lossy] = [new AbortController(), seededRandom(seed + 1)];
    const losing = link.lose(lossy, ending.signal);
    await stories.tell(quarter());
    await quiet();
    ending.abort();
    await losing;
  }

  /** Cuts the link once before the shares are made, and once during their transfer. */
  async function overCut(): Promise<void> {
    const failed = (await owner.outbox.query(FAILED)).length;
    link.cut();
    await stories.tell(quarter());
    const isNoticed = async (): Promise<boolean> => (await owner.outbox.query(FAILED)).length > failed;
    await eventually('an attempt to fail', isNoticed, NOTICE_LIMIT_MS);
    lost += link.lost();
    link.clear();
    const telling = stories.tell(stories.size);
    await eventually('a message on its way', async () => (await openMessages(owner, recipients)) > 0);
    link.cut();
    await telling;
    link.clear();
  }

  /** Recipients may still decide afterwards. */
  const quiet = (): Promise<boolean> =>
    eventually('the arrival of messages', async () => (await openMessages(owner)) === 0, NOTICE_LIMIT_MS);

  async function isOver(): Promise<boolean> {
    if ((await openMessages(owner, recipients)) > 0) return false;
    const ends = await readEnds(owner, recipients);
    return [...stories.stories.values()].every((story) => isRight(story, ends(story.id)));
  }

  it('have lost packets', () => {
    expect(lost).toBeGreaterThan(0);
  });

  it('have each share at its recipient once, in the right state', async () => {
    expect(stories.stories.size).toBe(stories.size);
    const ends = await readEnds(owner, recipients);
    const wrong = [...stories.stories.values()].filter((story) => !isRight(story, ends(story.id)));
    expect(wrong.map((story) => [story, ends(story.id), rightEnds(story)])).toEqual([]);
  });

  it('delivered every message once, in order for each share', async () => {
    for (const { outbox } of [owner, recipients])
      expect(await wrongMessages(outbox, stories.stories)).toEqual([]);
    process.stderr.write(`${await account()}\n`);
  });

  async function account(): Promise<string> {
    const counts = await Promise.all(
      [owner, recipients].map(({ outbox }) => outbox.query<{ messages: number; rounds: number }>(COUNTS)),
    );
    const total = (name: 'messages' | 'rounds'): number => counts.reduce((sum, [row]) => sum + row![name], 0);
    return (
      `namespaces: ${stories.size} shares, ${total('messages')} messages delivered, handed to a worker ${total('rounds')} times, ` +
      `${lost} packets lost where the link was narrow or cut (those of its gaps are not counted); SEED=${seed}`
    );
  }
});
