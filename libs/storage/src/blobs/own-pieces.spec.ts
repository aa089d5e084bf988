import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { OPERATOR_PERMIT } from '#sharing';
import { DiskBlobStore } from './disk-blob-store';
import { withOwnPieces } from './own-pieces';

const PIECE = 64 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'drawbridge-own-pieces-'));
afterAll(() => rmSync(directory, { recursive: true }));

const somePieces = (): Buffer[] => Array.from({ length: 9 }, () => randomBytes(PIECE));

async function stored(content: Readable): Promise<Buffer> {
  const store = await DiskBlobStore.open(directory);
  const { blobKey } = await store.write(content);
  return buffer(await store.read(blobKey, undefined, OPERATOR_PERMIT));
}

describe('the pieces of a content that is stored', () => {
  it('are freed when they are written, if nothing else refers to them', async () => {
    const pieces = somePieces();
    const whole = Buffer.concat(pieces);
    expect((await stored(withOwnPieces(Readable.from(pieces)))).equals(whole)).toBe(true);
    expect(pieces.map((piece) => piece.length)).toEqual(pieces.map(() => 0));
  });

  it('stay if others may refer to them', async () => {
    const pieces = somePieces();
    const whole = Buffer.concat(pieces);
    expect((await stored(Readable.from(pieces))).equals(whole)).toBe(true);
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  });

  it('stay if they are parts of one buffer', async () => {
    const whole = randomBytes(9 * PIECE);
    const copy = Buffer.from(whole);
    const parts = Array.from({ length: 9 }, (_, at) => whole.subarray(at * PIECE, (at + 1) * PIECE));
    expect((await stored(withOwnPieces(Readable.from(parts)))).equals(copy)).toBe(true);
    expect(whole.equals(copy)).toBe(true);
  });

  it('are freed if they are the body of a request', async () => {
    const content = randomBytes(20 * PIECE);
    const pieces: Buffer[] = [];
    const server = createServer((call, response) => {
      const read = call[Symbol.asyncIterator].bind(call);
      call[Symbol.asyncIterator] = async function* recorded(): NodeJS.AsyncIterator<Buffer> {
        for await (const piece of { [Symbol.asyncIterator]: read }) {
          pieces.push(piece as Buffer);
          yield piece as Buffer;
        }
      };
      void stored(call).then((bytes) => response.end(bytes));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const call = request({ port, method: 'PUT' }).end(content);
    const [reply] = (await once(call, 'response')) as [IncomingMessage];
    expect((await buffer(reply)).equals(content)).toBe(true);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.map((piece) => piece.length)).toEqual(pieces.map(() => 0));
    server.close();
  });
});
