import { workContext, type Origin } from '../work-context';
import { readTraceparent, writeTraceparent, type TraceContext } from './trace-context';

/** An origin in the form that is stored with a message. */
export interface StoredOrigin {
  readonly requestId: string | null;
  readonly trace: TraceContext | null;
}

export function currentOrigin(): Origin | undefined {
  return workContext.getStore()?.origin;
}

/** Does `work`, and everything that it starts, with this `origin`. */
export function withOrigin<T>(origin: Origin, work: () => T): T {
  return workContext.run({ ...workContext.getStore(), origin }, work);
}

/** Does work without an origin, because it serves many requests or messages, whichever of them started it. */
export function withoutOrigin<T>(work: () => T): T {
  return workContext.run({ ...workContext.getStore(), origin: undefined }, work);
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
const NO_REQUEST = '-';

/** Whether a received request id may appear in our log lines. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && text !== NO_REQUEST && REQUEST_ID.test(text);
}

/** The present origin in at most 120 characters: the request's id and the trace context; null for none. */
export function originText(): string | null {
  const origin = currentOrigin();
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
