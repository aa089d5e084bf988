import type { OutgoingMessage } from '../messages/message';
import type { DeliveryOutcome } from '../delivery/delivery-outcome';

/** Delivers one message to its partner: loads the profile, checks the policy, builds the body, sends and classifies. */
export interface DeliverySender {
  /**
   * One attempt. The outcome covers all errors of the partner; only our own failures are thrown, and count as
   * `internal`.
   * @param signal aborts when the attempt takes longer than the lease of the message allows, or the process ends
   */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryOutcome>;
}
