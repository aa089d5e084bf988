import { z } from 'zod';
import type { PersonOfSource } from '../directories/identity-source';
import { parseQuota } from '../account-rules';
import type { Claims } from './complete-claims';
import type { OidcConfig } from './oidc-settings';

const MOST_GROUPS = 500;
const CLAIMS = z.record(z.string(), z.unknown());
const subject = z.string().min(1).max(255);
const text = z.string().max(1024);
const groups = z.array(z.string().min(1).max(255)).max(MOST_GROUPS);
const moved = z.record(z.string(), z.unknown()).catch({});

/** A person, as the issuer's claims describe them. */
export interface ClaimedPerson extends PersonOfSource {
  /** undefined: no claim is configured for groups. */
  readonly groups: readonly string[] | undefined;
  /** undefined: no rule is configured for administrators. */
  readonly isAdmin: boolean | undefined;
}

/**
 * Reads the claims of a person. Claims in an unexpected form are left out; an unexpected claim about groups means no groups.
 * @returns undefined without an id, and if the issuer names the groups elsewhere
 */
export function readPerson(claims: unknown, config: OidcConfig): ClaimedPerson | undefined {
  const found = CLAIMS.safeParse(claims).data ?? {};
  const id = subject.safeParse(found[config.OIDC_ID_CLAIM]).data;
  if (id === undefined || hasGroupsElsewhere(found, config)) return undefined;
  const value = (claim: string | undefined): unknown => (claim === undefined ? undefined : found[claim]);
  const textOf = (claim: string): string | undefined => text.safeParse(value(claim)).data;
  const names = config.OIDC_GROUPS_CLAIM
    ? (groups.safeParse(value(config.OIDC_GROUPS_CLAIM)).data ?? [])
    : undefined;
  return {
    subject: id,
    name: textOf(config.OIDC_NAME_CLAIM) ?? '',
    displayName: textOf(config.OIDC_DISPLAY_NAME_CLAIM),
    email: textOf(config.OIDC_EMAIL_CLAIM),
    quotaBytes: quotaOf(value(config.OIDC_QUOTA_CLAIM)),
    groups: names,
    isAdmin: isAdmin(names, value(config.OIDC_ADMIN_CLAIM), config),
  };
}

/** Whether a person in these groups may sign in. */
export function isAllowed(
  { groups: ofPerson = [] }: ClaimedPerson,
  allowed: readonly string[] | undefined,
): boolean {
  return allowed === undefined || ofPerson.some((group) => allowed.includes(group));
}

/**
 * Entra ID leaves groups out of tokens of people in many groups, and names another source for them. Source: OpenID
 * Connect Core, section 5.6.2.
 */
function hasGroupsElsewhere(claims: Claims, { OIDC_GROUPS_CLAIM: claim }: OidcConfig): boolean {
  return claim !== undefined && claims[claim] === undefined && claim in moved.parse(claims._claim_names);
}

function isAdmin(
  names: readonly string[] | undefined,
  claim: unknown,
  { OIDC_ADMIN_CLAIM, OIDC_ADMIN_GROUPS }: OidcConfig,
): boolean | undefined {
  if (OIDC_ADMIN_CLAIM === undefined && OIDC_ADMIN_GROUPS === undefined) return undefined;
  return claim === true || (names ?? []).some((name) => OIDC_ADMIN_GROUPS?.includes(name));
}

function quotaOf(value: unknown): number | null | undefined {
  try {
    return typeof value === 'string' || typeof value === 'number' ? parseQuota(String(value)) : undefined;
  } catch {
    return undefined;
  }
}
