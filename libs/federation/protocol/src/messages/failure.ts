/** All differences between failures to reach a partner, and between its refusals. */
interface FailureFacts {
  /**
   * Place of origin: `transport` when no readable answer arrived; an `answer` that says "not now"; a `refusal`
   * that a repetition does not change; or `our` own side.
   */
  readonly born: 'transport' | 'answer' | 'refusal' | 'ours';
  /** Meaning for the partner's presence: it answered, it was away, it did not answer in time, or it was not asked. */
  readonly contact: 'answered' | 'away' | 'silent' | 'none';
  /** Effect on the partner's breaker. A failure that `opens` it at once cannot be repaired within seconds. */
  readonly breaker: 'ignored' | 'counts' | 'opens';
  /** Whether messages that failed with it are due again as soon as the partner shows a sign of life. */
  readonly endsWithSign: boolean;
  /** Whether the effect of the request is unknown: it was cut off by time, by the network or by our own end. */
  readonly leavesDoubt: boolean;
  /** Whether it is a rule of ours about addresses, which a repetition does not change either. */
  readonly isOurRule: boolean;
  /**
   * Text for a definite answer of the network that shows that a never seen server does not exist. The record of the
   * share and the notification of its failure show it; null if the answer is not definite.
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

/** The one catalogue of failures of delivery, used from the socket to the database, metrics and the command line. */
const FACTS = {
  /** The resolver gave no answer. */
  dns: AWAY,
  /** There is no such name. */
  'unknown-host': { ...AWAY, breaker: 'opens', notThere: 'there is no server of this name' },
  /** Another failure to agree on encryption. */
  tls: { ...AWAY, notThere: 'no secure connection is possible' },
  /** The certificate is not valid. */
  certificate: { ...AWAY, breaker: 'opens', notThere: 'its certificate is not valid' },
  /** The connection was refused. */
  'not-listening': { ...AWAY, notThere: 'nothing listens there' },
  /** The host is out of reach. */
  network: AWAY,
  /** The connection was cut. */
  reset: { ...AWAY, leavesDoubt: true },
  /** There was no answer in time. */
  timeout: { ...AWAY, contact: 'silent', leavesDoubt: true },
  /** Our rules forbid the address. */
  blocked: { ...UNSENT, isOurRule: true, notThere: 'its address may not be connected to' },
  /** The connection would have no encryption, and our rules forbid that. */
  'blocked-http': {
    ...UNSENT,
    isOurRule: true,
    notThere: 'its address may not be connected to without encryption',
  },
  /** The answer is a redirect, which is not followed. */
  'blocked-redirect': { ...UNREADABLE, breaker: 'ignored', endsWithSign: true },
  'too-large': UNREADABLE,
  'bad-answer': UNREADABLE,
  /** 5xx. */
  'partner-error': NOT_NOW,
  /** 408, 425 or 429. */
  limited: { ...NOT_NOW, breaker: 'ignored' },
  /** The partner does not know the account. */
  'recipient-unknown': REFUSAL,
  /** The partner does not know the share. */
  'share-unknown': REFUSAL,
  /** The partner does not accept our signature. */
  'signature-refused': REFUSAL,
  /** Another 401 or 403. */
  denied: REFUSAL,
  /** 501, or a dialect that cannot express the message. */
  unsupported: REFUSAL,
  /** Another 4xx. */
  rejected: REFUSAL,
  /** The partner has no usable discovery. */
  undiscovered: { ...OURS, endsWithSign: true },
  /** The partner or sharing is not allowed any more. */
  policy: OURS,
  /** Our client has no free connection. */
  busy: UNSENT,
  /** Our client is shutting down. */
  closed: { ...UNSENT, leavesDoubt: true },
  /** Another failure of our own. */
  internal: OURS,
} as const satisfies Record<string, FailureFacts>;

type Facts = typeof FACTS;
export type ErrorClass = keyof Facts;
/** Classes with one of these places of origin. */
type BornIn<Place extends FailureFacts['born']> = {
  [Class in ErrorClass]: Facts[Class]['born'] extends Place ? Class : never;
}[ErrorClass];

/** Failures without any readable answer. The code at the place of origin decides them. */
export type TransportFailure = BornIn<'transport'>;
/** The same, and answers that say "not now". */
export type FailureClass = BornIn<'transport' | 'answer'>;
/** Refusals that a repetition does not change; two of them are rules of ours. */
export type RefusalReason = BornIn<'refusal'> | 'blocked' | 'blocked-http';

export const FAILURES: Readonly<Record<ErrorClass, FailureFacts>> = FACTS;
export const ERROR_CLASSES = Object.keys(FACTS) as readonly ErrorClass[];
export const FAILURE_CLASSES = ERROR_CLASSES.filter(
  (failure): failure is FailureClass =>
    FAILURES[failure].born === 'transport' || FAILURES[failure].born === 'answer',
);
