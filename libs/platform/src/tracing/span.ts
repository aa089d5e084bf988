import type { TraceContext } from './trace-context';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Never a secret, a token, a path with either of them, or the name of a person: they leave the instance. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanDetails {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
}

export interface NewSpan extends SpanDetails {
  /** Of few different values: the operation, never its subject. */
  readonly name: string;
  /** Trace that it continues; it begins a trace where this is absent. */
  readonly parent?: TraceContext;
  /** Related traces that it is no part of. */
  readonly links?: readonly TraceContext[];
  /** Milliseconds since 1970; now where absent. */
  readonly startedAtMs?: number;
}

/** One step of a trace, under way. */
export interface Span {
  readonly context: TraceContext;
  child(span: Omit<NewSpan, 'parent'>): Span;
  set(attributes: SpanAttributes): void;
  /** @param failure the cause, in a word of few different values */
  end(failure?: string): void;
}

/** Begins spans and gets them to a collector. */
export interface Tracer {
  start(span: NewSpan): Span;
  /** Hands over what is recorded, and records no more. */
  close(): Promise<void>;
}
