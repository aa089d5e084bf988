import { MESSAGES, type MessageKind } from '../messages/message-catalogue';
import type { Settlement } from './settlement';

/** How far a federated share got to its partner, as its owner sees it. */
export type DeliveryState =
  | 'pending'
  | 'delivered'
  /** It was delivered before; its partner has no message for what changed since. */
  | 'not-sent'
  | 'refused'
  | 'retrying'
  | 'dead'
  | 'revoking'
  | 'revoked';

/**
 * States out of which a share is `delivered` because its partner reads the content: a partner with the secret has the
 * offer. Only while no attempt was answered so: after that they are about a later message.
 */
export const DELIVERED_BY_ACCESS: readonly DeliveryState[] = ['pending', 'retrying', 'dead'];

/** Effect of an attempt on the record of the share that its message was about. */
export interface ShareProgress {
  readonly deliveryState: DeliveryState;
  /** Whether the share no longer stands in the way of a new one to the same recipient. */
  readonly freesRecipient: boolean;
}

/**
 * How an attempt shows in its share; undefined where it does not.
 *
 * A change that a partner refuses leaves the share delivered: only its creation can be refused as a whole.
 */
export function shareProgress(kind: MessageKind, settlement: Settlement): ShareProgress | undefined {
  switch (MESSAGES[kind].shows) {
    case 'offer':
      return { deliveryState: stateOf(settlement), freesRecipient: neverArrived(settlement) };
    case 'request':
      // Where the owner's server cannot do it, we offer the share ourselves: nothing is decided yet.
      if (isLeftToUs(settlement)) return undefined;
      return { deliveryState: stateOf(settlement), freesRecipient: neverArrived(settlement) };
    case 'change':
      return {
        deliveryState: settlement.state === 'refused' ? 'delivered' : stateOf(settlement),
        freesRecipient: false,
      };
    case 'end':
      return {
        deliveryState: settlement.state === 'pending' ? 'revoking' : 'revoked',
        freesRecipient: false,
      };
    case 'nothing':
      return undefined;
  }
}

/** Whether a request for a reshare ended in that its owner's server knows of no such thing. */
export function isLeftToUs({ state, errorClass }: Pick<Settlement, 'state' | 'errorClass'>): boolean {
  return state === 'refused' && errorClass === 'unsupported';
}

/** Whether the partner has certainly nothing: it refused the share, or all attempts failed before it was reached. */
const neverArrived = ({ state, dropsFollowing }: Settlement): boolean =>
  state === 'refused' || (state === 'dead' && dropsFollowing);

function stateOf(settlement: Settlement): DeliveryState {
  return settlement.state === 'pending' ? 'retrying' : settlement.state;
}
