import type { Instance } from '../instance';

export const STATES = ['ok', 'warning', 'failed'] as const;

/** Result of one check. */
export interface Finding {
  /** Subject of the check. */
  readonly subject: string;
  readonly state: (typeof STATES)[number];
  /** Never contains a secret. */
  readonly seen: string;
  /** Advice for the operator; absent if nothing is wrong. */
  readonly advice?: string;
}

/** A finding of a check, as it is reported. */
export interface ReportedFinding extends Finding {
  readonly check: string;
}

/** One part of `drawbridge doctor`. If it fails, the others continue. */
export interface Check {
  readonly name: string;
  /** Whether it reads tables: then it is left out after a failed database check. */
  readonly needsSchema?: true;
  look(instance: Instance): Promise<readonly Finding[]>;
}

export const ok = (subject: string, seen: string): Finding => ({ subject, state: 'ok', seen });
export const warning = (subject: string, seen: string, advice: string): Finding => ({
  subject,
  state: 'warning',
  seen,
  advice,
});
export const failed = (subject: string, seen: string, advice: string): Finding => ({
  subject,
  state: 'failed',
  seen,
  advice,
});
