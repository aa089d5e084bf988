import type { PartnerMessage, WireRequest } from '../messages/partner-message';
import { TRAITS } from '../peers/peer-product';
import type { PeerProfile } from '../peers/peer-profile';
import type { DialectRules, Dialects } from './dialect';
import type { Dialect } from './dialect-name';
import { legacy } from './legacy';
import { ocmMulti } from './ocm-multi';
import { ocmWebdav } from './ocm-webdav';

/** All spoken dialects: the only place where they are registered. */
export const DIALECTS = {
  'ocm-multi': ocmMulti,
  'ocm-webdav': ocmWebdav,
  legacy,
} as const satisfies Record<Dialect, DialectRules>;

export const DIALECT_NAMES = Object.keys(DIALECTS) as readonly Dialect[];

/** @throws Error for a name that is not registered: a bug */
export function rulesOf(dialects: Dialects, name: string): DialectRules {
  const rules = Object.hasOwn(dialects, name) ? dialects[name] : undefined;
  if (!rules) throw new Error(`there is no dialect ${name}`);
  return rules;
}

/**
 * The request for `message` in `dialect`.
 * @param dialect one of the profile's
 * @returns undefined if the dialect has no such message, or the product refuses it in all dialects: nothing is sent
 */
export function buildRequest(
  message: PartnerMessage,
  dialect: Dialect,
  profile: PeerProfile,
  dialects: Dialects = DIALECTS,
): WireRequest | undefined {
  const rules = rulesOf(dialects, dialect);
  if (message.kind === 'offer') return rules.offer(message, profile);
  if (message.kind === 'share-request') return rules.request(message, profile);
  if (message.kind === 'reshare-permissions' && !TRAITS[profile.product].takesReshareChanges)
    return undefined;
  return rules.notice(message, profile);
}
