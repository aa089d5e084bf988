import { Injectable } from '@nestjs/common';
import type { OcsValue } from '#ocs/protocol';
import {
  DeliveryAdministrationRepository,
  type AdministeredDelivery,
  type DeliverySelection,
} from '#persistence';
import { readOrigin } from '#platform';
import { instant } from './partner-record';

/** Messages to partners, for operators. The command line uses the same code. */
@Injectable()
export class OperatedDeliveries {
  constructor(private readonly deliveries: DeliveryAdministrationRepository) {}

  async list(selection: DeliverySelection, after: number, limit: number): Promise<OcsValue[]> {
    return (await this.deliveries.list(selection, after, limit)).map(deliveryRecord);
  }

  /** A message with all attempts; undefined if there is none. */
  async find(id: number): Promise<OcsValue | undefined> {
    const found = await this.deliveries.find(id);
    if (!found) return undefined;
    const tries = found.tries.map(({ at, ...attempt }) => ({ ...attempt, at: at.toISOString() }));
    const { requestId, trace } = readOrigin(found.origin);
    return { ...recordOf(found), requestId, traceId: trace?.traceId ?? null, tries };
  }

  /** @returns whether it was done */
  retry(id: number): Promise<boolean> {
    return this.deliveries.retry(id);
  }

  cancel(id: number): Promise<boolean> {
    return this.deliveries.cancel(id);
  }

  replay(id: number): Promise<boolean> {
    return this.deliveries.replay(id);
  }

  /** @returns how many are sent again */
  replayDead(selection: Omit<DeliverySelection, 'states'>): Promise<number> {
    return this.deliveries.replayDead(selection);
  }
}

const deliveryRecord = (delivery: AdministeredDelivery): OcsValue => recordOf(delivery);

function recordOf({
  id,
  host,
  kind,
  subject,
  state,
  attempts,
  errorClass,
  error,
  nextAttempt,
  created,
}: AdministeredDelivery) {
  return {
    id,
    host,
    kind,
    subject,
    state,
    attempts,
    errorClass,
    error,
    nextAttempt: instant(nextAttempt),
    created: created.toISOString(),
  };
}
