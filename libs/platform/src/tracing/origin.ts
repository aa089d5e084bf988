import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span';
import { readTraceparent, writeTraceparent, type TraceContext } from './trace-context';

/** Origin of present work: its log lines name it, and it is stored with the messages to partners that the work writes. */
export interface Origin {
  /** Id of the request that began it; null for work without one. */
  readonly requestId: string | null;
  /** The running step; null if there is no trace. */
  readonly span: Span | null;
}

/** An origin in the form that is stored with a message. */
export interface StoredOrigin {
  readonly requestId: string | null;
  readonly trace: TraceContext | null;
}

const current = new AsyncLocalStorage<Origin>();

export function currentOrigin(): Origin | undefined {
  return current.getStore();
}

/** Does `work`, and everything that it starts, with this `origin`. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return current.run(origin, work);
}

/** Does work without an origin, because it serves many requests or messages, whichever of them started it. */
export function withoutOrigin<T>(work: () => T): T {
  return current.exit(work);
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NO_REQUEST = '-';

/** Whether a received request id may appear in our log lines. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && text !== NO_REQUEST && REQUEST_ID.test(text);
}

/** The present origin in at most 120 characters: the request's id and the trace context; null for none. */
export function originText(): string | null {
  const origin = current.getStore();
  if (!origin) return null;
  const { requestId, span } = origin;
  if (!span) return requestId;
  return `${requestId ?? NO_REQUEST} ${writeTraceparent(span.context)}`;
}

/** Reads the text of `originText`; unknown entries are left out. */
export function readOrigin(text: string | null | undefined): StoredOrigin {
  const [requestId, traceparent] = text?.split(' ', 2) ?? [];
  return {
    requestId: isRequestId(requestId) ? requestId : null,
    trace: readTraceparent(traceparent) ?? null,
  };
}
