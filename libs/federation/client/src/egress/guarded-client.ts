import { PassThrough, type Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { SecretText, TransportFailure } from '#federation/protocol';
import { inSpan, PRODUCT_NAME, PRODUCT_VERSION, type SpanDetails } from '#platform';
import { readBounded } from './bounded-body';
import { EgressFailed, failureOf } from './egress-failed';
import type { EgressRules } from './egress-rules';
import { originHeaders } from './origin-headers';
import { guardedConnector, systemResolver, type Resolver } from './guarded-connector';
import type { SeenCertificates } from './seen-certificates';
import type { SignedMessage } from './signed-message';

/** Times in milliseconds, sizes in bytes. */
export interface EgressLimits {
  readonly connectMs: number;
  /** From the start of a request to the last header of its answer. */
  readonly headersMs: number;
  /** From the start to the end of an exchange. */
  readonly totalMs: number;
  /** Between two pieces of streamed content. */
  readonly idleMs: number;
  /** All headers of an answer together. */
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly bodyBytes: number;
  /** Open connections to one partner. */
  readonly connectionsPerOrigin: number;
  /** Partners with open connections. */
  readonly origins: number;
}

/** Source: federation-facts 11 and 13. */
const DEFAULT_LIMITS: EgressLimits = {
  connectMs: 5_000,
  headersMs: 10_000,
  totalMs: 15_000,
  idleMs: 30_000,
  headerBytes: 16 * 1024,
  headerCount: 100,
  bodyBytes: 1024 * 1024,
  connectionsPerOrigin: 8,
  // Twice the partners that deliveries may wait for at once, which would otherwise keep the others from being called.
  origins: 4_000,
};

export interface GuardedClientOptions {
  readonly rules: EgressRules;
  readonly limits?: Partial<EgressLimits>;
  /** Default: the resolver of the system. */
  readonly resolver?: Resolver;
  /** PEM certificates of additional authorities. */
  readonly authorities?: readonly string[];
  /** Remembers the expiry of partners' certificates. */
  readonly certificates?: SeenCertificates;
}

/** A request that needs no signature, because it says nothing in our name: discovery, keys, and content read with its secret. */
export interface EgressRequest {
  readonly method:
    | 'GET'
    | 'HEAD'
    | 'OPTIONS'
    | 'PUT'
    | 'DELETE'
    | 'PROPFIND'
    | 'REPORT'
    | 'MKCOL'
    | 'MOVE'
    | 'COPY'
    | 'PROPPATCH';
  /** Absolute URL, without credentials. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: SecretText | string | Readable;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
}

/** Header names are in lower case. The first of repeated headers counts. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
  /** Reason why the body is incomplete; null if it is complete. The status is valid in both cases. */
  readonly incomplete: TransportFailure | null;
}

export interface StreamAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Has to be read to its end or destroyed, because it holds a connection. Fails with EgressFailed. */
  readonly body: Readable;
}

const USER_AGENT = `${PRODUCT_NAME}/${PRODUCT_VERSION}`;

/**
 * The only way out to partners: every connection to a partner's server is made here, under the same
 * rules for addresses, times and sizes. Redirects are never followed.
 */
export class GuardedClient {
  private readonly agent: Agent;
  private readonly limits: EgressLimits;

