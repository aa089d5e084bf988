import type { PeerProduct } from '../peers/peer-product';
import type { DialectRules, Dialects } from '../dialects/dialect';
import type { Dialect } from '../dialects/dialect-name';
import { DIALECTS, rulesOf } from '../dialects/dialects';
import type { FailureClass, RefusalReason, TransportFailure } from './failure';
import type { PartnerMessageKind } from './partner-message';
import {
  parseRetryAfter,
  readAnswerBody,
  readGrantedReshare,
  type GrantedReshare,
  type RawAnswer,
  type ReadAnswer,
} from './read-answer';

/** Meaning of a partner's answer for a message. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly reshare: GrantedReshare | null }
  /** The subject had already ended: counts as delivered. */
  | { readonly kind: 'already-gone' }
  /** This partner has no such message: nothing was sent. */
  | { readonly kind: 'not-sent' }
  /** Final. `words` are the partner's text, safe to show; `''` for none. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly words: string }
  /** A definite refusal of this dialect; `otherwise` is its meaning if there is no other dialect. */
  | { readonly kind: 'next-dialect'; readonly otherwise: Outcome }
  /** The partner seems to have changed: discover it again, then try again, a few times at most. */
  | {
      readonly kind: 'rediscover';
      readonly words: string;
      /** Whether `words` are the partner's text about our signature: it may have an outdated key of ours. */
      readonly missesSignature?: boolean;
    }
  | {
      readonly kind: 'retry';
      readonly errorClass: FailureClass;
      /** Pause in milliseconds that the partner asked for; null for none. */
      readonly retryAfterMs: number | null;
      /** Whether the partner may have accepted the message: then a repetition can make a second share. */
      readonly mayHaveArrived: boolean;
    };

/** A message and its recipient server. */
export interface Sent {
  readonly kind: PartnerMessageKind;
  readonly dialect: Dialect;
  readonly product: PeerProduct;
}

/** Messages that end something: if it does not exist, that is a success. */
const ENDING: readonly PartnerMessageKind[] = ['share-declined', 'share-unshared', 'reshare-undone'];
const GO_SERVERS: readonly PeerProduct[] = ['ocis', 'opencloud', 'reva'];
const GONE_WORDS = /does not exist|not found/i;
/** Nextcloud answers 400 to its own failures. */
const TROUBLE_WORDS = /internal error/i;
/** Nextcloud answers 400 to missing or wrong signatures, others answer 401. */
const SIGNATURE_WORDS = /signature|supposed to sign|unsigned/i;
/** Nextcloud expects messages about a share from its recipient only, and refuses those of the resharer's server. */
const SENDER_WORDS = /not linked to origin/i;
const LIMITED = new Set([408, 425, 429]);

/**
 * Meaning of an answer. Source: federation-facts 11.
 * @param now in UNIX milliseconds, for `Retry-After`
 * @param dialects the spoken ones
 */
export function classifyAnswer(
  sent: Sent,
  raw: RawAnswer,
  now: number,
  dialects: Dialects = DIALECTS,
): Outcome {
  const rules = rulesOf(dialects, sent.dialect);
  const answer = rules.readAnswer(readAnswerBody(raw));
  if (answer.status >= 200 && answer.status < 300) return classifySuccess(sent, answer, rules);
  if (answer.status >= 300 && answer.status < 400)
    return { kind: 'rediscover', words: 'it answers from elsewhere' };
  if (LIMITED.has(answer.status)) return later('limited', raw, now);
  if (answer.status === 501) return definiteNo('unsupported', answer);
  // Deployed servers give this answer when the requester may share it on themselves.
  if (answer.status === 500 && sent.kind === 'reshare-requested') return refused('unsupported', answer);
  if (answer.status >= 500) return later('partner-error', raw, now);
  return classifyRefusal(sent, answer, rules);
}

