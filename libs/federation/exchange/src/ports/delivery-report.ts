import type { Dialect, FailureClass, Outcome } from '#federation/protocol';

/** One request that was sent, in a form that may be stored and shown. It contains no secret. */
export interface AttemptEvidence {
  readonly endpoint: string;
  readonly dialect: Dialect;
  /** null without an answer. */
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Reason why there is no answer, or an incomplete one. */
  readonly errorClass: FailureClass | null;
  /** Beginning of the partner's answer. */
  readonly excerpt: string;
}

export interface DeliveryReport {
  /** Never `next-dialect`. */
  readonly outcome: Exclude<Outcome, { kind: 'next-dialect' }>;
  readonly attempts: readonly AttemptEvidence[];
  /** The dialect that the partner accepted, which the profile stores as proven. */
  readonly provenDialect: Dialect | null;
}
