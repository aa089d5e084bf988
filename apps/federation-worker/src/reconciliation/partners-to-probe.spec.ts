import type { Search } from '#persistence';
import { PartnersToProbe } from './partners-to-probe';

let nowMs: number;
let partners: PartnersToProbe;
beforeEach(() => {
  nowMs = 0;
  partners = new PartnersToProbe(() => nowMs);
});

/** @returns the search of one round that looks at nothing of `rest` */
async function searched(rest: Partial<Search> = {}): Promise<Search> {
  let asked: Search | undefined;
  await partners.search((search) => {
    asked = search;
    return Promise.resolve({ rest: { peers: [], after: null, ...rest } });
  });
  return asked!;
}

it('walks along all partners again and again, some steps in each round', async () => {
  expect(await searched({ after: 500 })).toEqual({ peers: [], after: 0 });
  expect(await searched({ after: 1000 })).toEqual({ peers: [], after: 500 });
  expect(await searched()).toEqual({ peers: [], after: 1000 });
  expect(await searched()).toEqual({ peers: [], after: 0 });
});

it('looks at a known partner once, when its time has come', async () => {
  partners.add(7, 1000);
  partners.add(8, 0);
  partners.add(8, 5000);
  expect((await searched()).peers).toEqual([8]);
  nowMs = 999;
  expect((await searched()).peers).toEqual([]);
  nowMs = 1000;
  expect((await searched()).peers).toEqual([7]);
  expect((await searched()).peers).toEqual([]);
});

it('keeps the order of those that it did not look at', async () => {
  partners.add(1, 100);
  partners.add(2, 50);
  nowMs = 200;
  expect(await searched({ peers: [2, 1, 9] })).toEqual({ peers: [2, 1], after: 0 });
  partners.add(3, -500);
  nowMs = 300;
  expect((await searched()).peers).toEqual([3, 2, 1, 9]);
});

it('looks again at everything after a failure', async () => {
  await searched({ after: 500 });
  partners.add(4, 0);
  await expect(partners.search(() => Promise.reject(new Error('no database')))).rejects.toThrow();
  expect(await searched()).toEqual({ peers: [4], after: 500 });
});
