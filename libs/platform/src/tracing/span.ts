import type { TraceContext } from './trace-context';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** They must not contain a secret, a token, a path with either of them, or the name of a person, because they leave the instance. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanDetails {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
}

export interface NewSpan extends SpanDetails {
  /** One of few different values: the operation, never its subject. */
  readonly name: string;
  /** The trace that it continues; if absent, it begins a trace. */
  readonly parent?: TraceContext;
  /** Related traces to which it does not belong. */
  readonly links?: readonly TraceContext[];
  /** Milliseconds since 1970; default: now. */
  readonly startedAtMs?: number;
}

/** One running step of a trace. */
export interface Span {
  readonly context: TraceContext;
  child(span: Omit<NewSpan, 'parent'>): Span;
  set(attributes: SpanAttributes): void;
  /** @param failure the cause, as one of few different words */
  end(failure?: string): void;
}

/** Begins spans and sends them to a collector. */
export interface Tracer {
  start(span: NewSpan): Span;
  /** Sends the recorded spans, and records no more. */
  close(): Promise<void>;
}
