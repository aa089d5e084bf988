import type { BackendMessage, DataRowMessage } from 'pg-protocol/dist/messages';
import { Parser } from 'pg-protocol/dist/parser';
import { RowParser } from './driver-client';

/** The message `DataRow` of the protocol of Postgres: its code, its length, the number of values, and each value after its length. */
function dataRow(values: readonly (string | null)[]): Buffer {
  const parts = values.map((value) => {
    const bytes = Buffer.from(value ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : bytes.length);
    return Buffer.concat([length, bytes]);
  });
  const head = Buffer.alloc(7);
  head.write('D');
  head.writeInt32BE(6 + Buffer.concat(parts).length, 1);
  head.writeInt16BE(values.length, 5);
  return Buffer.concat([head, ...parts]);
}

type Reader = Pick<Parser, 'parse'>;

/** The rows that a parser reads from the chunks of a stream. */
function rowsBy(parser: Reader, chunks: readonly Buffer[]): DataRowMessage[] {
  const messages: BackendMessage[] = [];
  for (const chunk of chunks) parser.parse(Buffer.from(chunk), (message) => messages.push(message));
  return messages as DataRowMessage[];
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

const ROWS: readonly (readonly (string | null)[])[] = [
  ['1', 'einstein', '/Photos/Paris.jpg', null, 't'],
  [],
  [null, null],
  ['', null, ''],
  ['Grüße', 'plain', '𝄞', 'e\u0301', '日本語.txt', 'plain again'],
  ['\u0000\u007f', '\u0080', '\u00ff'],
  // The longest text that is copied, and the shortest that is not.
  ['x'.repeat(12), 'x'.repeat(13), 'ü'.repeat(6), 'ü'.repeat(7)],
  ['x'.repeat(127), 'x'.repeat(128), 'x'.repeat(255), 'x'.repeat(256)],
  Array.from({ length: 300 }, (_, place) => (place % 3 === 0 ? null : 'a')),
  // Just within the longest row that is read from one text, and just beyond it.
  ['x'.repeat(1014)],
  ['x'.repeat(1015)],
  ['ü'.repeat(507)],
  ['x'.repeat(70_000), 'ü'],
];

describe('RowParser', () => {
  const bytes = Buffer.concat(ROWS.map(dataRow));

  it('reads the texts of short and long rows, NULLs, and texts that are not ASCII', () => {
    expect(rowsBy(new RowParser(), [bytes]).map(({ fields }) => fields)).toEqual(ROWS);
  });

  it.each([1, 7, 64, 4096])('reads the same messages as the driver from chunks of %s bytes', (size) => {
    const chunks = chunksOf(bytes, size);
    expect(rowsBy(new RowParser(), chunks)).toEqual(rowsBy(new Parser(), chunks));
  });

  it('reads other messages as the driver does', () => {
    const failure = Buffer.from('E\0\0\0\x15SERROR\0C40P01\0\0\0', 'latin1');
    failure.writeInt32BE(failure.length - 1, 1);
    const [message] = rowsBy(new RowParser(), [failure]);
    expect(message).toMatchObject({ name: 'error', severity: 'ERROR', code: '40P01' });
  });

  /** The messages of chunks that arrive one after the other at the same place. */
  function readInPlace(chunks: readonly Buffer[]): BackendMessage[] {
    const place = Buffer.alloc(Math.max(...chunks.map(({ length }) => length)));
    const parser = new RowParser();
    const messages: BackendMessage[] = [];
    for (const chunk of chunks) {
      chunk.copy(place);
      parser.parseOnce(place.subarray(0, chunk.length), (message) => messages.push(message));
      place.fill(1);
    }
    return messages;
  }

  it.each([1, 7, 64, 4096, bytes.length])(
    'reads the same messages from chunks of %s bytes that arrive at the same place',
    (size) => {
      const chunks = chunksOf(bytes, size);
      expect(readInPlace(chunks)).toEqual(rowsBy(new Parser(), chunks));
    },
  );

  it('keeps the salt of a sign-in although its bytes change', () => {
    const [message] = readInPlace([Buffer.from('R\0\0\0\x0C\0\0\0\x05salt', 'latin1')]);
    expect(message).toMatchObject({ name: 'authenticationMD5Password', salt: Buffer.from('salt') });
  });
});