/** A page with status 2xx comes from something else: a parked domain, a login, a proxy. Only sharing servers answer 201. */
function classifySuccess(sent: Sent, answer: ReadAnswer, rules: DialectRules): Outcome {
  const isPage = answer.body === 'other' && answer.status !== 201;
  if (isPage || !rules.isOwnSuccess(answer))
    return { kind: 'rediscover', words: 'it answers as another kind of server' };
  if (sent.kind !== 'reshare-requested') return { kind: 'delivered', reshare: null };
  const reshare = readGrantedReshare(answer.data);
  return reshare ? { kind: 'delivered', reshare } : { kind: 'next-dialect', otherwise: GRANTED_NOTHING };
}

const GRANTED_NOTHING: Outcome = {
  kind: 'refused',
  reason: 'rejected',
  words: 'it granted the reshare without its secret',
};

function classifyRefusal(sent: Sent, answer: ReadAnswer, rules: DialectRules): Outcome {
  const { status, words } = answer;
  const missesSignature = SIGNATURE_WORDS.test(words);
  if ((missesSignature || TROUBLE_WORDS.test(words)) && (status === 400 || status === 401))
    return { kind: 'rediscover', words, missesSignature };
  if (status === 401 && isOnlySigned(sent) && words === '') return refused('signature-refused', answer);
  if (status === 401 || status === 403) return refused('denied', answer);
  if (status === 410) return gone(sent, answer);
  if (status === 404) return classifyNotFound(sent, answer);
  if (status !== 400) return definiteNo('rejected', answer);
  if (GONE_WORDS.test(words)) return gone(sent, answer);
  if (SENDER_WORDS.test(words)) return definiteNo('denied', answer);
  // ownCloud and Nextcloud answer a bare 400 when the thing to be ended does not exist.
  if (rules.refusesWithoutWords(sent.product) && ENDING.includes(sent.kind)) return { kind: 'already-gone' };
  return definiteNo('rejected', answer);
}

/** Whether the message has no credential except its signature. */
const isOnlySigned = ({ kind }: Sent): boolean => kind === 'offer' || kind === 'share-request';

/** A JSON answer means that the thing does not exist; any other answer means that the address does not exist. */
function classifyNotFound(sent: Sent, answer: ReadAnswer): Outcome {
  if (answer.body === 'json' || GO_SERVERS.includes(sent.product)) return gone(sent, answer);
  // A server that does not know such requests has no such address.
  if (sent.kind === 'reshare-requested' || sent.kind === 'share-request')
    return definiteNo('unsupported', answer);
  return { kind: 'next-dialect', otherwise: { kind: 'rediscover', words: 'its address is gone' } };
}

function gone(sent: Sent, answer: ReadAnswer): Outcome {
  if (ENDING.includes(sent.kind)) return { kind: 'already-gone' };
  return refused(sent.kind === 'offer' ? 'recipient-unknown' : 'share-unknown', answer);
}

const refused = (reason: RefusalReason, { words }: ReadAnswer): Outcome => ({
  kind: 'refused',
  reason,
  words,
});

const definiteNo = (reason: RefusalReason, answer: ReadAnswer): Outcome => ({
  kind: 'next-dialect',
  otherwise: refused(reason, answer),
});

/** The answer may come from a gateway while the partner behind it has accepted the message. */
function later(errorClass: 'partner-error' | 'limited', raw: RawAnswer, now: number): Outcome {
  return {
    kind: 'retry',
    errorClass,
    retryAfterMs: parseRetryAfter(raw.retryAfter, now),
    mayHaveArrived: errorClass === 'partner-error' && raw.status !== 503,
  };
}

/** Meaning of a failure without an answer. */
export function classifyFailure(failure: TransportFailure, mayHaveArrived: boolean): Outcome {
  if (failure === 'blocked' || failure === 'blocked-http')
    return { kind: 'refused', reason: failure, words: '' };
  if (failure === 'blocked-redirect') return { kind: 'rediscover', words: 'it answers from elsewhere' };
  return { kind: 'retry', errorClass: failure, retryAfterMs: null, mayHaveArrived };
}
