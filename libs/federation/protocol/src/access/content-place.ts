import type { Dialects } from '../dialects/dialect';
import { DIALECTS, rulesOf } from '../dialects/dialects';
import type { PeerProfile } from '../peers/peer-profile';
import type { ContentKey, ContentOffer } from './content-offer';
import { MUST_EXCHANGE } from './token-demand';

/** Where the content of a share is, and what opens it. */
export interface ContentPlace {
  /** Address of the share itself, without a trailing slash. */
  readonly root: string;
  /** Whether the root is asked for with a slash at its end. */
  readonly rootEndsInSlash: boolean;
  /**
   * Where a share of a single file may be besides its root; null for nowhere. ownCloud and Nextcloud have the file at
   * the root itself. OpenCloud was seen to have it there and at `<root>/<name>` as well, and to ask others
   * for the second: the root is the first reading, this one the next where nothing is at the root.
   */
  readonly fileBelowRoot: string | null;
  /** In the order of attempts; never empty. */
  readonly keys: readonly ContentKey[];
  /** Where a secret is exchanged; null where the partner names no place. */
  readonly tokenEndPoint: string | null;
}

/**
 * Decides where the content of a share is. Source: federation-facts 8 and 9.
 * @returns undefined where the offer points to another server than its sender's, or to nowhere
 */
export function contentPlace(
  offer: ContentOffer,
  profile: PeerProfile,
  dialects: Dialects = DIALECTS,
): ContentPlace | undefined {
  // A name of another version of this program is read as the oldest form.
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
