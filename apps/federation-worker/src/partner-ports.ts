/** Nest's injection tokens of services that contact partners. */
export const DELIVERY_SENDER = Symbol('DeliverySender');
export const PEER_DISCOVERY = Symbol('PeerDiscovery');
