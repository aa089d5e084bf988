import { z } from 'zod';
import {
  DIALECT_NAMES,
  FAILURE_CLASSES,
  type DiscoveryConclusion,
  type PeerProfile,
} from '#federation/protocol';

const address = z.string().nullable();
const words = z.array(z.string()).readonly();
const dialect = z.enum(DIALECT_NAMES);

const PROFILE: z.ZodType<PeerProfile> = z.object({
  baseUrl: z.url(),
  product: z.enum([
    'drawbridge',
    'owncloud10',
    'nextcloud',
    'ocis',
    'opencloud',
    'reva',
    'ocm',
    'legacy',
    'unknown',
  ]),
  productIsGiven: z.boolean(),
  dialects: z.array(dialect).readonly(),
  provenDialect: dialect.nullable(),
  ocmEndPoint: address,
  legacyShareUrl: address,
  webdavUrl: address,
  tokenEndPoint: address,
  // Profiles that were kept before do not have it.
  inviteAcceptDialog: address.default(null),
  webdavReceive: z.enum(['absolute', 'relative']).nullable(),
  // Never kept with the profile: it is the partner's own field.
  signBy: z.null().default(null),
  spelling: z.enum([
    'as-written',
    'without-scheme',
    'with-scheme',
    'scheme-unless-https',
    'scheme-with-port',
  ]),
  dataAccess: z.enum(['basic', 'bearer', 'bearer-then-basic']),
  capabilities: words,
  criteria: words,
  apiVersion: z.string().nullable(),
  discoveredAt: z.number(),
  expiresAt: z.number(),
});

/** A profile as it was kept with its partner; undefined for none, and for one of another version of this program. */
export function readProfile(stored: unknown): PeerProfile | undefined {
  return PROFILE.safeParse(stored).data;
}

/** Why a discovery found no partner. */
export type DiscoveryFailure = Exclude<DiscoveryConclusion, { kind: 'partner' }>;

const NO_PARTNER = 'it is no server that shares';

/** Stored form of a failed discovery; operators read it. */
export function failureText(failure: DiscoveryFailure): string {
  return failure.kind === 'no-partner' ? NO_PARTNER : failure.errorClass;
}

/** The failure that was kept; undefined for the words of another version of this program. */
export function readFailure(text: string): DiscoveryFailure | undefined {
  if (text === NO_PARTNER) return { kind: 'no-partner' };
  const errorClass = FAILURE_CLASSES.find((known) => known === text);
  return errorClass === undefined ? undefined : { kind: 'inconclusive', errorClass };
}
