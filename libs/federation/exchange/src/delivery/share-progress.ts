import { MESSAGES, type MessageKind } from '../messages/message-catalogue';
import type { Settlement } from './settlement';

/** State of delivery of a federated share, as its owner sees it. */
export type DeliveryState =
  | 'pending'
  | 'delivered'
  /** The share was delivered before, but its partner's protocol has no message for the later change. */
  | 'not-sent'
  | 'refused'
  | 'retrying'
  | 'dead'
  | 'revoking'
  | 'revoked';

/**
 * States that become `delivered` because the partner reads the content: a partner with the secret has received the
 * offer. That holds only until an attempt is answered: later states are about a later message.
 */
export const DELIVERED_BY_ACCESS: readonly DeliveryState[] = ['pending', 'retrying', 'dead'];

/** Effect of a delivery attempt on the record of the share. */
export interface ShareProgress {
  readonly deliveryState: DeliveryState;
  /** Whether a new share with the same recipient is possible again. */
  readonly freesRecipient: boolean;
}

/**
 * Effect of an attempt on its share; undefined for none.
 *
 * If a partner refuses a change, the share stays delivered: only an offer can be refused as a whole.
 */
export function shareProgress(kind: MessageKind, settlement: Settlement): ShareProgress | undefined {
  switch (MESSAGES[kind].shows) {
    case 'offer':
      return { deliveryState: stateOf(settlement), freesRecipient: neverArrived(settlement) };
    case 'request':
      // If the owner's server cannot make the share, we offer it ourselves: nothing is decided yet.
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

/** Whether a request for a reshare ended because its owner's server does not support that. */
export function isLeftToUs({ state, errorClass }: Pick<Settlement, 'state' | 'errorClass'>): boolean {
  return state === 'refused' && errorClass === 'unsupported';
}

/** Whether the partner certainly has nothing: it refused the share, or no attempt reached it. */
const neverArrived = ({ state, dropsFollowing }: Settlement): boolean =>
  state === 'refused' || (state === 'dead' && dropsFollowing);

function stateOf(settlement: Settlement): DeliveryState {
  return settlement.state === 'pending' ? 'retrying' : settlement.state;
}
