import type { PeerProfile } from '../peers/peer-profile';

/** By this word an offer says that its secret has to be exchanged, and a server that it takes no others. */
export const MUST_EXCHANGE = 'must-exchange-token';
/** By this one a server says that it can exchange secrets, and has them exchanged. */
export const CAN_EXCHANGE = 'exchange-token';

/**
 * Demand on the server that a share is offered to. `impossible`: it takes nothing else, or was offered it before, and
 * cannot be told in any dialect that it speaks.
 */
export type TokenDemand = 'exchange' | 'none' | 'impossible';

/**
 * Decides whether the recipient's server has to exchange the secret of a share. Source: federation-facts 9.
 * @param demanded whether we want it of everybody who can
 * @param promised whether an earlier attempt of the offer may have said so
 */
export function tokenDemand(profile: PeerProfile, demanded: boolean, promised: boolean): TokenDemand {
  const { criteria, capabilities, ocmEndPoint } = profile;
  const isAsked = criteria.includes(MUST_EXCHANGE) || promised;
  if (!isAsked && !(demanded && capabilities.includes(CAN_EXCHANGE) && ocmEndPoint !== null)) return 'none';
  return ocmEndPoint === null ? 'impossible' : 'exchange';
}
