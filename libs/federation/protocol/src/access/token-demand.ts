import type { PeerProfile } from '../peers/peer-profile';

/** Word in an offer: its secret has to be exchanged. In a discovery document: the server accepts no other shares. */
export const MUST_EXCHANGE = 'must-exchange-token';
/** Word in a discovery document: the server can exchange secrets, and lets others exchange its own. */
export const CAN_EXCHANGE = 'exchange-token';

/**
 * Demand on the recipient's server. `impossible`: the server needs the demand, or already got it with an earlier attempt, but
 * none of its dialects can express it.
 */
export type TokenDemand = 'exchange' | 'none' | 'impossible';

/**
 * Decides whether the recipient's server has to exchange the secret of a share. Source: federation-facts 9.
 * @param demanded whether we demand it from every server that can
 * @param promised whether an earlier attempt of the offer may have demanded it
 */
export function tokenDemand(profile: PeerProfile, demanded: boolean, promised: boolean): TokenDemand {
  const { criteria, capabilities, ocmEndPoint } = profile;
  const isAsked = criteria.includes(MUST_EXCHANGE) || promised;
  if (!isAsked && !(demanded && capabilities.includes(CAN_EXCHANGE) && ocmEndPoint !== null)) return 'none';
  return ocmEndPoint === null ? 'impossible' : 'exchange';
}
