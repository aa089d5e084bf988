import type { AttemptEvidence, DeliveryReport } from '#federation/exchange';
import {
  buildRequest,
  classifyAnswer,
  classifyFailure,
  DIALECTS,
  dialectsFor,
  provesDialect,
  redact,
  type Dialect,
  type Dialects,
  type Outcome,
  type PartnerMessage,
  type PeerProfile,
  type SecretText,
  type WireRequest,
} from '#federation/protocol';
import { EgressFailed } from '../egress/egress-failed';
import type { ExchangeAnswer } from '../egress/guarded-client';
import type { SignedCalls } from './signed-calls';

export interface SendOptions {
  /** The same for every repetition of the message, for servers that check it. */
  readonly idempotencyKey?: string;
  /** Milliseconds for each request. */
  readonly answerMs?: number;
  /** Ends the call early; the outcome is then a retry. */
  readonly signal?: AbortSignal;
}

const MAX_WORDS = 200;

type FinalOutcome = DeliveryReport['outcome'];

/** Sends messages to partners, in a dialect that they understand. */
export class PartnerMessenger {
  constructor(
    private readonly calls: SignedCalls,
    private readonly now: () => number = Date.now,
    private readonly dialects: Dialects = DIALECTS,
  ) {}

  /**
   * Sends one message. The next dialect is tried only after a definite refusal of the one before: after a success, or a possible
   * success, there is no further attempt. Never throws for errors of a partner.
   */
  async send(
    message: PartnerMessage,
    profile: PeerProfile,
    options: SendOptions = {},
  ): Promise<DeliveryReport> {
    const attempts: AttemptEvidence[] = [];
    const refusals: FinalOutcome[] = [];
    for (const dialect of dialectsFor(profile, message, this.dialects)) {
      const request = buildRequest(message, dialect, profile, this.dialects);
      if (!request) continue;
      const { outcome, evidence } = await this.attempt(message, dialect, profile, request, options);
      attempts.push(evidence);
      if (outcome.kind !== 'next-dialect') {
        const isOneOfIts = profile.dialects.includes(dialect);
        const proves = outcome.kind === 'delivered' && isOneOfIts && provesDialect(message.kind);
        const provenDialect = proves ? dialect : null;
        return { outcome: shown(outcome, secretsIn(message)), attempts, provenDialect };
      }
      refusals.push(finalOf(outcome));
    }
    const outcome = shown(mostSpecific(refusals), secretsIn(message));
    return { outcome, attempts, provenDialect: null };
  }

  private async attempt(
    message: PartnerMessage,
    dialect: Dialect,
    profile: PeerProfile,
    request: WireRequest,
    { idempotencyKey, answerMs, signal }: SendOptions,
  ): Promise<{ outcome: Outcome; evidence: AttemptEvidence }> {
    const startedAt = this.now();
    const about = { endpoint: request.url, dialect };
    const key: Record<string, string> = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
    try {
      const answer = await this.calls.exchange(
        { ...request, signal, answerMs, headers: { ...request.headers, ...key } },
        profile,
      );
      return {
        outcome: this.judge(message, dialect, profile, answer),
        evidence: {
          ...about,
          httpStatus: answer.status,
          durationMs: this.now() - startedAt,
          errorClass: answer.incomplete,
          excerpt: redact(answer.text, secretsIn(message)),
        },
      };
    } catch (error) {
      if (!(error instanceof EgressFailed)) throw error;
      const durationMs = this.now() - startedAt;
      return {
        outcome: classifyFailure(error.failure, error.mayHaveArrived),
        evidence: { ...about, httpStatus: null, durationMs, errorClass: error.failure, excerpt: '' },
      };
    }
  }

  /** A status is valid even if its body never ends. Only a bare 2xx needs the body to be accepted. */
  private judge(
    message: PartnerMessage,
    dialect: Dialect,
    { product }: PeerProfile,
    answer: ExchangeAnswer,
  ): Outcome {
    const needsBody = answer.status !== 201 || message.kind === 'reshare-requested';
    if (answer.incomplete && answer.status < 300 && needsBody)
      return classifyFailure(answer.incomplete, true);
    const raw = {
      status: answer.status,
      retryAfter: answer.headers['retry-after'] ?? null,
      body: answer.text,
    };
    return classifyAnswer({ kind: message.kind, dialect, product }, raw, this.now(), this.dialects);
  }
}

function finalOf(outcome: Outcome): FinalOutcome {
  return outcome.kind === 'next-dialect' ? finalOf(outcome.otherwise) : outcome;
}

/**
 * The outcome to keep when all dialects failed: a refusal with a text, else a refusal, else the first. If there are no
 * dialects, nothing was sent.
 */
function mostSpecific(outcomes: readonly FinalOutcome[]): FinalOutcome {
  const refused = outcomes.filter((outcome) => outcome.kind === 'refused');
  return refused.find(({ words }) => words !== '') ?? refused[0] ?? outcomes[0] ?? { kind: 'not-sent' };
}

/** The partner's text, safe to show to people: it may repeat the message. */
function shown(outcome: FinalOutcome, secrets: readonly SecretText[]): FinalOutcome {
  return 'words' in outcome ? { ...outcome, words: redact(outcome.words, secrets, MAX_WORDS) } : outcome;
}

const secretsIn = (message: PartnerMessage): readonly SecretText[] =>
  'sharedSecret' in message ? [message.sharedSecret] : [];
