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
  // Older stored profiles do not have it.
  inviteAcceptDialog: address.default(null),
  webdavReceive: z.enum(['absolute', 'relative']).nullable(),
  // Older stored profiles do not have it.
  opensWebapps: z
    .array(z.enum(['file', 'folder']))
    .readonly()
    .default([]),
  // Older stored profiles do not have it.
  shareTypes: words.default([]),
  // Not stored with the profile: it is a field of the partner.
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

/** A partner's stored profile; undefined for none, and for one that another version of this program wrote. */
export function readProfile(stored: unknown): PeerProfile | undefined {
  return PROFILE.safeParse(stored).data;
}

/** Reason why a discovery found no partner. */
export type DiscoveryFailure = Exclude<DiscoveryConclusion, { kind: 'partner' }>;

const NO_PARTNER = 'it is no server that shares';

/** Stored form of a failed discovery, which operators read. */
export function failureText(failure: DiscoveryFailure): string {
  return failure.kind === 'no-partner' ? NO_PARTNER : failure.errorClass;
}

/** The stored failure; undefined for a text that another version of this program wrote. */
export function readFailure(text: string): DiscoveryFailure | undefined {
  if (text === NO_PARTNER) return { kind: 'no-partner' };
  const errorClass = FAILURE_CLASSES.find((known) => known === text);
  return errorClass === undefined ? undefined : { kind: 'inconclusive', errorClass };
}
