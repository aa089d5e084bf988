import { z } from 'zod';
import type { PeerProfile } from '#federation/protocol';

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
  spelling: z.enum(['as-written', 'with-scheme', 'scheme-unless-https', 'scheme-with-port']),
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
