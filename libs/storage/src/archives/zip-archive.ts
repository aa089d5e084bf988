import { crc32 } from 'node:zlib';
import { bytesOf, type ArchiveEntry } from './archive-entry';

/** From this value on, sizes and offsets do not fit into the fields of the first version of the format. */
const TOO_LARGE = 0xffff_ffff;
const TOO_MANY = 0xffff;

const LOCAL_HEADER = 0x0403_4b50;
const DATA_DESCRIPTOR = 0x0807_4b50;
const CENTRAL_HEADER = 0x0201_4b50;
const ZIP64_END = 0x0606_4b50;
const ZIP64_LOCATOR = 0x0706_4b50;
const END = 0x0605_4b50;

const UTF8_NAME = 0x0800;
/** Checksum and sizes follow the content. */
const DESCRIBED_BEHIND = 0x0008;
const STORED = 0;
const VERSION = { file: 20, zip64: 45 } as const;
const MADE_ON_UNIX = 3 << 8;
const FILE_MODE = 0o100644;
const FOLDER_MODE = 0o040755;
const DOS_FOLDER = 0x10;

/** Headers are sent together when they have this number of bytes. */
const BATCH_BYTES = 64 * 1024;

/**
 * Writes a ZIP archive (APPNOTE 6.3.10) of entries as they come. Content is stored without compression. ZIP64 fields are
 * written if an entry or the archive needs them. Memory: one chunk of content, and the directory at the end of the archive.
 * @throws errors of the entries and their contents
 */
export async function* zipArchive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const part = new ZipEntry(entry, offset);
    for await (const bytes of part.bytes()) {
      offset += bytes.length;
      yield bytes;
    }
    directory.push(part.centralHeader());
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  yield* inBatches(directory);
  yield endOf(directory.length, offset, size);
}

class ZipEntry {
  private readonly name: Buffer;
  private readonly size: number;
  private checksum = 0;

  constructor(
    private readonly entry: ArchiveEntry,
    private readonly offset: number,
  ) {
    this.name = Buffer.from(entry.content ? entry.name : `${entry.name}/`);
    this.size = entry.content?.size ?? 0;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    yield this.localHeader();
    const { name, content } = this.entry;
    if (!content) return;
    for await (const chunk of bytesOf(name, content)) {
      this.checksum = crc32(chunk, this.checksum);
      yield chunk;
    }
    yield this.descriptor();
  }

  centralHeader(): Buffer {
    const large = this.isLarge ? [this.size, this.size] : [];
    const far = this.offset >= TOO_LARGE ? [this.offset] : [];
    const extra = Buffer.concat([zip64Extra([...large, ...far]), this.timeExtra()]);
    const fixed = Buffer.alloc(46);
    fixed.writeUInt32LE(CENTRAL_HEADER, 0);
    fixed.writeUInt16LE(VERSION.zip64 | MADE_ON_UNIX, 4);
    this.writeShared(fixed, 6);
    fixed.writeUInt32LE(this.checksum, 16);
    fixed.writeUInt32LE(this.isLarge ? TOO_LARGE : this.size, 20);
    fixed.writeUInt32LE(this.isLarge ? TOO_LARGE : this.size, 24);
    fixed.writeUInt16LE(this.name.length, 28);
    fixed.writeUInt16LE(extra.length, 30);
    const [mode, flag] = this.entry.content ? [FILE_MODE, 0] : [FOLDER_MODE, DOS_FOLDER];
    fixed.writeUInt32LE(((mode << 16) | flag) >>> 0, 38);
    fixed.writeUInt32LE(Math.min(this.offset, TOO_LARGE), 42);
    return Buffer.concat([fixed, this.name, extra]);
  }

  private get isLarge(): boolean {
    return this.size >= TOO_LARGE;
  }

  private localHeader(): Buffer {
    // These fields announce that the descriptor behind the content has fields of 8 bytes.
    const extra = Buffer.concat([zip64Extra(this.isLarge ? [0, 0] : []), this.timeExtra()]);
    const fixed = Buffer.alloc(30);
    fixed.writeUInt32LE(LOCAL_HEADER, 0);
    this.writeShared(fixed, 4);
    fixed.writeUInt32LE(this.isLarge ? TOO_LARGE : 0, 18);
    fixed.writeUInt32LE(this.isLarge ? TOO_LARGE : 0, 22);
    fixed.writeUInt16LE(this.name.length, 26);
    fixed.writeUInt16LE(extra.length, 28);
    return Buffer.concat([fixed, this.name, extra]);
  }

