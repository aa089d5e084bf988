import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/table';
import { isAnonymousPath } from '../path-table';
import { pathOfTarget } from './canonical-target';
import { HeldBytes, type HeldBody } from './held-bytes';
import { bodyLimitOf, RequestRefused } from './request-bounds';
import { Unavailable } from './unavailable';
import type { UnreadRequests } from './unread-requests';

/** Paths whose bodies are file content, including forms on pages of links: handlers read them as a stream, and they are never collected. */
const STREAMED_PATHS =
  /^\/(?:(?:remote\.php|public\.php|dav)(?:\/|$)|(?:index\.php\/)?s\/[^/?]+\/files(?:\?|$))/;
const METHODS_WITH_BODY = [
  'PROPFIND',
  'PROPPATCH',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'SEARCH',
  'REPORT',
];
const RETRY_AFTER_SECONDS = 5;
const BODIES = Symbol('request bodies');

/** An incomplete body: its client disconnected. */
class BodyCutOff extends Error {
  readonly statusCode = 400;
}

/** A body for which there is no room now. It is logged with the requests that were refused unread. */
export class NoRoomForBody extends Unavailable {
  constructor() {
    super('no room for the body of a request', RETRY_AFTER_SECONDS);
  }
}

/** A body with bytes that may be held until the answer is sent. */
interface OpenBody {
  readonly held: HeldBody;
  /** Ends the reading. */
  refuse: (error: Error) => void;
}

/** Whether a body follows the headers. */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

/**
 * Collects the body of a request once; if an account is required, after its sender is known.
 * @param limit in bytes; greater than that of ordinary bodies to this path
 * @throws RequestRefused 413; NoRoomForBody; an error with status 400 if the client disconnects
 */
export function readBody(request: FastifyRequest, limit?: number): Promise<Buffer> {
  return request.server.getDecorator<RequestBodies>(BODIES).read(request, limit);
}

/**
 * Keeps bodies as bytes for the edges to parse. At paths without an account they are read before the handler
 * runs; at all others `readBody` reads them after the check of the caller.
 */
export function keepBodies(instance: FastifyInstance, config: Config, unread: UnreadRequests): void {
  const bodies = new RequestBodies(config, unread);
  instance.decorate(BODIES, bodies);
  instance.addHook('onRequest', (request, reply, done) => {
    if (announcesBody(request)) reply.raw.once('close', bodies.open(request));
    done();
  });
  for (const method of METHODS_WITH_BODY) instance.addHttpMethod(method, { hasBody: true });
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser('*', (request, _payload, done) => {
    if (!isReadAtOnce(request)) return done(null, undefined);
    bodies.read(request).then((body) => done(null, body), done);
  });
}

function isReadAtOnce({ url, is404 }: FastifyRequest): boolean {
  return !is404 && !STREAMED_PATHS.test(url) && isAnonymousPath(pathOfTarget(url));
}

class RequestBodies {
  private readonly held: HeldBytes;
  private readonly opened = new WeakMap<IncomingMessage, OpenBody>();

  constructor(
    private readonly config: Config,
    private readonly unread: UnreadRequests,
  ) {
    const { MAX_REQUEST_BODY, HELD_BODIES, HELD_BODIES_PER_ADDRESS } = config;
    // At least one body.
    const perAddress = Math.max(MAX_REQUEST_BODY, HELD_BODIES_PER_ADDRESS);
    this.held = new HeldBytes({ total: Math.max(perAddress, HELD_BODIES), perAddress });
  }

  /** @returns the function that releases all bytes of the request */
  open({ raw, ip }: FastifyRequest): () => void {
    const body: OpenBody = {
      held: this.held.hold(ip, () => body.refuse(new NoRoomForBody())),
      refuse: () => undefined,
    };
    this.opened.set(raw, body);
    return () => body.held.release();
  }

  async read(
    request: FastifyRequest,
    limit = bodyLimitOf(request, this.config.MAX_REQUEST_BODY),
  ): Promise<Buffer> {
    const body = this.opened.get(request.raw);
    if (!body) return Buffer.alloc(0);
    try {
      if (Number(request.headers['content-length'] ?? 0) > limit) throw new RequestRefused(413);
      return await collect(request.raw, body, limit);
    } catch (error) {
      body.held.release();
      if (error instanceof RequestRefused) this.unread.note('too-large', request.ip);
      else if (error instanceof NoRoomForBody) this.unread.note('no-room-for-bodies', request.ip);
      throw error;
    }
  }
}

function collect(raw: IncomingMessage, body: OpenBody, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = new GrowingBytes(limit);
    const append = (chunk: Buffer): void => {
      if (bytes.size + chunk.length > limit) return body.refuse(new RequestRefused(413));
      if (!body.held.grow(bytes.growthFor(chunk))) return body.refuse(new NoRoomForBody());
      bytes.append(chunk);
    };
    const end = (): void => {
      stop();
      body.held.finish();
      resolve(bytes.whole());
    };
    const leave = (): void => body.refuse(new BodyCutOff('body cut off'));
    const stop = (): void => {
      raw.off('data', append).off('end', end).off('error', leave).off('close', leave);
      // An error after the refusal only means that the client disconnected.
      raw.on('error', () => undefined);
    };
    body.refuse = (error) => {
      stop();
      raw.pause();
      reject(error);
    };
    if (raw.destroyed) return leave();
    raw.on('data', append).on('end', end).on('error', leave).on('close', leave);
  });
}

/** Consecutive bytes in at most twice the memory that they need; pieces of one byte cost no more. */
class GrowingBytes {
  size = 0;
  private kept: Buffer = Buffer.alloc(0);

  constructor(private readonly limit: number) {}

  /** Additional memory for this piece. */
  growthFor(chunk: Buffer): number {
    return this.capacityWith(chunk) - this.kept.length;
  }

  append(chunk: Buffer): void {
    const capacity = this.capacityWith(chunk);
    if (this.size === 0) this.kept = chunk;
    else {
      if (capacity > this.kept.length) {
        const larger = Buffer.allocUnsafeSlow(capacity);
        this.kept.copy(larger, 0, 0, this.size);
        this.kept = larger;
      }
      chunk.copy(this.kept, this.size);
    }
    this.size += chunk.length;
  }

  whole(): Buffer {
    return this.kept.subarray(0, this.size);
  }

  private capacityWith(chunk: Buffer): number {
    const needed = this.size + chunk.length;
    if (needed <= this.kept.length) return this.kept.length;
    return this.size === 0 ? needed : Math.min(this.limit, Math.max(2 * this.kept.length, needed));
  }
}
