import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { DiskContent } from './disk-content';
import { SendBuffers } from './send-buffers';

const SMALL = 64 * 1024;
const LARGE = 512 * 1024;
const directory = mkdtempSync(join(tmpdir(), 'drawbridge-disk-content-'));
const path = join(directory, 'file');
const bytes = randomBytes(3 * LARGE + 12_345);
writeFileSync(path, bytes);

const buffers = new SendBuffers();
const openContent = async (start = 0, length = bytes.length - start): Promise<DiskContent> =>
  new DiskContent(await open(path, 'r'), start, length, buffers);

const sent: DiskContent[] = [];
const answers: { readonly response: ServerResponse; readonly closed: Promise<unknown> }[] = [];
/** Sends the part of the file that a request names as `/START/LENGTH`. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [start, length] = request.url!.slice(1).split('/').map(Number);
  const content = await openContent(start, length);
  sent.push(content);
  answers.push({ response, closed: once(response, 'close') });
  content.on('error', () => response.destroy());
  response.setHeader('content-length', length!);
  content.pipe(response);
}

const server = createServer((request, response) => void answer(request, response));

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

async function ask(start: number, length: number): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [reply] = await once(get(`http://127.0.0.1:${port}/${start}/${length}`), 'response');
  return reply as IncomingMessage;
}

/** Reads slowly enough that the connection is full most of the time. */
async function readSlowly(reply: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of reply) {
    pieces.push(piece as Buffer);
    await pause(1);
  }
  return Buffer.concat(pieces);
}

describe('the content of a file on the disk', () => {
  it.each([0, 1, SMALL, LARGE - 1, LARGE, LARGE + 1, bytes.length])(
    'is sent from its buffer: %i bytes',
    async (length) => {
      expect((await buffer(await ask(0, length))).equals(bytes.subarray(0, length))).toBe(true);
    },
  );

  it('is the same for slow and fast readers at once, in whole and in part', async () => {
    const starts = Array.from({ length: 24 }, (_, at) => at * 777);
    const read = await Promise.all(
      starts.map(async (start, at) => {
        const reply = await ask(start, bytes.length - start);
        return at % 2 === 0 ? readSlowly(reply) : buffer(reply);
      }),
    );
    expect(read.every((part, at) => part.equals(bytes.subarray(starts[at])))).toBe(true);
  });

  it('is closed if the client goes away at any time, and its buffer is not used again', async () => {
    sent.length = 0;
    for (let pieces = 0; pieces < 40; pieces++) {
      const reply = await ask(0, bytes.length);
      for (let read = 0; read < pieces; read++) reply.read();
      reply.destroy();
    }
    for (const content of sent) if (!content.closed) await once(content, 'close');
    expect(sent).toHaveLength(40);
    const [kept, taken] = [buffers.lend(), buffers.lend()];
    expect(kept).not.toBe(taken);
    for (const one of [kept, taken]) buffers.takeBack(one);
  });

  it('is closed if the client went away before', async () => {
    const reply = await ask(0, bytes.length);
    const { closed } = answers.at(-1)!;
    reply.destroy();
    await closed;
    const content = await openContent();
    content.pipe(answers.at(-1)!.response);
    if (!content.closed) await once(content, 'close');
    expect(content.readableEnded).toBe(false);
  });

  it('takes no buffer after it was destroyed', async () => {
    const own = new SendBuffers();
    for (let at = 0; at < 64; at++) {
      const content = new DiskContent(await open(path, 'r'), 0, bytes.length, own).destroy();
      content.pipe(answers.at(-1)!.response);
    }
    expect(own.lend().length).toBe(LARGE);
  });

  it('ends the connection if bytes are missing on the disk', async () => {
    const reply = await ask(bytes.length - 10, 11);
    await expect(buffer(reply)).rejects.toThrow('aborted');
  });

  it('gives pieces of their own to other readers', async () => {
    expect((await buffer(await openContent(5))).equals(bytes.subarray(5))).toBe(true);
    const through = (await openContent()).pipe(new PassThrough({ highWaterMark: bytes.length }));
    expect((await buffer(through)).equals(bytes)).toBe(true);
  });

  it('is read up to the end of its file if its length is not known', async () => {
    const content = await openContent(100, Infinity);
    expect((await buffer(content)).equals(bytes.subarray(100))).toBe(true);
  });

  it('fails if its file cannot be read', async () => {
    const file = await open(directory, 'r');
    await expect(buffer(new DiskContent(file, 0, 10, buffers))).rejects.toThrow('EISDIR');
  });
});

describe('the buffers of responses', () => {
  it('are large for 64 responses at once, and small for more', () => {
    const some = new SendBuffers();
    const lent = Array.from({ length: 65 }, () => some.lend());
    expect([lent[63]!.length, lent[64]!.length]).toEqual([LARGE, SMALL]);
    some.takeBack(lent[64]!);
    some.lose();
    expect(some.lend().length).toBe(LARGE);
  });

  it('are used again if they were given back, but not if they were lost', () => {
    const some = new SendBuffers();
    const first = some.lend();
    some.takeBack(first);
    expect(some.lend()).toBe(first);
    some.lose();
    expect(some.lend()).not.toBe(first);
  });
});
