import { z } from 'zod';
import type { PersonOfSource } from '../directories/identity-source';
import { parseQuota } from '../account-rules';
import type { OidcConfig } from './oidc-settings';

const MOST_GROUPS = 500;
const CLAIMS = z.looseObject({ sub: z.string().min(1).max(255) });
const text = z.string().max(1024);
const groups = z.array(z.string().min(1).max(255)).max(MOST_GROUPS);

/** A person as the claims of the issuer describe them. */
export interface ClaimedPerson extends PersonOfSource {
  /** undefined: the claims say nothing of groups, as where none are configured. */
  readonly groups: readonly string[] | undefined;
}

/**
 * Reads the claims of a person. Claims of another form than expected are left out; one about groups counts as none of them.
 * @returns undefined without a subject
 */
export function readPerson(claims: unknown, config: OidcConfig): ClaimedPerson | undefined {
  const found = CLAIMS.safeParse(claims);
  if (!found.success) return undefined;
  const value = (claim: string | undefined): unknown => (claim === undefined ? undefined : found.data[claim]);
  const textOf = (claim: string): string | undefined => text.safeParse(value(claim)).data;
  return {
    subject: found.data.sub,
    name: textOf(config.OIDC_NAME_CLAIM) ?? '',
    displayName: textOf(config.OIDC_DISPLAY_NAME_CLAIM),
    email: textOf(config.OIDC_EMAIL_CLAIM),
    quotaBytes: quotaOf(value(config.OIDC_QUOTA_CLAIM)),
    groups: config.OIDC_GROUPS_CLAIM
      ? (groups.safeParse(value(config.OIDC_GROUPS_CLAIM)).data ?? [])
      : undefined,
  };
}

/** Whether somebody with these groups may sign in. */
export function isAllowed(
  { groups: ofPerson = [] }: ClaimedPerson,
  allowed: readonly string[] | undefined,
): boolean {
  return allowed === undefined || ofPerson.some((group) => allowed.includes(group));
}

function quotaOf(value: unknown): number | null | undefined {
  try {
    return typeof value === 'string' || typeof value === 'number' ? parseQuota(String(value)) : undefined;
  } catch {
    return undefined;
  }
}
