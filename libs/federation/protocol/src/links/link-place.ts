import type { ContentPlace } from '../access/content-place';
import type { PeerProfile } from '../peers/peer-profile';
import { SecretText } from '../secret-text';
import type { LinkKeys } from './link-request';

/** Takes the place of a dialect for a received share that is read as a public link. */
export const LINK_DIALECT = 'public-link';

/**
 * WebDAV addresses of public links, in the order of attempts: the first is ownCloud's, which it also uses for shares; the second
 * takes the token as a path, on ownCloud and OpenCloud. The link of a single file is the file at the first, and a
 * folder with the file at the second.
 */
export const LINK_PLACES = ['webdav', 'public-files'] as const;
export type LinkPlace = (typeof LINK_PLACES)[number];

/** @param place as stored with the share @returns undefined for none */
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
