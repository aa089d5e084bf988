import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryOutcome } from '#federation/exchange';
import type { ClaimedMessage } from '#persistence';
import { LOGGER, readOrigin, Tracing, withOrigin, type Logger, type Span } from '#platform';

/**
 * Records attempts: a log line for each, at level info if it changes the state of the message, and a span
 * if the origin of the message is traced.
 */
@Injectable()
export class DeliveryJournal {
  private readonly logger: Logger;

  constructor(
    private readonly tracing: Tracing,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'delivery' });
  }

  attempt(message: ClaimedMessage, make: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
    const span = this.begin(message);
    return withOrigin({ requestId: readOrigin(message.origin).requestId, span }, async () => {
      const outcome = await make().catch((error: unknown) => {
        // A failure of our own, which the code that runs the job reports.
        span?.end('own-failure');
        throw error;
      });
      const errorClass = 'errorClass' in outcome ? outcome.errorClass : undefined;
      span?.set({ 'drawbridge.outcome': outcome.kind });
      span?.end(errorClass);
      this.log(message, outcome, errorClass);
      return outcome;
    });
  }

  /** The first attempt belongs to the trace of its origin; a later one, perhaps after days, only has a link to it. */
  private begin({ messageId, kind, host, attempts, origin }: ClaimedMessage): Span | null {
    const { trace } = readOrigin(origin);
    const isFirst = attempts === 0;
    return this.tracing.start({
      name: `deliver ${kind}`,
      kind: 'consumer',
      attributes: {
        'drawbridge.message.id': messageId,
        'drawbridge.message.attempt': attempts + 1,
        'drawbridge.partner': host,
      },
      parent: isFirst && trace ? trace : undefined,
      links: !isFirst && trace ? [trace] : [],
    });
  }

  private log(
    { messageId, kind, host, attempts }: ClaimedMessage,
    outcome: DeliveryOutcome,
    errorClass?: string,
  ): void {
    const attempt = { message: messageId, kind, partner: host, attempt: attempts + 1 };
    const { level, text } = wordsFor(outcome, attempts);
    const reason = 'message' in outcome ? outcome.message : undefined;
    this.logger[level]({ ...attempt, outcome: outcome.kind, errorClass, reason }, text);
  }
}

/**
 * Log level and text for an attempt: level warn if a message leaves its usual course or returns to it. A message that arrives at
 * once, and one that continues to wait, are only counted, and can be found in the database: a line
 * for each would be thousands a minute.
 */
function wordsFor(
  { kind }: DeliveryOutcome,
  attemptsBefore: number,
): { level: 'warn' | 'debug'; text: string } {
  if (kind === 'refused') return { level: 'warn', text: 'a partner refused a message' };
  if (kind === 'failed') return { level: 'warn', text: 'a message can never be sent' };
  const isFirst = attemptsBefore === 0;
  if (kind === 'retry')
    return isFirst
      ? { level: 'warn', text: 'a message has to wait' }
      : { level: 'debug', text: 'a message goes on to wait' };
  return isFirst
    ? { level: 'debug', text: 'a message was sent' }
    : { level: 'warn', text: 'a message was sent after it had waited' };
}
