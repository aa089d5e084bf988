import type { Spelling } from '../addresses/spelling';
import type { OcmDocument } from '../discovery/read-documents';

/** Product of a partner, as far as its discovery document shows. */
export type PeerProduct =
  | 'drawbridge'
  | 'owncloud10'
  | 'nextcloud'
  | 'ocis'
  | 'opencloud'
  | 'reva'
  /** Unknown product that announces OCM 1.2 or newer; its announcements are believed. */
  | 'ocm'
  /** Speaks the legacy dialect only. */
  | 'legacy'
  | 'unknown';

/** Ways to read the content of a share from a partner, in the order of attempts. */
export type DataAccess = 'basic' | 'bearer' | 'bearer-then-basic';

/** Traits of a product. Source: federation-facts 3. */
export interface ProductTraits {
  readonly spelling: Spelling;
  readonly dataAccess: DataAccess;
  /** Whether `sharedBy`, `description` and similar members are added: Nextcloud needs some, ownCloud sends none. */
  readonly superset: boolean;
  /** Whether the word `share` is sent with permissions. */
  readonly knowsShareWord: boolean;
  /** Whether it finds accounts only by their plain id, although it gives out encoded ones. */
  readonly knowsPlainIdsOnly: boolean;
  /** Whether it understands the message about changed permissions, which no specification has. */
  readonly takesPermissionChanges: boolean;
  /** Whether it changes the permissions of a reshare when its owner or its initiator did. */
  readonly takesReshareChanges: boolean;
  /** Whether it is known to refuse or ignore messages about accepted, declined and reshared shares. */
  readonly ignoresAnswers: boolean;
}

const GO_SERVER = {
  spelling: 'scheme-with-port',
  dataAccess: 'bearer',
  superset: false,
  knowsShareWord: false,
  knowsPlainIdsOnly: true,
  takesPermissionChanges: true,
  takesReshareChanges: true,
  ignoresAnswers: true,
} as const;

export const TRAITS: Readonly<Record<PeerProduct, ProductTraits>> = {
  drawbridge: {
    spelling: 'without-scheme',
    dataAccess: 'bearer-then-basic',
    superset: false,
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
    takesPermissionChanges: true,
    takesReshareChanges: true,
    ignoresAnswers: false,
  },
  owncloud10: {
    spelling: 'with-scheme',
    dataAccess: 'basic',
    superset: false,
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
    takesPermissionChanges: false,
    takesReshareChanges: true,
    ignoresAnswers: false,
  },
  nextcloud: {
    spelling: 'scheme-unless-https',
    dataAccess: 'basic',
    superset: true,
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
    takesPermissionChanges: false,
    takesReshareChanges: false,
    ignoresAnswers: false,
  },
  ocis: GO_SERVER,
  opencloud: GO_SERVER,
  reva: {
    ...GO_SERVER,
    spelling: 'without-scheme',
    dataAccess: 'bearer-then-basic',
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
  },
  ocm: {
    spelling: 'without-scheme',
    dataAccess: 'bearer-then-basic',
    superset: false,
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
    takesPermissionChanges: false,
    takesReshareChanges: true,
    ignoresAnswers: false,
  },
  legacy: {
    spelling: 'with-scheme',
    dataAccess: 'basic',
    superset: false,
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
    takesPermissionChanges: false,
    takesReshareChanges: true,
    ignoresAnswers: false,
  },
  unknown: {
    spelling: 'without-scheme',
    dataAccess: 'bearer-then-basic',
    superset: true,
    knowsShareWord: true,
    knowsPlainIdsOnly: false,
    takesPermissionChanges: false,
    takesReshareChanges: true,
    ignoresAnswers: false,
  },
};

/** @param ownName the name that our own instances announce */
export function recogniseProduct(document: OcmDocument, ownName: string): PeerProduct {
  const { resourceTypes, capabilities, apiVersion, provider, webdav } = document;
  if (provider === ownName) return 'drawbridge';
  if (resourceTypes === null) return 'owncloud10';
  // Checked before Nextcloud, which has the same path; these products name themselves.
  if (provider === 'OpenCloud' || capabilities.includes('webdav-uri')) return 'opencloud';
  if (webdav?.replace(/\/$/, '').endsWith('/public.php/webdav')) return 'nextcloud';
  if (/^1\.1(\.|$)/.test(apiVersion) && capabilities.includes('/invite-accepted')) return 'ocis';
  if (isReva(document)) return 'reva';
  return isOfNewerKind(document) ? 'ocm' : 'unknown';
}

/** Conforming servers announce that they accept notifications. */
function isReva({ resourceTypes, capabilities }: OcmDocument): boolean {
  const takesNotifications = capabilities.some((word) => word.replace(/^\//, '') === 'notifications');
  return (
    Boolean(resourceTypes?.includes('folder')) && capabilities.includes('invites') && !takesNotifications
  );
}

const isOfNewerKind = ({ apiVersion, capabilities }: OcmDocument): boolean =>
  /^1\.([2-9]|\d\d)/.test(apiVersion) || capabilities.includes('protocol-object');

/** Nextcloud before 31 announces no key, and reads by http what it has no scheme for. Source: federation-facts 3. */
export const spellingFor = (product: PeerProduct, document: OcmDocument | undefined): Spelling =>
  product === 'nextcloud' && document?.publicKey === undefined ? 'with-scheme' : TRAITS[product].spelling;

/** Products that are known to treat a repeated offer as the same share. At all others a repetition becomes a second share. */
export const WITHOUT_COPIES: readonly PeerProduct[] = ['drawbridge'];

/** Whether a repeated offer becomes a second share there. */
export const keepsCopies = (product: PeerProduct): boolean => !WITHOUT_COPIES.includes(product);
