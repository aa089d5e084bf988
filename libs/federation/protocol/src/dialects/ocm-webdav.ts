import { readPlainAnswer } from '../messages/read-answer';
import type { PeerProduct } from '../peers/peer-product';
import type { DialectRules } from './dialect';
import { looksNew, ocmNotice, ocmShareRequest, ocmWebdavOffer, readsAdditions } from './ocm-requests';

/** Path of shared content on ownCloud and Nextcloud, if they do not name it. */
const DEFAULT_WEBDAV = '/public.php/webdav';

const PREFERENCES: Readonly<Partial<Record<PeerProduct, number>>> = {
  drawbridge: 2,
  owncloud10: 1,
  nextcloud: 1,
  reva: 2,
  ocm: 2,
};

/** OCM 1.0: content at the address from discovery, the secret as Basic user name. */
export const ocmWebdav: DialectRules = {
  preference: (product, document) =>
    product === 'unknown' ? (looksNew(document) ? 2 : 1) : PREFERENCES[product],
  endPoint: ({ ocmEndPoint }) => ocmEndPoint,
  offer: ocmWebdavOffer,
  notice: ocmNotice,
  request: ocmShareRequest,
  noticeForm: 'ocm',
  // ownCloud refuses this notice, although it sends it. Nextcloud takes a signed one only from the recipient's server.
  refuses: (kind, product) =>
    kind === 'reshare-undone' && (product === 'owncloud10' || product === 'nextcloud'),
  knowsReshares: false,
  namesGroups: true,
  statesRequirements: false,
  statesPermissions: readsAdditions,
  readAnswer: readPlainAnswer,
  isOwnSuccess: () => true,
  refusesWithoutWords: (product) => product === 'nextcloud',
  content: (_offer, { webdavUrl, baseUrl }) => ({
    root: webdavUrl ?? `${baseUrl}${DEFAULT_WEBDAV}`,
    rootEndsInSlash: true,
    mayBeBelowRoot: false,
    keys: ['basic'],
  }),
};
