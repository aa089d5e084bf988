import { z } from 'zod';
import type { DiscoveryConclusion, FailureClass, PeerProfile } from '#federation/protocol';

const address = z.string().nullable();
const words = z.array(z.string()).readonly();
const dialect = z.enum(['ocm-multi', 'ocm-webdav', 'legacy']);

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

type Failure = Exclude<DiscoveryConclusion, { kind: 'partner' }>;

const NO_PARTNER = 'it is no server that shares';

const FAILURE_CLASSES = Object.keys({
  dns: true,
  'unknown-host': true,
  tls: true,
  certificate: true,
  refused: true,
  unreachable: true,
  timeout: true,
  reset: true,
  'blocked-address': true,
  'blocked-http': true,
  'blocked-redirect': true,
  'too-large': true,
  'bad-answer': true,
  busy: true,
  closed: true,
  'partner-trouble': true,
  'partner-limits': true,
} satisfies Record<FailureClass, true>) as FailureClass[];

/** Stored form of a failed discovery; operators read it. */
export function failureText(failure: Failure): string {
  return failure.kind === 'no-partner' ? NO_PARTNER : failure.errorClass;
}

/** The failure that was kept; undefined for the words of another version of this program. */
export function readFailure(text: string): Failure | undefined {
  if (text === NO_PARTNER) return { kind: 'no-partner' };
  const errorClass = FAILURE_CLASSES.find((known) => known === text);
  return errorClass === undefined ? undefined : { kind: 'inconclusive', errorClass };
}
