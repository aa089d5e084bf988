import { covers } from './replayed-position';

it.each([
  ['nothing known', undefined, false],
  ['behind', { timeline: 2, bytes: 99 }, false],
  ['as far', { timeline: 2, bytes: 100 }, true],
  ['further', { timeline: 2, bytes: 101 }, true],
  ['further, in the timeline before a failover', { timeline: 1, bytes: 101 }, false],
])('of a standby covers that of the primary: %s', (_, replayed, expected) => {
  expect(covers(replayed, { timeline: 2, bytes: 100 })).toBe(expected);
});
