import { Readable } from 'node:stream';
import { RemoteFailure } from '#federation/remote-files';
import type { ByteRange } from '#sharing';
import { resumedDownload } from './resumed-download';

const MEGABYTE = 1024 * 1024;
const SIZE = 5 * MEGABYTE;
const CONTENT = Buffer.alloc(SIZE, 'content ');

/** A part of the content that breaks after so many bytes. */
function breaking(start: number, bytes: number): Readable {
  function* pieces(): Generator<Buffer> {
    yield CONTENT.subarray(start, Math.min(start + bytes, SIZE));
    if (start + bytes < SIZE) throw new RemoteFailure('unreachable', 'partner.example.org', 'cut');
  }
  return Readable.from(pieces(), { objectMode: false });
}

describe('a content whose connection breaks', () => {
  let asked: number[] = [];
  beforeEach(() => (asked = []));

  /** Reads the content from a partner that breaks each answer after so many bytes. */
  async function read(bytes: number, pausesMs: number[]): Promise<Buffer> {
    const ask = ({ start }: ByteRange): Promise<Readable> => {
      asked.push(start);
      return Promise.resolve(breaking(start, bytes));
    };
    const rest = { ask, range: { start: 0, end: SIZE - 1 }, pausesMs };
    return Buffer.concat(await resumedDownload(breaking(0, bytes), rest).toArray());
  }

  it('continues at once after a megabyte, which uses up no pause', async () => {
    expect((await read(MEGABYTE, [])).equals(CONTENT)).toBe(true);
    expect(asked).toEqual([1, 2, 3, 4].map((count) => count * MEGABYTE));
  });

  it('continues after a pause if there was less, as often as it takes', async () => {
    expect((await read(MEGABYTE / 2, [1])).equals(CONTENT)).toBe(true);
    expect(asked).toHaveLength(9);
  });

  it('fails without a pause that is left', async () => {
    await expect(read(MEGABYTE - 1, [])).rejects.toThrow(RemoteFailure);
    expect(asked).toEqual([]);
  });

  it('uses up the pauses if hardly anything arrives', async () => {
    await expect(read(1000, [1, 1, 1])).rejects.toThrow(RemoteFailure);
    expect(asked).toEqual([1000, 2000, 3000]);
  });
});
