/** Nest injection tokens of what reaches partners. */
export const DELIVERY_SENDER = Symbol('DeliverySender');
export const PEER_DISCOVERY = Symbol('PeerDiscovery');
