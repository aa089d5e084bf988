/** Everything in which failures to reach a partner, and its refusals, differ. */
interface FailureFacts {
  /**
   * Where it is born: in the `transport`, when nothing, or nothing readable, came back; in an `answer` that says "not now"; in a `refusal`,
   * which trying again does not change; or on `our` side.
   */
  readonly born: 'transport' | 'answer' | 'refusal' | 'ours';
  /** Meaning for the partner's presence: it answered, it was not there, it was waited for without success, or it was not asked. */
  readonly contact: 'answered' | 'away' | 'silent' | 'none';
  /** Effect on the partner's breaker; one that `opens` it at once is mended by nobody within seconds. */
  readonly breaker: 'ignored' | 'counts' | 'opens';
  /** Whether messages that failed by it are due again as soon as the partner is heard of. */
  readonly endsWithSign: boolean;
  /** Whether nobody knows what became of the request: it was cut, by time, by the network or by our own end. */
  readonly leavesDoubt: boolean;
  /** Whether it is a rule of ours about addresses, which trying again does not change either. */
  readonly isOurRule: boolean;
  /**
   * Definite answers of a network by which a server that was never seen is taken for one that is not there, in the words that the
   * record of the share and the notification of its failure have; null where it is not definite.
   */
  readonly notThere: string | null;
}

const PLAIN = { leavesDoubt: false, isOurRule: false, notThere: null } as const;
const AWAY = { ...PLAIN, born: 'transport', contact: 'away', breaker: 'counts', endsWithSign: true } as const;
const UNREADABLE = { ...AWAY, contact: 'answered', endsWithSign: false } as const;
const NOT_NOW = { ...UNREADABLE, born: 'answer' } as const;
const REFUSAL = { ...NOT_NOW, born: 'refusal', breaker: 'ignored' } as const;
const OURS = { ...REFUSAL, born: 'ours', contact: 'none' } as const;
const UNSENT = { ...OURS, born: 'transport' } as const;

/**
 * The one catalogue of what keeps a message from its partner, from the socket to the database, metrics and the command line.
 */
const FACTS = {
  /** A resolver gave no answer. */
  dns: AWAY,
  /** There is no such name. */
  'unknown-host': { ...AWAY, breaker: 'opens', notThere: 'there is no server of this name' },
  /** Another failure to agree on encryption. */
  tls: { ...AWAY, notThere: 'no secure connection is possible' },
  /** A certificate that does not hold. */
  certificate: { ...AWAY, breaker: 'opens', notThere: 'its certificate is not valid' },
  /** A connection refused. */
  'not-listening': { ...AWAY, notThere: 'nothing listens there' },
  /** A host out of reach. */
  network: AWAY,
  /** A connection that was cut. */
  reset: { ...AWAY, leavesDoubt: true },
  /** No answer in time. */
  timeout: { ...AWAY, contact: 'silent', leavesDoubt: true },
  /** An address that our rules forbid. */
  blocked: { ...UNSENT, isOurRule: true, notThere: 'its address may not be connected to' },
  /** A connection without encryption, which our rules forbid. */
  'blocked-http': {
    ...UNSENT,
    isOurRule: true,
    notThere: 'its address may not be connected to without encryption',
  },
  /** A redirect that is not followed. */
  'blocked-redirect': { ...UNREADABLE, breaker: 'ignored', endsWithSign: true },
  'too-large': UNREADABLE,
  'bad-answer': UNREADABLE,
  /** 5xx. */
  'partner-error': NOT_NOW,
  /** 408, 425 or 429. */
  limited: { ...NOT_NOW, breaker: 'ignored' },
  /** An account that the partner does not have. */
  'recipient-unknown': REFUSAL,
  /** A share that the partner does not have. */
  'share-unknown': REFUSAL,
  /** A signature of ours that the partner does not accept. */
  'signature-refused': REFUSAL,
  /** Another 401 or 403. */
  denied: REFUSAL,
  /** 501, or a dialect that cannot say it. */
  unsupported: REFUSAL,
  /** Another 4xx. */
  rejected: REFUSAL,
  /** A partner without usable discovery. */
  undiscovered: { ...OURS, endsWithSign: true },
  /** A partner or a switch that no longer allows it. */
  policy: OURS,
  /** Our client has no room. */
  busy: UNSENT,
  /** Our client is at its end. */
  closed: { ...UNSENT, leavesDoubt: true },
  /** Another failure of our own. */
  internal: OURS,
} as const satisfies Record<string, FailureFacts>;

type Facts = typeof FACTS;
export type ErrorClass = keyof Facts;
/** Classes that are born in one of these places. */
type BornIn<Place extends FailureFacts['born']> = {
  [Class in ErrorClass]: Facts[Class]['born'] extends Place ? Class : never;
}[ErrorClass];

/** Failures in which nothing, or nothing readable, came back. Decided where the failure is born. */
export type TransportFailure = BornIn<'transport'>;
/** The same, and what a partner says that it cannot do now. */
export type FailureClass = BornIn<'transport' | 'answer'>;
/** Refusals that trying again does not change; two of them are rules of ours. */
export type RefusalReason = BornIn<'refusal'> | 'blocked' | 'blocked-http';

export const FAILURES: Readonly<Record<ErrorClass, FailureFacts>> = FACTS;
export const ERROR_CLASSES = Object.keys(FACTS) as readonly ErrorClass[];
export const FAILURE_CLASSES = ERROR_CLASSES.filter(
  (failure): failure is FailureClass =>
    FAILURES[failure].born === 'transport' || FAILURES[failure].born === 'answer',
);
