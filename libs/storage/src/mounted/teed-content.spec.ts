import { PassThrough, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { teedContent } from './teed-content';

const LARGE = Buffer.alloc(300_000, 'drawbridge ');
const pieces = (): Readable =>
  Readable.from([LARGE.subarray(0, 100_000), LARGE.subarray(100_000, 200_000), LARGE.subarray(200_000)]);

let copy: PassThrough;
beforeEach(() => {
  copy = new PassThrough();
  copy.on('error', () => undefined);
});

it('gives the same bytes to its reader and to the copy', async () => {
  const passed = teedContent(pieces(), copy);
  const [read, copied] = await Promise.all([buffer(passed), buffer(copy)]);
  expect([read.equals(LARGE), copied.equals(LARGE)]).toEqual([true, true]);
});

it('waits for a copy that is slow', async () => {
  const passed = teedContent(pieces(), copy);
  let read = 0;
  passed.on('data', (chunk: Buffer) => (read += chunk.length));
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  // The first piece is larger than the copy's buffer; the content continues after the copy was read.
  expect(read).toBe(0);
  copy.resume();
  await finished(passed);
  expect(read).toBe(LARGE.length);
});

it('continues without a copy that failed', async () => {
  const passed = teedContent(pieces(), copy);
  copy.destroy(new Error('the disk is full'));
  expect((await buffer(passed)).equals(LARGE)).toBe(true);
});

it('fails, together with the copy, if the content fails', async () => {
  const content = new PassThrough();
  const passed = teedContent(content, copy);
  content.write('begun');
  setImmediate(() => content.destroy(new Error('the partner is gone')));
  await expect(text(passed)).rejects.toThrow('the partner is gone');
  expect(copy.errored).toBeInstanceOf(Error);
});

it('ends the copy and releases the content if no reader has begun', async () => {
  const content = pieces();
  const passed = teedContent(content, copy);
  passed.destroy();
  await expect(finished(copy)).rejects.toThrow('not read to its end');
  expect(content.destroyed).toBe(true);
});

it('fails for its reader if the content had failed before', async () => {
  const content = new PassThrough();
  const passed = teedContent(content, copy);
  content.destroy(new Error('the partner is gone'));
  await new Promise(setImmediate);
  await expect(text(passed)).rejects.toThrow('the partner is gone');
  expect(copy.destroyed).toBe(true);
});
