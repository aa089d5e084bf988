import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { EgressFailed, failureOf } from './egress-failed';
import type { TransportFailure } from '#federation/protocol';

/** The part of a body that was read. */
export interface BoundedBody {
  readonly text: string;
  /** Reason why it was not read to its end; null if it was. */
  readonly incomplete: TransportFailure | null;
}

/** Maximum growth of a compressed body, beyond a small size. Honest JSON grows less than 20 times. */
const MAX_RATIO = 100;
const RATIO_FREE_BYTES = 64 * 1024;

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * Reads at most `maxBytes` of a body, both before and after decompression. We ask for no compression, but
 * some servers compress anyway.
 */
export async function readBounded(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<BoundedBody> {
  const { bytes, incomplete } = await collect(body, maxBytes);
  const decode = encoding === undefined ? undefined : DECODERS[encoding.trim().toLowerCase()];
  if (!decode || bytes.length === 0) return { text: textOf(bytes), incomplete };
  if (incomplete) return { text: '', incomplete };
  try {
    const maxOutputLength = Math.min(maxBytes, Math.max(RATIO_FREE_BYTES, bytes.length * MAX_RATIO));
    return { text: textOf(await decode(bytes, { maxOutputLength })), incomplete: null };
  } catch (error) {
    const isLarge = (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    return { text: '', incomplete: isLarge ? 'too-large' : 'bad-answer' };
  }
}

const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes);

async function collect(
  body: Readable,
  maxBytes: number,
): Promise<{ bytes: Buffer; incomplete: TransportFailure | null }> {
  const chunks: Buffer[] = [];
  let [length, incomplete]: [number, TransportFailure | null] = [0, null];
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) {
        incomplete = 'too-large';
        break;
      }
    }
  } catch (error) {
    incomplete = error instanceof EgressFailed ? error.failure : (failureOf(error)?.failure ?? 'reset');
  } finally {
    body.on('error', ignore).destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), incomplete };
}

/** Ignores errors of an abandoned stream. */
const ignore = (): void => undefined;
