import { isCommonPassword } from './common-passwords';

/** Maximum length of a password: an `Authorization` header with a much longer one is not read. */
export const MAX_PASSWORD_BYTES = 1024;

/** Rules for new passwords; existing ones are never checked. */
export interface PasswordRules {
  /** In characters; 0 for no rule. */
  readonly minLength: number;
  readonly refuseCommon: boolean;
}

/** The rules if neither a setting nor the compatibility mode changes them. */
export const DEFAULT_PASSWORD_RULES: PasswordRules = { minLength: 10, refuseCommon: true };

/** Reason why a password is refused, for the person who chose it; undefined when it is allowed. */
export function passwordFault(rules: PasswordRules, password: string): string | undefined {
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `The password cannot be longer than ${MAX_PASSWORD_BYTES} bytes`;
  if ([...password].length < rules.minLength)
    return `The password must be at least ${rules.minLength} characters long`;
  if (rules.refuseCommon && isCommonPassword(password))
    return 'The password is one of those that are tried first: choose another one';
  return undefined;
}
