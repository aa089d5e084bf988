import { Readiness } from './readiness';

describe('readiness', () => {
  it('names the parts that are not ready', async () => {
    const readiness = new Readiness();
    expect(await readiness.failing()).toEqual([]);
    readiness.add('database', () => Promise.reject(new Error('gone')));
    readiness.add('blobs', () => Promise.resolve());
    expect(await readiness.failing()).toEqual(['database']);
  });

  it('ends for good with the first sign of a stop', async () => {
    const readiness = new Readiness();
    readiness.add('database', () => Promise.resolve());
    readiness.drain();
    expect(await readiness.failing()).toEqual(['draining']);
  });
});
