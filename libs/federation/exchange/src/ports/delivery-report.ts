import type { Dialect, FailureClass, Outcome } from '#federation/protocol';

/** One request that was sent, as it may be kept and shown: without a secret. */
export interface AttemptEvidence {
  readonly endpoint: string;
  readonly dialect: Dialect;
  /** null where no answer came. */
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Why none came, or why it was not read to its end. */
  readonly errorClass: FailureClass | null;
  /** Beginning of the partner's answer. */
  readonly excerpt: string;
}

export interface DeliveryReport {
  /** Never `next-dialect`. */
  readonly outcome: Exclude<Outcome, { kind: 'next-dialect' }>;
  readonly attempts: readonly AttemptEvidence[];
  /** The dialect that the partner took; to be kept as the profile's proven one. */
  readonly provenDialect: Dialect | null;
}
