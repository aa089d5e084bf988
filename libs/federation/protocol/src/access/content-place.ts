import type { Dialects } from '../dialects/dialect';
import { DIALECTS, rulesOf } from '../dialects/dialects';
import type { PeerProfile } from '../peers/peer-profile';
import type { ContentKey, ContentOffer } from './content-offer';
import { MUST_EXCHANGE } from './token-demand';

/** Address of a share's content, and the keys that open it. */
export interface ContentPlace {
  /** Address of the share itself, without a trailing slash. */
  readonly root: string;
  /** Whether requests for the root need a slash at its end. */
  readonly rootEndsInSlash: boolean;
  /**
   * Second address of a share of a single file; null for none. ownCloud and Nextcloud have the file at
   * the root itself. OpenCloud was seen to have it both there and at `<root>/<name>`, and to ask others
   * for the second. So the root is read first, and this address if nothing is at the root.
   */
  readonly fileBelowRoot: string | null;
  /** In the order of attempts; never empty. */
  readonly keys: readonly ContentKey[];
  /** Address at which a secret is exchanged; null if the partner names none. */
  readonly tokenEndPoint: string | null;
}

/**
 * Decides the address of a share's content. Source: federation-facts 8 and 9.
 * @returns undefined if the offer names another server than its sender's, or no address
 */
export function contentPlace(
  offer: ContentOffer,
  profile: PeerProfile,
  dialects: Dialects = DIALECTS,
): ContentPlace | undefined {
  // A dialect that another version of this program stored is read as the oldest one.
  const rules = Object.hasOwn(dialects, offer.dialect) ? rulesOf(dialects, offer.dialect) : DIALECTS.legacy;
  const { root, rootEndsInSlash, mayBeBelowRoot, keys } = rules.content(offer, profile);
  if (root === undefined) return undefined;
  return {
    root,
    rootEndsInSlash,
    fileBelowRoot: mayBeBelowRoot ? `${root}/${encodeURIComponent(offer.name)}` : null,
    keys: keysOf(offer, profile, keys),
    tokenEndPoint: profile.tokenEndPoint,
  };
}

function keysOf(
  { access }: ContentOffer,
  { tokenEndPoint }: PeerProfile,
  bySecret: readonly ContentKey[],
): readonly ContentKey[] {
  const requirements = Array.isArray(access.requirements) ? (access.requirements as unknown[]) : [];
  if (requirements.includes(MUST_EXCHANGE)) return ['token'];
  return tokenEndPoint === null ? bySecret : [...bySecret, 'token'];
}
