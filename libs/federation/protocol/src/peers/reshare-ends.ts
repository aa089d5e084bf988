import type { PeerProduct } from './peer-product';

/**
 * Whether it is on us to tell the recipient's server that a share ended which the owner's server made for us. ownCloud only
 * removes it and expects the server that asked for it to tell; our own instances tell their recipients themselves. Of other products
 * it is not known: told twice, a recipient's server does nothing the second time.
 */
export const recipientIsOurs = (owner: PeerProduct): boolean => owner !== 'drawbridge';
