import { RefusalCounter } from './refusal-counter';

/** Rows that are written for this number of attempts. */
const written = (counter: RefusalCounter, attempts: number, about = 'a'): number[] =>
  Array.from({ length: attempts }, () => counter.note('spec.try', about)).filter((times) => times > 0);

it('writes the first, and then the unwritten ones at every power of ten', () => {
  expect(written(new RefusalCounter(() => 0), 1500)).toEqual([1, 9, 90, 900]);
});

it('distinguishes attempts, and begins again with each minute', () => {
  let now = 0;
  const counter = new RefusalCounter(() => now);
  expect([written(counter, 5), written(counter, 5, 'b')]).toEqual([[1], [1]]);
  now = 60_000;
  expect(written(counter, 5)).toEqual([1]);
});

it('has a maximum, and counts the rest together', () => {
  const counter = new RefusalCounter(() => 0);
  const times = Array.from({ length: 3000 }, (_, index) => counter.note('spec.try', String(index)));
  expect(times.slice(0, 2001)).toEqual(Array(2001).fill(1));
  expect(times.slice(2001).filter((count) => count > 0)).toEqual([9, 90, 900]);
});
