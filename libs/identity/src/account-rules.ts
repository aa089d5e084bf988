import { MAX_PASSWORD_BYTES } from '#sharing';
import { ProvisioningFailed } from './provisioning-failed';

const MAX_ID_CHARACTERS = 64;
const MAX_DISPLAY_NAME_CHARACTERS = 256;

/** A user id in its stored form. @throws ProvisioningFailed user-id-refused */
export function parseUserId(raw: string): string {
  const refuse = (message: string): never => {
    throw new ProvisioningFailed('user-id-refused', message);
  };
  if (raw.trim() === '') return refuse('A valid username must be provided');
  if (/[^a-zA-Z0-9 _.@\-+']/.test(raw) || raw.trim() !== raw || /^\.+$/.test(raw))
    return refuse(
      'Only the following characters are allowed in a username: "a-z", "A-Z", "0-9", and "+_.@-\'"',
    );
  if (raw.length < 3) return refuse('The username must be at least 3 characters long');
  if (raw.length > MAX_ID_CHARACTERS) return refuse('The username can not be longer than 64 characters');
  return raw;
}

/** Whether a password is possible: not blank, and at most 1024 bytes long. */
export function isPassword(text: string): boolean {
  return text.trim() !== '' && Buffer.byteLength(text) <= MAX_PASSWORD_BYTES;
}

/** @throws ProvisioningFailed password-refused */
export function assertPassword(password: string): void {
  if (!isPassword(password))
    throw new ProvisioningFailed('password-refused', 'A valid password must be provided');
}

/** Clients resolve these in addresses, so they could not name a group with such an id. */
export const isDotSegment = (id: string): boolean => id === '.' || id === '..';

/** A group id in its stored form: no blank at either end, at most 64 characters. @throws ProvisioningFailed */
export function parseGroupId(raw: string): string {
  const unprintable = /[\p{Cc}\p{Cs}]/u.test(raw);
  const isLong = raw.length > MAX_ID_CHARACTERS;
  if (raw === '' || raw.trim() !== raw || isLong || unprintable || isDotSegment(raw))
    throw new ProvisioningFailed('group-id-refused', 'Invalid group name');
  return raw;
}

/** The display name of an account: one line, or the user id if it is blank. @throws ProvisioningFailed */
export function parseDisplayName(raw: string, uid: string): string {
  const name = raw.trim();
  if ([...name].length > MAX_DISPLAY_NAME_CHARACTERS)
    throw new ProvisioningFailed(
      'display-name-refused',
      `A display name can not be longer than ${MAX_DISPLAY_NAME_CHARACTERS} characters`,
    );
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name))
    throw new ProvisioningFailed(
      'display-name-refused',
      'A display name is one line without control characters',
    );
  return name === '' ? uid : name;
}

/** An e-mail address, or null for none. @throws ProvisioningFailed email-refused */
export function parseEmail(raw: string): string | null {
  if (raw === '') return null;
  if (raw.length > 254 || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(raw))
    throw new ProvisioningFailed('email-refused', 'Invalid mail address');
  return raw;
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/**
 * A quota in bytes; null for none.
 *
 * `default` and `none` mean unlimited; otherwise bytes, or a number with a unit such as `5 GB` (powers of 1024).
 * @throws ProvisioningFailed quota-refused
 */
export function parseQuota(raw: string): number | null {
  const text = raw.trim();
  if (text === 'none' || text === 'default') return null;
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*([KMGT]?B)?$/i.exec(text);
  const bytes = match
    ? Math.round(Number(match[1]) * 1024 ** UNITS.indexOf((match[2] ?? 'B').toUpperCase()))
    : NaN;
  if (!Number.isSafeInteger(bytes))
    throw new ProvisioningFailed('quota-refused', `Invalid quota value ${raw.slice(0, 64)}`);
  return bytes;
}

/** A quota as administrators write it: `5 GB`, `none`. */
export function describeQuota(bytes: number | null): string {
  if (bytes === null) return 'none';
  let unit = 0;
  let rest = bytes;
  while (rest >= 1024 && unit < UNITS.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${Number(rest.toFixed(1))} ${UNITS[unit]}`;
}
