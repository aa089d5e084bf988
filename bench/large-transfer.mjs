// Transfers one file of 1 GB up or down as a stream, because no load generator can hold such a body.
import { once } from 'node:events';
import { request as ask } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Readable, Writable } from 'node:stream';

/** A name and a size in bytes. */
export const LARGE = { name: 'large.bin', bytes: 1024 ** 3 };
const PIECE = Buffer.alloc(256 * 1024, 'bench ');

/** The content of the large file. */
export function* largeContent() {
  for (let sent = 0; sent < LARGE.bytes; sent += PIECE.length) yield PIECE;
}

/** @throws Error if the answer is not 2xx, or is shorter than the file */
export async function transferLarge(server, { method, path, headers }) {
  const isUpload = method === 'PUT';
  const sized = isUpload ? { ...headers, 'content-length': LARGE.bytes } : headers;
  const sending = ask(server.url + path, { method, headers: sized, agent: false });
  const answered = once(sending, 'response');
  // A refusal arrives during the upload, which then ends with an error.
  const body = pipeline(Readable.from(isUpload ? largeContent() : [], { objectMode: false }), sending);
  const [[reply]] = await Promise.all([answered, body]);
  let received = 0;
  const count = (chunk, _encoding, done) => {
    received += chunk.length;
    done();
  };
  await pipeline(reply, new Writable({ write: count }));
  if (reply.statusCode < 200 || reply.statusCode > 299)
    throw new Error(`${method} ${server.url}${path}: HTTP ${reply.statusCode}`);
  if (!isUpload && received !== LARGE.bytes)
    throw new Error(`${received} of ${LARGE.bytes} bytes of ${path}`);
}
