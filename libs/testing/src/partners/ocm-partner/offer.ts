import type { Draft } from './sentences';

/** Members of an offer that are texts, all required. */
export const OFFER_MEMBERS = [
  'shareWith',
  'name',
  'providerId',
  'owner',
  'sender',
  'shareType',
  'resourceType',
] as const;

/** A received offer. */
export interface ReceivedOffer extends Readonly<Record<(typeof OFFER_MEMBERS)[number], string>> {
  readonly description?: string;
  readonly protocol: {
    readonly webdav: {
      readonly uri: string;
      readonly sharedSecret: string;
      readonly permissions?: readonly string[];
      readonly requirements?: readonly string[];
    };
  };
}

/** Checks an offer. @param earlier accepted ones */
export function checkOffer(draft: Draft, offer: ReceivedOffer, earlier: readonly ReceivedOffer[]): void {
  const { shareType, resourceType, providerId, protocol } = offer;
  for (const address of [offer.shareWith, offer.owner, offer.sender])
    draft.holds('address.form', /^[^/]+@[\w.-]+(:\d+)?$/.test(address), address);
  const combination = `${shareType} ${resourceType} ${Object.keys(protocol).sort().join()}`;
  draft.holds('share.combination', /^user (file|folder) name,webdav$/.test(combination), combination);
  const { uri, sharedSecret, permissions = [], requirements = [] } = protocol.webdav;
  const isPlain = typeof uri === 'string' && typeof sharedSecret === 'string' && !('options' in protocol);
  draft.holds('share.protocol', isPlain, protocol);
  draft.holds('share.secret', !uri.includes(sharedSecret), uri);
  draft.holds('share.description', typeof (offer.description ?? '') === 'string', offer.description);
  const isKnown = permissions.every((word) => ['read', 'write', 'share'].includes(word));
  draft.holds('share.permissions', isKnown, permissions);
  draft.holds('share.exchange', requirements.includes('must-exchange-token'), requirements);
  draft.holds('share.once', !earlier.some((other) => other.providerId === providerId), providerId);
}
