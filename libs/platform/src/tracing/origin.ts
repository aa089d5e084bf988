import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span';
import { readTraceparent, writeTraceparent, type TraceContext } from './trace-context';

/** Origin of the work at hand: named in its log lines, and kept with the messages to partners that it writes. */
export interface Origin {
  /** Of the request that began it; null for work that none did. */
  readonly requestId: string | null;
  /** The step under way; null where nothing is traced. */
  readonly span: Span | null;
}

/** An origin as it is kept with a message. */
export interface StoredOrigin {
  readonly requestId: string | null;
  readonly trace: TraceContext | null;
}

const current = new AsyncLocalStorage<Origin>();

export function currentOrigin(): Origin | undefined {
  return current.getStore();
}

/** Does `work`, and everything that it starts, as led to by `origin`. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return current.run(origin, work);
}

/** Does what happens to be started by one request or message, but is done for many. */
export function withoutOrigin<T>(work: () => T): T {
  return current.exit(work);
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NO_REQUEST = '-';

/** Whether somebody else's id of a request can stand in our log lines. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && text !== NO_REQUEST && REQUEST_ID.test(text);
}

/** The origin of the work at hand in at most 120 characters: the request's id and the trace context; null without any. */
export function originText(): string | null {
  const origin = current.getStore();
  if (!origin) return null;
  const { requestId, span } = origin;
  if (!span) return requestId;
  return `${requestId ?? NO_REQUEST} ${writeTraceparent(span.context)}`;
}

/** Reads what `originText` wrote; other entries are left out. */
export function readOrigin(text: string | null | undefined): StoredOrigin {
  const [requestId, traceparent] = text?.split(' ', 2) ?? [];
  return {
    requestId: isRequestId(requestId) ? requestId : null,
    trace: readTraceparent(traceparent) ?? null,
  };
}
