import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryOutcome } from '#federation/exchange';
import type { ClaimedMessage } from '#persistence';
import { LOGGER, readOrigin, Tracing, withOrigin, type Logger, type Span } from '#platform';

/**
 * Writes down attempts as they are made: a log line for each, at level info where it is news of the message, and a span
 * where what led to the message is traced.
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
        // A failure of our own: the code that runs the job reports it.
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

  /** The first attempt is a part of what led to the message; a later one, after days perhaps, only points there. */
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
 * How an attempt is told: at level warn where a message leaves its usual course or comes back to it. One that arrives at
 * once, and one that waits and goes on to wait, are counted, and stand in the database for anyone who looks for them: a line
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
