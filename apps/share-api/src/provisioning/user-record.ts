import { describeQuota, type Account } from '#identity';
import type { OcsValue } from '#ocs/protocol';

/** Value that deployed servers write for a user without a quota. */
const UNLIMITED = -3;

/** A user as the provisioning API shows them; `enabled` is for administrators and the user's group administrators. Source: ocs-facts 11. */
export function userRecord(user: Account, usedBytes: number, isOverseen: boolean): OcsValue {
  return {
    ...(isOverseen ? { enabled: String(user.enabled) } : {}),
    quota: quotaOf(user.quotaBytes, usedBytes),
    email: user.email,
    displayname: user.displayName,
    home: `home::${user.uid}`,
    two_factor_auth_enabled: String(user.hasSecondFactor),
    last_login: user.lastLoginAt ? seconds(user.lastLoginAt) : 0,
    creation_time: seconds(user.createdAt),
    language: user.language,
  };
}

function quotaOf(quotaBytes: number | null, used: number): OcsValue {
  if (quotaBytes === null)
    return { free: UNLIMITED, used, total: UNLIMITED, relative: 0, definition: 'default' };
  return {
    free: Math.max(0, quotaBytes - used),
    used,
    total: quotaBytes,
    relative: quotaBytes === 0 ? 100 : Math.round((used / quotaBytes) * 10_000) / 100,
    definition: describeQuota(quotaBytes),
  };
}

const seconds = (instant: Date): number => Math.floor(instant.getTime() / 1000);
