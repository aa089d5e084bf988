import { createLogger } from '#platform';
import { eventually } from '../../../testing/src/waiting';
import { DeliveryPlaces } from './delivery-places';

const logger = createLogger('silent');

/** Work that ends or fails when it is told to. */
function gate() {
  let open = (): void => undefined;
  let fail = (_reason: Error): void => undefined;
  const opened = new Promise<void>((resolve, reject) => ([open, fail] = [resolve, reject]));
  return { opened, open, fail };
}

it('gives the place of an attempt that waits to the next one, up to a maximum', async () => {
  const { opened, open } = gate();
  const places = new DeliveryPlaces({ places: 1, afterMs: 10, withoutPlace: 2 }, logger);
  const [started, finished, freed]: [number[], number[], number[]] = [[], [], []];
  const runs = [1, 2, 3, 4].map((number) =>
    places
      .run(async () => {
        started.push(number);
        await opened;
        finished.push(number);
      })
      .then(() => freed.push(number)),
  );
  await eventually('the third attempt', () => started.length === 3);
  expect([freed, finished]).toEqual([[1, 2], []]);
  let isSettled = false;
  const settled = places.settled().then(() => (isSettled = true));
  await new Promise(setImmediate);
  expect([started, isSettled]).toEqual([[1, 2, 3], false]);
  open();
  await Promise.all([...runs, settled]);
  expect(finished).toEqual([1, 2, 3, 4]);
});

it('reports a failure to its caller until the place is given up, and to the log afterwards', async () => {
  const { opened, fail } = gate();
  const errors: unknown[] = [];
  const log = Object.assign(Object.create(logger) as typeof logger, {
    error: ({ err }: { err: unknown }) => errors.push(err),
  });
  const places = new DeliveryPlaces({ places: 1, afterMs: 10, withoutPlace: 1 }, log);
  await expect(places.run(() => Promise.reject(new Error('at once')))).rejects.toThrow('at once');
  await places.run(() => opened);
  fail(new Error('late'));
  await eventually('the report', () => errors.length === 1);
  expect(errors).toEqual([new Error('late')]);
  await places.run(async () => undefined);
});
