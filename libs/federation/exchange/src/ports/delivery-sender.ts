import type { OutgoingMessage } from '../messages/message';
import type { DeliveryOutcome } from '../delivery/delivery-outcome';

/** Brings one message to its partner: loads the profile, checks the policy, builds the body, posts and classifies. */
export interface DeliverySender {
  /**
   * One attempt. The outcome covers everything that the partner does; only our own failures are thrown, and count as
   * `internal`.
   * @param signal aborts when the attempt takes longer than the lease of the message allows, or the process ends
   */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryOutcome>;
}
