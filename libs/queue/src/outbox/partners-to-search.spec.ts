import type { Dispatched, Search } from '#persistence';
import { PartnersToSearch } from './partners-to-search';

const WALK_EVERY_MS = 1000;
const NOTHING = { messages: [], limited: [], rest: { peers: [], after: null }, moreInMs: null };

let nowMs: number;
let partners: PartnersToSearch;
beforeEach(() => {
  nowMs = 0;
  partners = new PartnersToSearch(WALK_EVERY_MS, () => nowMs);
});

/** Searches once; the outbox answers with `found`. */
async function searched(found: Partial<Dispatched> = {}): Promise<Search> {
  let asked: Search | undefined;
  await partners.search(async (search) => {
    asked = search;
    return { ...NOTHING, ...found };
  });
  return asked!;
}

it('begins with a walk along all partners, and repeats it at its interval', async () => {
  expect(await searched()).toEqual({ peers: [], after: 0 });
  expect(await searched()).toEqual({ peers: [], after: null });
  expect(partners.nextInMs()).toBe(WALK_EVERY_MS);
  nowMs = WALK_EVERY_MS;
  expect(await searched()).toEqual({ peers: [], after: 0 });
});

it('looks at named partners at once, and goes on with those that were left', async () => {
  await searched();
  partners.add([3, 4, 3]);
  expect(partners.nextInMs()).toBe(0);
  expect(await searched({ rest: { peers: [4], after: null } })).toEqual({ peers: [3, 4], after: null });
  expect(await searched()).toEqual({ peers: [4], after: null });
  expect(partners.nextInMs()).toBeGreaterThan(0);
});

it('puts partners that were left before those that were named in the meantime', async () => {
  await searched();
  partners.add([3, 4]);
  await partners.search(async () => {
    partners.add([9]);
    return { ...NOTHING, rest: { peers: [4], after: null } };
  });
  expect((await searched()).peers).toEqual([4, 9]);
});

it('goes on with a walk from where it was, and repeats a longer walk later', async () => {
  partners.add([8]);
  expect(await searched({ rest: { peers: [], after: 500 } })).toEqual({ peers: [8], after: 0 });
  expect(partners.nextInMs()).toBe(0);
  expect(await searched({ rest: { peers: [], after: 1000 } })).toEqual({ peers: [], after: 500 });
  expect(await searched()).toEqual({ peers: [], after: 1000 });
  nowMs = WALK_EVERY_MS;
  partners.addAll();
  expect(await searched()).toEqual({ peers: [], after: null });
  nowMs += partners.nextInMs();
  expect(nowMs).toBeGreaterThan(WALK_EVERY_MS);
  expect(await searched()).toEqual({ peers: [], after: 0 });
});

it('looks at a limited partner when its limit has passed', async () => {
  await searched({ limited: [{ peerId: 5, inMs: 300 }] });
  expect(partners.nextInMs()).toBe(300);
  nowMs = 299;
  expect((await searched()).peers).toEqual([]);
  nowMs = 300;
  expect((await searched()).peers).toEqual([5]);
  nowMs = 301;
  expect((await searched()).peers).toEqual([]);
});

it('walks along all partners after a failure, since it forgot the named ones', async () => {
  await searched();
  partners.add([3]);
  const failed = partners.search(() => Promise.reject(new Error('the database is away')));
  await expect(failed).rejects.toThrow('away');
  nowMs += partners.nextInMs();
  expect(nowMs).toBeLessThan(WALK_EVERY_MS);
  expect(await searched()).toEqual({ peers: [], after: 0 });
});
