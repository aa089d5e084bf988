/** A span of a trace in the form for other processes (W3C Trace Context, `traceparent`). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Whether the trace is recorded. */
  readonly isSampled: boolean;
}

/** Later versions may add fields behind the four known ones. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const MAX_LENGTH = 256;
const NONE = /^0+$/;
const SAMPLED = 1;

/** Reads an untrusted text; undefined for anything but a trace context. */
export function readTraceparent(text: string | undefined): TraceContext | undefined {
  const match = text !== undefined && text.length <= MAX_LENGTH ? TRACEPARENT.exec(text) : null;
  if (!match) return undefined;
  const [traceId, spanId] = [match[1]!, match[2]!];
  if (NONE.test(traceId) || NONE.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (parseInt(match[3]!, 16) & SAMPLED) === SAMPLED };
}

/** Writes a `traceparent` of version 00. */
export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
}
