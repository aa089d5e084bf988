import { Injectable } from '@nestjs/common';
import type { DeliveryOutcome } from '#federation/exchange';
import { DeliveryFiguresRepository, type ClaimedMessage } from '#persistence';
import { Metrics } from '#platform';

/** Maximum of partners with their own metric series: those whose messages wait longest. */
const MOST_PARTNERS = 100;

/**
 * Metrics of deliveries for operators. Attempts are counted per process. All other values describe the instance,
 * the same from every worker: take the maximum over workers, not the sum.
 */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts;

  constructor(metrics: Metrics, figures: DeliveryFiguresRepository) {
    this.attempts = metrics.counter(
      'delivery_attempts_total',
      'Attempts to deliver a message to a partner; error_class is none for what arrived',
      ['kind', 'outcome', 'error_class'],
    );
    metrics.gauge(
      'outbox_messages',
      'Messages to partners that are open or given up',
      ['state'],
      async () => {
        const { pending, queued, inflight, dead } = await figures.figures();
        return Object.entries({ pending, queued, inflight, dead }).map(([state, value]) => ({
          labels: { state },
          value,
        }));
      },
    );
    metrics.gauge(
      'partners_held',
      'Partners that get no messages at the moment (those of an open breaker are parked too), or whose files are not asked for (content)',
      ['reason'],
      async () => {
        const { parked, broken, contentShut, paused } = await figures.figures();
        return Object.entries({ parked, breaker: broken, content: contentShut, paused }).map(
          ([reason, value]) => ({
            labels: { reason },
            value,
          }),
        );
      },
    );
    metrics.gauge(
      'received_shares_held',
      'Received shares whose content is not asked for at the moment: it did not come, although their servers answer',
      [],
      async () => [{ labels: {}, value: (await figures.figures()).sharesShut }],
    );
    metrics.gauge(
      'outbox_oldest_seconds',
      `Age of the oldest message that a partner has not had; the ${MOST_PARTNERS} partners that wait longest`,
      ['partner'],
      async () =>
        (await figures.waiting(MOST_PARTNERS)).map(({ host, seconds }) => ({
          labels: { partner: host },
          value: seconds,
        })),
    );
    metrics.gauge(
      'partner_refusals',
      `Messages that a partner refused within the last day; the ${MOST_PARTNERS} partners that refused most`,
      ['partner'],
      async () =>
        (await figures.refusing(MOST_PARTNERS)).map(({ host, messages }) => ({
          labels: { partner: host },
          value: messages,
        })),
    );
  }

  settled({ kind }: Pick<ClaimedMessage, 'kind'>, outcome: DeliveryOutcome): void {
    const errorClass = 'errorClass' in outcome ? outcome.errorClass : 'none';
    this.attempts.inc({ kind, outcome: outcome.kind, error_class: errorClass });
  }
}