  /** The fields from the required version to the date. */
  private writeShared(header: Buffer, at: number): void {
    const { time, date } = dosTime(this.entry.mtime);
    header.writeUInt16LE(this.isLarge ? VERSION.zip64 : VERSION.file, at);
    header.writeUInt16LE(this.entry.content ? UTF8_NAME | DESCRIBED_BEHIND : UTF8_NAME, at + 2);
    header.writeUInt16LE(STORED, at + 4);
    header.writeUInt16LE(time, at + 6);
    header.writeUInt16LE(date, at + 8);
  }

  /** The time as seconds since 1970, because the older fields have no time zone. */
  private timeExtra(): Buffer {
    const seconds = Math.floor(this.entry.mtime.getTime() / 1000);
    const extra = Buffer.alloc(9);
    extra.writeUInt16LE(0x5455, 0);
    extra.writeUInt16LE(5, 2);
    extra.writeUInt8(1, 4);
    extra.writeInt32LE(Math.min(Math.max(seconds, -0x8000_0000), 0x7fff_ffff), 5);
    return extra;
  }

  private descriptor(): Buffer {
    const descriptor = Buffer.alloc(this.isLarge ? 24 : 16);
    descriptor.writeUInt32LE(DATA_DESCRIPTOR, 0);
    descriptor.writeUInt32LE(this.checksum, 4);
    if (this.isLarge) {
      descriptor.writeBigUInt64LE(BigInt(this.size), 8);
      descriptor.writeBigUInt64LE(BigInt(this.size), 16);
    } else {
      descriptor.writeUInt32LE(this.size, 8);
      descriptor.writeUInt32LE(this.size, 12);
    }
    return descriptor;
  }
}

function zip64Extra(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  return extra;
}

/** The date in the first version of the format: steps of two seconds, from 1980 to 2107, here in UTC. */
function dosTime(mtime: Date): { time: number; date: number } {
  const year = mtime.getUTCFullYear();
  if (!(year >= 1980)) return { time: 0, date: (1 << 5) | 1 };
  if (year > 2107) return { time: 0, date: (127 << 9) | (12 << 5) | 31 };
  return {
    time: (mtime.getUTCHours() << 11) | (mtime.getUTCMinutes() << 5) | (mtime.getUTCSeconds() >> 1),
    date: ((year - 1980) << 9) | ((mtime.getUTCMonth() + 1) << 5) | mtime.getUTCDate(),
  };
}

/** @param count entries @param offset start of the directory @param size bytes of the directory */
function endOf(count: number, offset: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(Math.min(count, TOO_MANY), 8);
  end.writeUInt16LE(Math.min(count, TOO_MANY), 10);
  end.writeUInt32LE(Math.min(size, TOO_LARGE), 12);
  end.writeUInt32LE(Math.min(offset, TOO_LARGE), 16);
  if (count < TOO_MANY && offset < TOO_LARGE && size < TOO_LARGE) return end;
  const zip64 = Buffer.alloc(76);
  zip64.writeUInt32LE(ZIP64_END, 0);
  zip64.writeBigUInt64LE(44n, 4);
  zip64.writeUInt16LE(VERSION.zip64 | MADE_ON_UNIX, 12);
  zip64.writeUInt16LE(VERSION.zip64, 14);
  zip64.writeBigUInt64LE(BigInt(count), 24);
  zip64.writeBigUInt64LE(BigInt(count), 32);
  zip64.writeBigUInt64LE(BigInt(size), 40);
  zip64.writeBigUInt64LE(BigInt(offset), 48);
  zip64.writeUInt32LE(ZIP64_LOCATOR, 56);
  zip64.writeBigUInt64LE(BigInt(offset + size), 64);
  zip64.writeUInt32LE(1, 72);
  return Buffer.concat([zip64, end]);
}

function* inBatches(buffers: readonly Buffer[]): Generator<Buffer> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for (const buffer of buffers) {
    batch.push(buffer);
    bytes += buffer.length;
    if (bytes < BATCH_BYTES) continue;
    yield Buffer.concat(batch);
    [batch, bytes] = [[], 0];
  }
  yield Buffer.concat(batch);
}
