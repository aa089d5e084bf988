import { readEnvelope } from '../messages/read-answer';
import type { PeerProduct } from '../peers/peer-product';
import type { DialectRules } from './dialect';
import { legacyNotice, legacyOffer } from './legacy-requests';
import { ocmWebdav } from './ocm-webdav';

const PREFERENCES: Readonly<Partial<Record<PeerProduct, number>>> = {
  legacy: 1,
  owncloud10: 2,
  nextcloud: 2,
  ocm: 3,
  unknown: 3,
};

/** Federation before Open Cloud Mesh: forms, answered by OCS envelopes. Content is accessed as in OCM 1.0. */
export const legacy: DialectRules = {
  preference: (product) => PREFERENCES[product],
  endPoint: ({ legacyShareUrl }) => legacyShareUrl,
  offer: legacyOffer,
  notice: legacyNotice,
  request: () => undefined,
  noticeForm: 'legacy',
  refuses: () => false,
  knowsReshares: true,
  namesGroups: false,
  statesRequirements: false,
  statesPermissions: () => true,
  readAnswer: readEnvelope,
  isOwnSuccess: ({ hasEnvelope }) => hasEnvelope,
  refusesWithoutWords: () => true,
  content: ocmWebdav.content,
};
