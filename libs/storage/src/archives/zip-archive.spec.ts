import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { ArchiveEntry } from './archive-entry';
import { zipArchive } from './zip-archive';
import { itInFullForm } from '../../../testing/src/full-form';

const ZEROS = Buffer.alloc(16 * 1024 * 1024);
const PIECES = 260;
const mtime = new Date('2026-02-03T04:05:06Z');

const text = (name: string, content: string): ArchiveEntry => ({
  name,
  mtime,
  content: { size: Buffer.byteLength(content), body: Readable.from([Buffer.from(content)]) },
});

function* zeros(): Generator<Buffer> {
  for (let piece = 0; piece < PIECES; piece++) yield ZEROS;
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drawbridge-zip-'));
  path = join(folder, 'archive.zip');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Zeros become holes in the file. */
async function write(entries: readonly ArchiveEntry[]): Promise<void> {
  const file = openSync(path, 'w');
  let at = 0;
  for await (const bytes of zipArchive(Readable.from(entries))) {
    if (bytes !== ZEROS) writeSync(file, bytes, 0, bytes.length, at);
    at += bytes.length;
  }
  closeSync(file);
}

/** The value of an expression about the archive `z`, from Python's zipfile module. */
function read(program: string): unknown {
  const script = `import json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nprint(json.dumps(${program}))`;
  return JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' })) as unknown;
}

itInFullForm(
  'writes a ZIP archive with ZIP64 fields for a file and an offset over 4 GiB',
  async () => {
    const size = ZEROS.length * PIECES;
    const large = { name: 'large.bin', mtime, content: { size, body: Readable.from(zeros()) } };
    await write([text('ä.txt', 'first'), large, text('behind.txt', 'second')]);
    expect(
      read(
        '[[e.filename, e.file_size, e.CRC, list(e.date_time)] for e in z.infolist()] + [z.read("behind.txt").decode()]',
      ),
    ).toEqual([
      ['ä.txt', 5, crc32('first'), [2026, 2, 3, 4, 5, 6]],
      ['large.bin', size, expect.any(Number), [2026, 2, 3, 4, 5, 6]],
      ['behind.txt', 6, crc32('second'), [2026, 2, 3, 4, 5, 6]],
      'second',
    ]);
    expect(execFileSync('unzip', ['-p', path, 'behind.txt'], { encoding: 'utf8' })).toBe('second');
  },
  120_000,
);

itInFullForm(
  'writes a ZIP archive of more than 65,535 entries',
  async () => {
    await write(Array.from({ length: 70_000 }, (_, index) => ({ name: `folder-${index}`, mtime })));
    expect(read('[len(z.namelist()), z.namelist()[69999]]')).toEqual([70_000, 'folder-69999/']);
  },
  120_000,
);

it('writes an empty ZIP archive, and dates outside of the format', async () => {
  await write([]);
  expect(read('z.namelist()')).toEqual([]);
  const entry = { ...text('old', 'x'), mtime: new Date(0) };
  await write([
    entry,
    { name: 'broken', mtime: new Date(NaN) },
    { name: 'far', mtime: new Date('9000-01-01') },
  ]);
  expect(read('[list(e.date_time)[:3] for e in z.infolist()]')).toEqual([
    [1980, 1, 1],
    [1980, 1, 1],
    [2107, 12, 31],
  ]);
});

it.each([3, 7])('fails if a file does not have the %i announced bytes', async (size) => {
  const body = Readable.from([Buffer.from('12345')]);
  await expect(write([{ name: 'a', mtime, content: { size, body } }])).rejects.toThrow('another size');
  expect(body.destroyed).toBe(true);
});