  constructor({ rules, limits, resolver = systemResolver, authorities, certificates }: GuardedClientOptions) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const connectTimeoutMs = this.limits.connectMs;
    this.agent = new Agent({
      connect: guardedConnector({ rules, resolver, connectTimeoutMs, authorities, certificates }),
      connections: this.limits.connectionsPerOrigin,
      pipelining: 1,
      allowH2: false,
      maxOrigins: this.limits.origins,
      maxHeaderSize: this.limits.headerBytes,
      bodyTimeout: this.limits.idleMs,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
    });
  }

  /**
   * One request with its whole, bounded answer: for control messages.
   * @param withinMs shortens the limits, for callers who cannot wait as long
   * @throws EgressFailed if no status arrived
   */
  async exchange(request: EgressRequest | SignedMessage, withinMs = Infinity): Promise<ExchangeAnswer> {
    const answerMs = 'answerMs' in request ? request.answerMs : undefined;
    const total = Math.min(answerMs ?? this.limits.totalMs, withinMs);
    const deadline = new Deadline(hostOf(request.url), total, request.signal);
    try {
      const answer = await this.send(
        request,
        { 'accept-encoding': 'identity', ...request.headers },
        deadline,
        Math.min(answerMs ?? this.limits.headersMs, total),
      );
      const { text, incomplete } = await readBounded(
        answer.body,
        answer.headers['content-encoding'],
        this.limits.bodyBytes,
      );
      return { status: answer.status, headers: answer.headers, text, incomplete };
    } finally {
      deadline.clear();
    }
  }

  /**
   * One request with a streamed answer, of any size and duration as long as bytes keep coming: for content.
   * @throws EgressFailed if no status arrived; `blocked-redirect` for a redirect, since content needs a secret
   */
  async stream(request: EgressRequest): Promise<StreamAnswer> {
    const deadline = new Deadline(hostOf(request.url), Infinity, request.signal);
    const { body, ...head } = await this.send(
      request,
      request.headers ?? {},
      deadline,
      this.limits.headersMs,
    );
    if (head.status < 300 || head.status >= 400 || head.status === 304) {
      return { ...head, body: explained(body, hostOf(request.url)) };
    }
    abandon(body);
    throw new EgressFailed('blocked-redirect', hostOf(request.url), true);
  }

  /** Closes all connections; requests under way fail as `closed`. */
  async close(): Promise<void> {
    if (!this.agent.destroyed) await this.agent.destroy();
  }

  private send(
    request: EgressRequest | SignedMessage,
    headers: Readonly<Record<string, string>>,
    deadline: Deadline,
    headersMs: number,
  ): Promise<StreamAnswer> {
    return inSpan(request.method, stepOf(request), async (span) => {
      const answer = await this.ask(request, { ...originHeaders(), ...headers }, deadline, headersMs);
      span?.set({ 'http.response.status_code': answer.status });
      return answer;
    });
  }

  private async ask(
    request: EgressRequest | SignedMessage,
    headers: Readonly<Record<string, string>>,
    deadline: Deadline,
    headersMs: number,
  ): Promise<StreamAnswer> {
    const { origin, host, pathname, search } = new URL(request.url);
    const stopWaiting = deadline.expectWithin(request.body && isStream(request.body) ? Infinity : headersMs);
    try {
      const answer = await this.agent.request({
        origin,
        path: `${pathname}${search}`,
        method: request.method,
        headers: { 'user-agent': USER_AGENT, ...headers },
        body: bodyOf(request.body),
        signal: deadline.signal,
        // Our limits count from the start of the request; those of undici do not.
        headersTimeout: 0,
      });
      return { status: answer.statusCode, headers: this.readHeaders(answer, host), body: answer.body };
    } catch (error) {
      throw egressFailure(error, host);
    } finally {
      stopWaiting();
    }
  }

  /** @throws EgressFailed for too many headers */
  private readHeaders({ headers, body }: Dispatcher.ResponseData, host: string): AnswerHeaders {
    const entries = Object.entries(headers);
    const count = entries.reduce((sum, [, value]) => sum + (Array.isArray(value) ? value.length : 1), 0);
    if (count > this.limits.headerCount) {
      abandon(body);
      throw new EgressFailed('too-large', host, true);
    }
    return Object.fromEntries(
      entries.map(([name, value]) => [name, (Array.isArray(value) ? value[0] : value) ?? '']),
    );
  }
}

/** The time limits of one request. When one has passed, the request is aborted with EgressFailed. */
class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;

  constructor(
    private readonly host: string,
    totalMs: number,
    caller: AbortSignal | undefined,
  ) {
    this.timer = Number.isFinite(totalMs) ? setTimeout(() => this.expire(), totalMs) : undefined;
    this.signal = caller ? AbortSignal.any([this.controller.signal, caller]) : this.controller.signal;
  }

  /** Aborts the request unless the returned function is called in time. */
  expectWithin(ms: number): () => void {
    const timer = Number.isFinite(ms) ? setTimeout(() => this.expire(), ms) : undefined;
    return () => clearTimeout(timer);
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  private expire(): void {
    this.controller.abort(new EgressFailed('timeout', this.host, true));
  }
}

/** The path is left out, because it may contain a secret. */
const stepOf = ({ method, url }: EgressRequest | SignedMessage): SpanDetails => ({
  kind: 'client',
  attributes: { 'http.request.method': method, 'server.address': hostOf(url) },
});

const hostOf = (url: string): string => new URL(url).host;

function isStream(body: NonNullable<EgressRequest['body']>): body is Readable {
  return typeof body === 'object' && 'pipe' in body;
}

function bodyOf(body: EgressRequest['body']): string | Readable | undefined {
  return body === undefined || typeof body === 'string' || isStream(body) ? body : body.reveal();
}

/** The same stream; its errors are EgressFailed. */
function explained(body: Readable, host: string): Readable {
  const content = new PassThrough();
  body.once('error', (error) => content.destroy(egressFailure(error, host) as Error));
  content.once('close', () => abandon(body));
  return body.pipe(content);
}

/** Drops the rest of a body and closes its connection. */
function abandon(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/** An error that is no failure of the network is a bug, and stays unchanged. */
function egressFailure(error: unknown, host: string): unknown {
  if (error instanceof EgressFailed) return error;
  const known = failureOf(error);
  if (known) return new EgressFailed(known.failure, host, true, known.code);
  const isAborted = (error as { name?: unknown } | null)?.name === 'AbortError';
  return isAborted ? new EgressFailed('closed', host, true) : error;
}
