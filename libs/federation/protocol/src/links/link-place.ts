import type { ContentPlace } from '../access/content-place';
import type { PeerProfile } from '../peers/peer-profile';
import { SecretText } from '../secret-text';
import type { LinkKeys } from './link-request';

/** Stands for the dialect of an offer where a received share is a public link that is read as such. */
export const LINK_DIALECT = 'public-link';

/**
 * Where servers show their public links over WebDAV, in the order of attempts: ownCloud at the place that it has for shares too, ownCloud
 * and OpenCloud below the token. A link of one file is the file at the first, and a folder with the file in it at the second.
 */
export const LINK_PLACES = ['webdav', 'public-files'] as const;
export type LinkPlace = (typeof LINK_PLACES)[number];

/** @param place as it was stored with the share @returns undefined for none */
export function linkContent(
  place: unknown,
  { baseUrl }: Pick<PeerProfile, 'baseUrl'>,
  { token, password }: LinkKeys,
): { readonly place: ContentPlace; readonly credentials: SecretText } | undefined {
  const known = LINK_PLACES.find((name) => name === place);
  if (!known) return undefined;
  const isBelowToken = known === 'public-files';
  const user = isBelowToken ? 'public' : token.reveal();
  const path = isBelowToken
    ? `/remote.php/dav/public-files/${encodeURIComponent(token.reveal())}`
    : '/public.php/webdav';
  return {
    place: {
      root: `${baseUrl}${path}`,
      rootEndsInSlash: !isBelowToken,
      fileBelowRoot: null,
      keys: ['link'],
      tokenEndPoint: null,
    },
    credentials: new SecretText(`${user}:${password.reveal()}`),
  };
}
