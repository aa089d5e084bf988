import type { PeerProfile } from '../peers/peer-profile';
import type { Dialect } from '../wire/share-offer';
import { legacyNotice, legacyOffer } from './legacy-requests';
import { ocmMultiOffer, ocmNotice, ocmWebdavOffer } from './ocm-requests';
import type { PartnerMessage, WireRequest } from './partner-message';

/**
 * The request that tells a partner `message` in `dialect`.
 * @param dialect one of the profile's
 * @returns undefined where the partner cannot be told this: there is nothing to send
 */
export function buildRequest(
  message: PartnerMessage,
  dialect: Dialect,
  profile: PeerProfile,
): WireRequest | undefined {
  if (message.kind !== 'offer') {
    return dialect === 'legacy' ? legacyNotice(message, profile) : ocmNotice(message, profile);
  }
  switch (dialect) {
    case 'ocm-multi':
      return ocmMultiOffer(message, profile);
    case 'ocm-webdav':
      return ocmWebdavOffer(message, profile);
    case 'legacy':
      return legacyOffer(message, profile);
  }
}
